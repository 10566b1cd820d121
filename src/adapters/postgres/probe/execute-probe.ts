/**
 * The check of `probe: 'execute'`. It performs updates, deletes and inserts, in a transaction that
 * is rolled back.
 */
import { isConfigurationError } from '../../../problem.js'
import type { Stored, WriteMethod } from '../../contract.js'
import { isRefused } from '../../contract.js'
import type { Database, Session, Wait } from '../connections/client.js'
import { failureKind, stateOf } from '../connections/failures.js'
import type { RowCall } from '../reads/row-call.js'
import { allOf, Parameters } from '../sql/sql.js'
import { type StatementSender, senderOf } from '../sql/statement-sender.js'
import { storedOf, type Table, visible } from '../table/table.js'
import { insertRow } from '../writes/inserts.js'
import { removeRow } from '../writes/removals.js'
import { suppressed } from '../writes/unchanged.js'
import { updateRow } from '../writes/updates.js'
import type { Finding } from './explain-probe.js'
import { sampleCall, sampleRecord } from './sample-calls.js'

type Row = Stored<Record<string, unknown>>

/**
 * The maximum number of rows on which writes are tried. One row is not enough, because a trigger
 * might refuse changes to some rows only.
 */
const maxRows = 10
/** The timeout for a lock that another transaction holds, in milliseconds. */
const lockTimeout = 100

/**
 * The result of trying a write on one row. `unknown`: the write failed, but might succeed on other
 * rows.
 */
type Outcome = 'fine' | 'unknown' | { readonly refused: string } | { readonly fault: unknown }

/**
 * Tries the `offered` methods, except `attach` and `detach`, on existing rows. Updates rows with
 * their own values, deletes rows, and inserts deleted rows again. If the table is empty, the only
 * write is an insert of sample values, and a refusal of these values is ignored. Everything is
 * rolled back. Returns the methods that failed, each with its error. If the trial as a whole fails,
 * returns only the first of the `offered` methods, with the error of the trial. Failures that
 * depend on a row's values or on a lock do not count. A refusal, for example by a trigger, counts
 * only if every row that was tried is refused.
 */
export async function executed(
  table: Table,
  offered: ReadonlySet<WriteMethod>,
  database: Database,
  wait: Wait,
): Promise<readonly Finding[]> {
  let found: readonly Finding[] | undefined
  try {
    await database.transaction(async (session) => {
      found = await trial(table, offered, session)
      throw new Error('Everything that was tried is rolled back.')
    }, wait)
  } catch (error) {
    if (isConfigurationError(error)) throw error
    const [method = 'replace'] = offered
    if (found === undefined) return [{ method, error }]
  }
  return found ?? []
}

async function trial(table: Table, offered: ReadonlySet<WriteMethod>, session: Session): Promise<readonly Finding[]> {
  const ask = senderOf(session)
  const at = ({ value, version }: Row): RowCall => ({
    table,
    texts: keyOf(table, value),
    expected: version,
    call: sampleCall,
    ask,
  })
  const outcome = (result: unknown): Outcome => outcomeOf(result, table)
  await session.query(`SELECT set_config('lock_timeout', '${lockTimeout}', true)`, [])
  const rows = await existingRows(table, ask)
  const attempts: Partial<Record<WriteMethod, (row: Row) => Promise<Outcome>>> = {
    replace: async (row) => outcome(await updateRow(at(row), row.value)),
    remove: async (row) => outcome(await removeRow(at(row))),
    create: async (row) => {
      const { value } = row
      const removed = outcome(await removeRow(at(row)))
      return removed === 'fine'
        ? outcome(await insertRow(table, insertable(table, value), undefined, sampleCall, ask))
        : 'unknown'
    },
  }
  if (rows.length === 0 && offered.has('create')) {
    const made = await rolledBack(session, async () =>
      outcome(await insertRow(table, sampleRecord(table.layout), undefined, sampleCall, ask)),
    )
    return typeof made === 'object' && 'fault' in made ? [{ method: 'create', error: made.fault }] : []
  }
  const found: Finding[] = []
  for (const [method, attempt] of Object.entries(attempts) as [WriteMethod, (row: Row) => Promise<Outcome>][]) {
    if (!offered.has(method)) continue
    const error = await firstFault(rows, (row) => rolledBack(session, () => attempt(row)))
    if (error !== undefined) found.push({ method, error })
  }
  return found
}

/** Returns the record without the key members that only the database sets. */
function insertable({ layout }: Table, value: Row['value']): Row['value'] {
  const given = new Set(layout.key.filter(({ setByDatabase }) => setByDatabase).map(({ name }) => name))
  return given.size === 0 ? value : Object.fromEntries(Object.entries(value).filter(([name]) => !given.has(name)))
}

/**
 * Returns the error of a write that can't succeed. Returns `undefined` if a row accepts the write,
 * or if other rows might accept it.
 */
async function firstFault(rows: readonly Row[], attempt: (row: Row) => Promise<Outcome>): Promise<unknown> {
  let refused: string | undefined
  let conclusive = true
  for (const row of rows) {
    const outcome = await attempt(row)
    if (outcome === 'fine') return undefined
    if (outcome === 'unknown') conclusive = false
    else if ('fault' in outcome) return outcome.fault
    else refused = outcome.refused
  }
  if (refused === undefined || !conclusive) return undefined
  return new Error(
    `it refuses each existing row that was tried (${rows.length}), even with unchanged values: ${refused}`,
  )
}

/**
 * Runs one attempt and rolls it back. Before the rollback, it also runs the constraint checks that
 * are deferred to the commit. Throws if the connection is lost.
 */
async function rolledBack(session: Session, attempt: () => Promise<Outcome>): Promise<Outcome> {
  await session.query('SAVEPOINT rest_probe', [])
  let outcome: Outcome
  try {
    outcome = await attempt()
    await session.query('SET CONSTRAINTS ALL IMMEDIATE', [])
  } catch (error) {
    const kind = failureKind(error)
    if (kind === 'lost' || kind === 'unsent') throw error
    // These failures say nothing about other rows. A violated constraint depends on the values, and
    // a lock is temporary.
    const passing =
      kind === 'busy' || kind === 'conflict' || kind === 'cancelled' || /^(?:22|23)/.test(stateOf(error) ?? '')
    outcome = passing ? 'unknown' : kind === 'refused' ? { refused: (error as Error).message } : { fault: error }
  }
  await session.query('ROLLBACK TO SAVEPOINT rest_probe', [])
  return outcome
}

function outcomeOf(result: unknown, { options }: Table): Outcome {
  // The probe does not run the service's `session` function. Without the settings that `session`
  // makes, a policy might hide rows that a request could change.
  if (result === suppressed && options.session !== undefined) return 'unknown'
  if (result === suppressed)
    return { refused: 'nothing was written and no error was raised, for example because a trigger returned NULL' }
  return isRefused(result) || result === 'absent' || result === 'stale' ? 'unknown' : 'fine'
}

async function existingRows(table: Table, ask: StatementSender): Promise<readonly Row[]> {
  const parameters = new Parameters()
  const where = allOf(visible(table, sampleCall, parameters))
  const text = table.reads.of(` WHERE ${where} LIMIT ${maxRows}`)
  return (await ask.cells(text, table.shownNames, parameters.values)).map((cells) => storedOf(table, cells))
}

const keyOf = ({ definition, layout }: Table, value: Row['value']): readonly string[] => {
  const key = definition.key.of(value)
  return (key === undefined ? undefined : layout.keyTexts(key)) ?? []
}
