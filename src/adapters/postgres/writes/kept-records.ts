/**
 * What creates with an `Idempotency-Key` made, as it was then, in a table beside the resource's:
 * kept in the transaction of the create itself (VERB-12).
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
 * Creates by `work` unless the id is kept already, and keeps what comes of it, all in one transaction. The id is claimed before anything else is written: an equal
 * create that is under way is told apart from a record whose key is taken. Who comes meanwhile does not wait, where the store has locks; the primary key is what holds.
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
 * What is kept under an id; `undefined` where nothing is, or no longer. A row that is found is
 * locked, which writes to the server's log: the statement ends when the synchronous standbys have
 * that, and so the create before it. Without the lock, a repeat would acknowledge what a failover
 * can undo. The lock conflicts with no other statement here except the removal of expired rows, and
 * a row that is not found costs nothing.
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
 * Whether the id is ours: it is in no row, or its row has expired. An expired row is taken over by a statement of
 * its own: Citus takes no condition on the time in `ON CONFLICT`.
 */
export async function claim(kept: KeptRecords, idempotency: Idempotency, ask: Ask): Promise<boolean> {
  return (await insertClaim(kept, idempotency, ask)) || (await takeOver(kept, idempotency, ask))
}

async function insertClaim(
  { relation, ttl, lock, distributed }: KeptRecords,
  { id, fingerprint }: Idempotency,
  ask: Ask,
): Promise<boolean> {
  // Citus would first store what a SELECT gives, and insert that by another statement.
  if (distributed && lock && !(await tryLock(id, ask))) return false
  const parameters = new Parameters()
  // A row that was committed after this statement's snapshot is a conflict too: what is kept is never passed over, however late the lock was had.
  const locked =
    lock && !distributed
      ? ` FROM (SELECT pg_try_advisory_xact_lock(${parameters.add(lockOf(id), 'bigint')}) AS got OFFSET 0) AS _l WHERE _l.got`
      : ''
  const values = `${parameters.add(id)}, ${parameters.add(fingerprint)}, '', '', now() + ${parameters.add(ttl, 'interval')}`
  const row = distributed ? `VALUES (${values})` : `SELECT ${values}${locked}`
  const text = `INSERT INTO ${relation} AS _k (id, fingerprint, record, version, expires_at) ${row} ON CONFLICT (id) DO NOTHING RETURNING _k.id AS c0`
  return (await asked(ask, text, parameters)).length > 0
}

/** Takes over a row that has expired. Does not wait for another create that is doing so, where the store has locks. */
async function takeOver(kept: KeptRecords, { id, fingerprint }: Idempotency, ask: Ask): Promise<boolean> {
  const { relation, lock } = kept
  const looking = new Parameters()
  const expired = `SELECT 1 AS c0 FROM ${relation} WHERE id = ${looking.add(id)} AND expires_at <= now()`
  if ((await asked(ask, expired, looking)).length === 0) return false
  if (lock && !(await tryLock(id, ask))) return false
  return renew(kept, { id, fingerprint }, ask)
}

/** Whether no other transaction has the lock of an id. One that has it already gets it again. A probe gets no row, and goes on. */
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

/** Keeps the record under its id, which is claimed already. */
export async function keep(
  { relation }: KeptRecords,
  { id }: Idempotency,
  { value, version }: Stored<Row>,
  ask: Ask,
): Promise<void> {
  const parameters = new Parameters()
  // JSON as text: numbers, and the order of members, stay what they are.
  const text = `UPDATE ${relation} SET record = ${parameters.add(JSON.stringify(value))}, version = ${parameters.add(version)} WHERE id = ${parameters.add(id)}`
  await asked(ask, text, parameters)
}

/** How many rows one statement clears at most. */
const mostCleared = 1_000

/** Milliseconds between two looks at what has expired. */
const clearEvery = 60_000

/**
 * Clears what has expired, now and then and in nobody's time: it is as good as gone, and only takes room. In a transaction of the caller's it would hold its rows, so
 * nothing is cleared there.
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
      // A connection that is lost, or a pool that has ended, clears another time.
      (error: unknown) => {
        if (failureKind(error) === 'other' && stateOf(error) !== undefined)
          warn(`What has expired in ${kept.relation} can not be cleared: ${(error as Error).message}.`)
      },
    )
  }
}

/** Deletes rows that have expired, but none that somebody is just claiming. Resolves with whether there may be more. */
async function clearExpired({ relation, distributed }: KeptRecords, database: Database, wait: Wait): Promise<boolean> {
  if (distributed) {
    // Citus locks no rows over several servers.
    await database.query(`DELETE FROM ${relation} WHERE expires_at <= now()`, [], wait)
    return false
  }
  const expired = `SELECT id FROM ${relation} WHERE expires_at <= now() ORDER BY expires_at LIMIT ${mostCleared} FOR UPDATE SKIP LOCKED`
  const gone = await database.query(`DELETE FROM ${relation} WHERE id IN (${expired}) RETURNING 1 AS c0`, [], wait)
  return gone.length === mostCleared
}

/** Sixty-four bits of an id, as the server counts them. Two ids with the same ones make each other wait, and no more. */
const lockOf = (id: string): string => createHash('sha256').update(id).digest().readBigInt64BE().toString()

/** Thrown where the table itself says that the id has just been taken: by a store whose locks do nothing. */
export class Contested extends Error {
  override readonly name = 'Contested'
}

/** What this table refuses is none of the record's faults. */
async function asked(ask: Ask, text: string, parameters: Parameters) {
  try {
    return await ask.query(text, parameters)
  } catch (error) {
    if (stateOf(error) === '23505') throw new Contested('The id has just been taken.', { cause: error })
    if (failureKind(error) !== 'refused') throw error
    throw new Error('The table that keeps what may be repeated refuses a row.', { cause: error })
  }
}
