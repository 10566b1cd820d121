/**
 * Keeps the records that were created by requests with an `Idempotency-Key` (VERB-12). The records
 * are kept in a separate table, in their original state. The transaction that creates a record also
 * writes it to this table.
 */

import { createHash } from 'node:crypto'
import { loggableError } from '../../../failures/loggable.js'
import type { Idempotency, Repeated, Stored } from '../../contract.js'
import type { Database, Wait } from '../connections/client.js'
import { failureKind, stateOf } from '../connections/failures.js'
import { Parameters } from '../sql/sql.js'
import type { StatementSender } from '../sql/statement-sender.js'
import type { IdempotencyTable } from '../table/idempotency-table.js'

type Row = Record<string, unknown>

/**
 * Creates a record with `work` and keeps it under the idempotency id, in one transaction. If the id
 * is already in use, creates nothing.
 *
 * The id is claimed before anything else is written. Otherwise, a retry that arrives before the
 * first create has ended could be refused as a duplicate of the record that the first create
 * inserts. With advisory locks, a retry does not wait for the first create. Without advisory locks,
 * the primary key still guarantees that an id is used only once.
 */
export async function keeping<R extends object | Repeated>(
  table: IdempotencyTable,
  idempotency: Idempotency,
  ask: StatementSender,
  work: () => Promise<R>,
): Promise<R | { readonly created: Stored<Row> } | Repeated> {
  if (!(await claim(table, idempotency, ask))) {
    const known = (await recall(table, idempotency, ask)) ?? 'running'
    return typeof known === 'string' ? known : { created: known }
  }
  const result = await work()
  if (typeof result === 'object' && 'created' in result)
    await keep(table, idempotency, result.created as Stored<Row>, ask)
  return result
}

/**
 * Returns the record that is kept under an id, or `'mismatched'` if a request with another
 * fingerprint created it. Returns `undefined` if there is no such record, or if it has expired.
 *
 * The statement locks the row, which writes an entry to the server's write-ahead log. So the
 * transaction of the statement ends only after the synchronous standbys have received this entry
 * and all earlier entries, including those of the first create. Without the lock, the response to a
 * retry could contain a record that a failover then undoes. The lock conflicts with no other
 * statement in this file except the removal of expired rows. If there is no row, the lock costs
 * nothing.
 */
export async function recall(
  table: IdempotencyTable,
  { id, fingerprint }: Idempotency,
  ask: StatementSender,
): Promise<Stored<Row> | Repeated | undefined> {
  const parameters = new Parameters()
  const text =
    `SELECT fingerprint AS c0, record AS c1, version AS c2 FROM ${table.relation} WHERE id = ${parameters.add(id)} ` +
    'AND expires_at > now() FOR KEY SHARE'
  const [found] = await asked(ask, text, parameters)
  if (found === undefined) return undefined
  if (found.c0 !== fingerprint) return 'mismatched'
  return { value: JSON.parse(found.c1 as string) as Row, version: found.c2 as string }
}

/**
 * Claims an id. Resolves with true if no row had the id, or if the row with the id had expired.
 * Resolves with false if the id is in use, or if another create holds its advisory lock. A separate
 * statement takes over an expired row, because Citus does not support a condition on the current
 * time in `ON CONFLICT`.
 */
export async function claim(table: IdempotencyTable, idempotency: Idempotency, ask: StatementSender): Promise<boolean> {
  return (await insertClaim(table, idempotency, ask)) || (await takeOver(table, idempotency, ask))
}

async function insertClaim(
  { relation, ttl, lock, distributed }: IdempotencyTable,
  { id, fingerprint }: Idempotency,
  ask: StatementSender,
): Promise<boolean> {
  // On Citus, a separate statement takes the lock, so that the INSERT contains no SELECT. Citus
  // runs an INSERT with a SELECT in two steps: first it stores the result of the SELECT, and then
  // it inserts the stored result.
  if (distributed && lock && !(await tryLock(id, ask))) return false
  const parameters = new Parameters()
  // `ON CONFLICT` also applies to a row that was committed after this statement's snapshot. So a
  // kept record is never overwritten, even if the lock is granted late.
  const locked =
    lock && !distributed
      ? ` FROM (SELECT pg_try_advisory_xact_lock(${parameters.add(lockOf(id), 'bigint')}) AS got OFFSET 0) AS _l ` +
        'WHERE _l.got'
      : ''
  const values =
    `${parameters.add(id)}, ${parameters.add(fingerprint)}, '', '', now() + ` + `${parameters.add(ttl, 'interval')}`
  const row = distributed ? `VALUES (${values})` : `SELECT ${values}${locked}`
  const text =
    `INSERT INTO ${relation} AS _k (id, fingerprint, record, version, expires_at) ${row} ON CONFLICT (id) DO ` +
    'NOTHING RETURNING _k.id AS c0'
  return (await asked(ask, text, parameters)).length > 0
}

/**
 * Takes over an expired row. With advisory locks, does not wait for another create that is taking
 * over the same row.
 */
async function takeOver(
  table: IdempotencyTable,
  { id, fingerprint }: Idempotency,
  ask: StatementSender,
): Promise<boolean> {
  const { relation, lock } = table
  const looking = new Parameters()
  const expired = `SELECT 1 AS c0 FROM ${relation} WHERE id = ${looking.add(id)} AND expires_at <= now()`
  if ((await asked(ask, expired, looking)).length === 0) return false
  if (lock && !(await tryLock(id, ask))) return false
  return renew(table, { id, fingerprint }, ask)
}

/**
 * Tries to take the advisory lock of an id, without waiting. Resolves with true if the transaction
 * has the lock. A transaction that already holds the lock gets it again. `ready()` has the database
 * plan this statement, but not run it. There is then no row, and the result is true.
 */
async function tryLock(id: string, ask: StatementSender): Promise<boolean> {
  const parameters = new Parameters()
  const text = `SELECT pg_try_advisory_xact_lock(${parameters.add(lockOf(id), 'bigint')})::text AS c0`
  const [got] = await asked(ask, text, parameters)
  return got === undefined || got.c0 === 'true'
}

/** Claims an expired row for a new create. This is the last statement of `takeOver`. */
export async function renew(
  { relation, ttl }: IdempotencyTable,
  { id, fingerprint }: Idempotency,
  ask: StatementSender,
): Promise<boolean> {
  const parameters = new Parameters()
  const set =
    `fingerprint = ${parameters.add(fingerprint)}, record = '', version = '', expires_at = now() + ` +
    `${parameters.add(ttl, 'interval')}`
  const where = `id = ${parameters.add(id)} AND expires_at <= now()`
  const text = `UPDATE ${relation} SET ${set} WHERE ${where} RETURNING id AS c0`
  return (await asked(ask, text, parameters)).length > 0
}

/** Stores the record under its id, which must be claimed already. */
export async function keep(
  { relation }: IdempotencyTable,
  { id }: Idempotency,
  { value, version }: Stored<Row>,
  ask: StatementSender,
): Promise<void> {
  const parameters = new Parameters()
  // Stored as JSON text, which keeps numbers and the order of members unchanged.
  const text =
    `UPDATE ${relation} SET record = ${parameters.add(JSON.stringify(value))}, version = ` +
    `${parameters.add(version)} WHERE id = ${parameters.add(id)}`
  await asked(ask, text, parameters)
}

/** The maximum number of rows that one statement removes. */
const maxCleared = 1_000

/**
 * Milliseconds between two removals of expired rows. If a removal leaves some of these rows, the
 * next one follows without this pause.
 */
const clearEvery = 60_000

/**
 * Returns a function that removes expired rows from time to time, without delaying a request.
 * Expired rows are ignored anyway, and only take up space. If the database client may be in a
 * transaction of the caller, the function removes nothing, because the rows would stay locked until
 * that transaction ends.
 */
export function clearingOf(
  database: Database,
  wait: Wait,
  warn: (message: string) => void,
): (table: IdempotencyTable) => void {
  let next = 0
  return (kept) => {
    const now = performance.now()
    if (database.mayBeNested || now < next) return
    next = now + clearEvery
    clearExpired(kept, database, wait).then(
      (more) => {
        if (more) next = 0
      },
      // There is a warning only for an error of the server that would probably occur again, such as
      // a missing privilege. After any other failure, such as a lost connection, a later call will
      // remove the rows.
      (error: unknown) => {
        if (failureKind(error) === 'other' && stateOf(error) !== undefined)
          warn(`The expired rows of ${kept.relation} cannot be removed: ${(error as Error).message}.`)
      },
    )
  }
}

/**
 * Deletes expired rows, except for those that another create is claiming. Resolves with true if
 * there may be more expired rows.
 */
async function clearExpired(
  { relation, distributed }: IdempotencyTable,
  database: Database,
  wait: Wait,
): Promise<boolean> {
  if (distributed) {
    // Citus does not support row locks across servers.
    await database.query(`DELETE FROM ${relation} WHERE expires_at <= now()`, [], wait)
    return false
  }
  const expired =
    `SELECT id FROM ${relation} WHERE expires_at <= now() ORDER BY expires_at LIMIT ${maxCleared} FOR ` +
    'UPDATE SKIP LOCKED'
  const gone = await database.query(`DELETE FROM ${relation} WHERE id IN (${expired}) RETURNING 1 AS c0`, [], wait)
  return gone.length === maxCleared
}

/**
 * The first 64 bits of the hash of an id, as a signed integer. If these bits are the same for two
 * ids, and their creates run at the same time, one of the creates results in `running`.
 */
const lockOf = (id: string): string => createHash('sha256').update(id).digest().readBigInt64BE().toString()

/**
 * Thrown if the unique index shows that another create has just taken the id. This can happen only
 * in a store whose advisory locks have no effect.
 */
export class Contested extends Error {
  override readonly name = 'Contested'
}

/**
 * Runs a statement on the table of kept records. If this table refuses a row, the client's record
 * is not at fault, so an ordinary error is thrown.
 */
async function asked(ask: StatementSender, text: string, parameters: Parameters) {
  try {
    return await ask.query(text, parameters)
  } catch (error) {
    if (stateOf(error) === '23505') throw new Contested('The id has just been taken.', { cause: error })
    if (failureKind(error) !== 'refused') throw error
    throw loggableError('The table of "idempotency" refuses a row.', { cause: error })
  }
}
