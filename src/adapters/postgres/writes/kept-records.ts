/**
 * Keeps the records that creates with an `Idempotency-Key` made, in their original state, in a
 * separate table, within the transaction of the create (VERB-12).
 */

import { createHash } from 'node:crypto'
import type { Idempotency, Repeated, Stored } from '../../contract.js'
import type { Database, Wait } from '../connections/client.js'
import { failureKind, stateOf } from '../connections/failures.js'
import type { Ask } from '../sql/ask.js'
import { Parameters } from '../sql/sql.js'
import type { KeptRecords } from '../table/kept-table.js'

type Row = Record<string, unknown>

/**
 * Creates a record by `work` unless the id is kept already, and keeps the result, all in one
 * transaction. The id is claimed before anything else is written, which distinguishes an equal
 * create in progress from a record whose key is taken. If the store has advisory locks, concurrent
 * creates do not wait. The primary key guarantees uniqueness in any case.
 */
export async function keeping<R extends object | Repeated>(
  kept: KeptRecords,
  idempotency: Idempotency,
  ask: Ask,
  work: () => Promise<R>,
): Promise<R | { readonly created: Stored<Row> } | Repeated> {
  if (!(await claim(kept, idempotency, ask))) {
    const known = (await recall(kept, idempotency, ask)) ?? 'running'
    return typeof known === 'string' ? known : { created: known }
  }
  const result = await work()
  if (typeof result === 'object' && 'created' in result)
    await keep(kept, idempotency, result.created as Stored<Row>, ask)
  return result
}

/**
 * The record that is kept under an id; `undefined` if there is none, or it has expired. The row is
 * locked, which writes to the server's log. So the statement ends only when the synchronous
 * standbys have that entry, and with it the earlier create. Without the lock, a repeat could
 * acknowledge a record that a failover undoes. The lock conflicts with no other statement here
 * except the removal of expired rows, and costs nothing if there is no row.
 */
export async function recall(
  kept: KeptRecords,
  { id, fingerprint }: Idempotency,
  ask: Ask,
): Promise<Stored<Row> | Repeated | undefined> {
  const parameters = new Parameters()
  const text = `SELECT fingerprint AS c0, record AS c1, version AS c2 FROM ${kept.relation} WHERE id = ${parameters.add(id)} AND expires_at > now() FOR KEY SHARE`
  const [found] = await asked(ask, text, parameters)
  if (found === undefined) return undefined
  if (found.c0 !== fingerprint) return 'mismatched'
  return { value: JSON.parse(found.c1 as string) as Row, version: found.c2 as string }
}

/**
 * Whether the id was claimed: it is in no row, or its row has expired. A separate statement takes
 * over an expired row, because Citus supports no condition on the time in `ON CONFLICT`.
 */
export async function claim(kept: KeptRecords, idempotency: Idempotency, ask: Ask): Promise<boolean> {
  return (await insertClaim(kept, idempotency, ask)) || (await takeOver(kept, idempotency, ask))
}

async function insertClaim(
  { relation, ttl, lock, distributed }: KeptRecords,
  { id, fingerprint }: Idempotency,
  ask: Ask,
): Promise<boolean> {
  // Citus would first store the result of a SELECT, and insert it by another statement.
  if (distributed && lock && !(await tryLock(id, ask))) return false
  const parameters = new Parameters()
  // A row that was committed after this statement's snapshot is a conflict too. So a kept record is
  // never overwritten, however late the lock was granted.
  const locked =
    lock && !distributed
      ? ` FROM (SELECT pg_try_advisory_xact_lock(${parameters.add(lockOf(id), 'bigint')}) AS got OFFSET 0) AS _l WHERE _l.got`
      : ''
  const values = `${parameters.add(id)}, ${parameters.add(fingerprint)}, '', '', now() + ${parameters.add(ttl, 'interval')}`
  const row = distributed ? `VALUES (${values})` : `SELECT ${values}${locked}`
  const text = `INSERT INTO ${relation} AS _k (id, fingerprint, record, version, expires_at) ${row} ON CONFLICT (id) DO NOTHING RETURNING _k.id AS c0`
  return (await asked(ask, text, parameters)).length > 0
}

/**
 * Takes over an expired row. If the store has advisory locks, does not wait for another create that
 * is doing the same.
 */
async function takeOver(kept: KeptRecords, { id, fingerprint }: Idempotency, ask: Ask): Promise<boolean> {
  const { relation, lock } = kept
  const looking = new Parameters()
  const expired = `SELECT 1 AS c0 FROM ${relation} WHERE id = ${looking.add(id)} AND expires_at <= now()`
  if ((await asked(ask, expired, looking)).length === 0) return false
  if (lock && !(await tryLock(id, ask))) return false
  return renew(kept, { id, fingerprint }, ask)
}

/**
 * Whether the lock of an id is free. A transaction that already holds it gets it again. A probe
 * returns no row and continues.
 */
async function tryLock(id: string, ask: Ask): Promise<boolean> {
  const parameters = new Parameters()
  const text = `SELECT pg_try_advisory_xact_lock(${parameters.add(lockOf(id), 'bigint')})::text AS c0`
  const [got] = await asked(ask, text, parameters)
  return got === undefined || got.c0 === 'true'
}

/** The last statement of `takeOver`. */
export async function renew(
  { relation, ttl }: KeptRecords,
  { id, fingerprint }: Idempotency,
  ask: Ask,
): Promise<boolean> {
  const parameters = new Parameters()
  const set = `fingerprint = ${parameters.add(fingerprint)}, record = '', version = '', expires_at = now() + ${parameters.add(ttl, 'interval')}`
  const text = `UPDATE ${relation} SET ${set} WHERE id = ${parameters.add(id)} AND expires_at <= now() RETURNING id AS c0`
  return (await asked(ask, text, parameters)).length > 0
}

/** Stores the record under its id, which must be claimed already. */
export async function keep(
  { relation }: KeptRecords,
  { id }: Idempotency,
  { value, version }: Stored<Row>,
  ask: Ask,
): Promise<void> {
  const parameters = new Parameters()
  // Stored as JSON text, which keeps numbers and the order of members unchanged.
  const text = `UPDATE ${relation} SET record = ${parameters.add(JSON.stringify(value))}, version = ${parameters.add(version)} WHERE id = ${parameters.add(id)}`
  await asked(ask, text, parameters)
}

/** The maximum number of rows that one statement removes. */
const maxCleared = 1_000

/** Milliseconds between two removals of expired rows. */
const clearEvery = 60_000

/**
 * Returns a function that removes expired rows from time to time, without delaying a request.
 * Expired rows are ignored anyway, and only take up space. Within a transaction of the caller's
 * nothing is removed, because the rows would stay locked.
 */
export function clearingOf(
  database: Database,
  wait: Wait,
  warn: (message: string) => void,
): (kept: KeptRecords) => void {
  let next = 0
  return (kept) => {
    const now = performance.now()
    if (database.nested || now < next) return
    next = now + clearEvery
    clearExpired(kept, database, wait).then(
      (more) => {
        if (more) next = 0
      },
      // After a lost connection, or when the pool has ended, another call will remove them.
      (error: unknown) => {
        if (failureKind(error) === 'other' && stateOf(error) !== undefined)
          warn(`The expired rows of ${kept.relation} cannot be removed: ${(error as Error).message}.`)
      },
    )
  }
}

/**
 * Deletes expired rows, except for those that another create is claiming. Resolves with whether
 * there may be more.
 */
async function clearExpired({ relation, distributed }: KeptRecords, database: Database, wait: Wait): Promise<boolean> {
  if (distributed) {
    // Citus supports no row locks across servers.
    await database.query(`DELETE FROM ${relation} WHERE expires_at <= now()`, [], wait)
    return false
  }
  const expired = `SELECT id FROM ${relation} WHERE expires_at <= now() ORDER BY expires_at LIMIT ${maxCleared} FOR UPDATE SKIP LOCKED`
  const gone = await database.query(`DELETE FROM ${relation} WHERE id IN (${expired}) RETURNING 1 AS c0`, [], wait)
  return gone.length === maxCleared
}

/**
 * The first 64 bits of the hash of an id, as a signed integer. If two ids have the same bits, their
 * creates only wait for each other.
 */
const lockOf = (id: string): string => createHash('sha256').update(id).digest().readBigInt64BE().toString()

/**
 * Thrown if the unique index shows that the id has just been taken, in a store whose advisory locks
 * have no effect.
 */
export class Contested extends Error {
  override readonly name = 'Contested'
}

/**
 * Runs a statement on this table. A refusal does not concern the record, so it becomes an ordinary
 * error.
 */
async function asked(ask: Ask, text: string, parameters: Parameters) {
  try {
    return await ask.query(text, parameters)
  } catch (error) {
    if (stateOf(error) === '23505') throw new Contested('The id has just been taken.', { cause: error })
    if (failureKind(error) !== 'refused') throw error
    throw new Error('The table of "idempotency" refuses a row.', { cause: error })
  }
}
