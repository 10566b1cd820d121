/** The methods `create` and `recall` (VERB-2, VERB-12, PATH-7). */
import { type Association, associationOf, leavesScope } from '../../association.js'
import type { AdapterCall, Refused, Repeated, Stored } from '../../contract.js'
import { changing } from '../changes/change.js'
import type { ChangeWrapper } from '../changes/outcome.js'
import type { IdempotencyTable } from '../table/idempotency-table.js'
import type { DescribedJoinTable } from '../table/join-tables.js'
import type { Table } from '../table/table.js'
import { reading } from '../transactions/statements.js'
import { incomparable } from '../values/places.js'
import { insertRow } from '../writes/inserts.js'
import { Contested, keeping, recall } from '../writes/kept-records.js'
import { refusedFor } from '../writes/refused-value.js'
import { fixed } from './fixed.js'
import { type Shared, withTable } from './shared.js'

type Row = Record<string, unknown>
type Made = { readonly created: Stored<Row> } | Refused | Repeated

/**
 * Creates a record. After each create with an idempotency key, calls `clearExpired`, so that
 * expired rows of the idempotency table can be deleted.
 */
export const createRecord = (
  shared: Shared,
  value: Row,
  call: AdapterCall,
  clearExpired: (table: IdempotencyTable) => void,
): Promise<Made> =>
  withTable(shared, call, async (table) => {
    const to = call.attachTo && associationOf(shared.definition, call.attachTo)
    const leaving = to === undefined ? [] : leavesScope(to, call)
    if (leaving.length > 0) return { refused: 'rule', members: leaving }
    const { onCreate, blame } = shared.hooks
    const members = { ...Object.fromEntries(to?.by ?? []), ...call.scope }
    const draft = fixed(value, members)
    const next = onCreate === undefined ? draft : fixed(await onCreate(draft, call), members)
    const why = to?.by === undefined ? unheld(to) : undefined
    if (why !== undefined) return refusedFor({ path: [], why })
    const made = await inserted(shared, table, next, to, call)
    if (table.idempotencyTable !== undefined && call.idempotency !== undefined) clearExpired(table.idempotencyTable)
    return onCreate === undefined ? made : blame(made, draft, next, 'onCreate')
  })

async function inserted(
  shared: Shared,
  table: Table,
  value: Row,
  to: Association | undefined,
  call: AdapterCall,
): Promise<Made> {
  const join =
    to !== undefined && to.by === undefined ? { join: table.joins.get(to.as) as DescribedJoinTable, to } : undefined
  const change = {
    databases: shared.databases,
    table,
    call,
    action: 'create',
    key: shared.definition.key.of(value),
    texts: undefined,
    value,
    parent: call.attachTo,
    expected: undefined,
    before: undefined,
  } as const
  try {
    return await changing<Made>(
      change,
      (ask, joins) => insertRow(table, value, join, call, ask, join === undefined ? joins : undefined),
      repeats(table, call),
    )
  } catch (error) {
    if (error instanceof Contested) return 'running'
    throw error
  }
}

/**
 * If the request has an idempotency key, returns the function that stores the created record for
 * retries.
 */
const repeats = ({ idempotencyTable }: Table, { idempotency }: AdapterCall): ChangeWrapper<Made> | undefined =>
  idempotencyTable === undefined || idempotency === undefined
    ? undefined
    : (ask, work) => keeping(idempotencyTable, idempotency, ask, work)

/**
 * Returns the reason why no column can hold the key of this parent, for example because the key
 * contains U+0000. Returns `undefined` if a column can hold the key.
 */
export const unheld = (parent: Association | undefined): string | undefined =>
  parent?.parts.map(incomparable).find((one) => one !== undefined)

/**
 * Returns the record that an earlier create with the same idempotency key stored, or `undefined` if
 * there is none. Returns `'mismatched'` if that create had another body. Reads from the primary,
 * because a replica might not have the record yet.
 */
export const recallRecord = (shared: Shared, call: AdapterCall): Promise<Stored<Row> | Repeated | undefined> =>
  withTable(shared, call, async ({ idempotencyTable }) => {
    const { idempotency } = call
    if (idempotencyTable === undefined || idempotency === undefined) return undefined
    const databases = { ...shared.databases, read: shared.databases.write }
    return reading(databases, shared.options, call, (ask) => recall(idempotencyTable, idempotency, ask))
  })
