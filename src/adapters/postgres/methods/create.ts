/** `create` and `recall` (VERB-2, VERB-12, PATH-7). */
import { type Association, associationOf, leavesScope } from '../../association.js'
import type { AdapterCall, Refused, Repeated, Stored } from '../../contract.js'
import { changing } from '../changes/change.js'
import type { Around } from '../changes/outcome.js'
import type { JoinColumns } from '../table/join-tables.js'
import type { KeptRecords } from '../table/kept-table.js'
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
 * Creates a record. After each create that may have kept a record for repeats, calls `cleared` with
 * the table of kept records, so that expired rows can be removed.
 */
export const createRecord = (
  shared: Shared,
  value: Row,
  call: AdapterCall,
  cleared: (kept: KeptRecords) => void,
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
    if (table.kept !== undefined && call.idempotency !== undefined) cleared(table.kept)
    return onCreate === undefined ? made : blame(made, draft, next, 'onCreate')
  })

async function inserted(
  shared: Shared,
  table: Table,
  value: Row,
  to: Association | undefined,
  call: AdapterCall,
): Promise<Made> {
  const join = to !== undefined && to.by === undefined ? { join: table.joins.get(to.as) as JoinColumns, to } : undefined
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

/** Keeps the created record for repeats, if the request has an idempotency key. */
const repeats = ({ kept }: Table, { idempotency }: AdapterCall): Around<Made> | undefined =>
  kept === undefined || idempotency === undefined ? undefined : (ask, work) => keeping(kept, idempotency, ask, work)

/** The reason why no table can hold the key of this parent. `undefined` if a table can hold it. */
export const unheld = (parent: Association | undefined): string | undefined =>
  parent?.parts.map(incomparable).find((one) => one !== undefined)

/**
 * Returns the record that an earlier create kept. Reads from the database that takes the writes,
 * because a replica may not have the record yet.
 */
export const recallRecord = (shared: Shared, call: AdapterCall): Promise<Stored<Row> | Repeated | undefined> =>
  withTable(shared, call, async ({ kept }) => {
    const { idempotency } = call
    if (kept === undefined || idempotency === undefined) return undefined
    const databases = { ...shared.databases, read: shared.databases.write }
    return reading(databases, shared.options, call, (ask) => recall(kept, idempotency, ask))
  })
