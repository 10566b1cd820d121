/**
 * The publisher's connection to the database. The connection holds the lock that makes this process
 * the only publisher.
 */
import { performance } from 'node:perf_hooks'
import pg from 'pg'
import type { ChangeMessage } from './message.js'

/** The timeout of a statement, in milliseconds. */
const statementTimeout = 8_000

/** A change whose message the broker refuses, with the reason. */
export interface Refusal {
  readonly position: number
  readonly reason: string
}

export interface DatabaseSession {
  /** Aborted when the session is lost. */
  readonly lost: AbortSignal
  /**
   * Returns true only if the session certainly still exists. In this case, the session also still
   * holds any lock that it has acquired. After a long pause of the process, returns false until a
   * query shows that the session still exists.
   */
  holds(): boolean
  /** Acquires the lock if it is free. Resolves to true if this session holds the lock. */
  lock(): Promise<boolean>
  /**
   * Returns at most `limit` unpublished changes, oldest first. If a change of a record is waiting
   * for another attempt, all changes of this record are omitted.
   */
  unpublished(limit: number): Promise<readonly ChangeMessage[]>
  mark(positions: readonly number[]): Promise<void>
  postpone(refusals: readonly Refusal[]): Promise<void>
  /** Deletes up to 1,000 changes that were published more than `days` days ago. */
  sweep(days: number): Promise<void>
  close(): Promise<void>
}

// Each change has its own state. A single mark such as "published up to position 17" would skip
// position 16 if the transaction of position 16 commits after position 17 was published.
const unpublished = `
SELECT position, id, collection, key, action, parent, before, after, actor, request, at
FROM changes c
WHERE published_at IS NULL AND NOT EXISTS (
  SELECT FROM changes r WHERE r.collection = c.collection AND r.key = c.key AND r.published_at IS NULL AND r.retry_at > now()
)
ORDER BY position LIMIT $1`

const mark = `UPDATE changes SET published_at = now(), error = NULL, retry_at = NULL WHERE position = ANY($1::bigint[])`

const postpone = `
UPDATE changes SET attempts = attempts + 1, error = $2, retry_at = now() + least(power(2, least(attempts, 20)), 300) * interval '1 second'
WHERE position = $1`

// Only the oldest thousand rows are checked, so that a sweep that finds nothing is cheap.
const sweep = `
DELETE FROM changes WHERE position IN (
  SELECT position FROM (SELECT position, published_at FROM changes ORDER BY position LIMIT 1000) o
  WHERE published_at < now() - $1 * interval '1 day'
)`

/**
 * Connects. Rejects if the database does not respond. If the server receives nothing for `lease`
 * milliseconds, the server ends the session and thereby releases the lock. This happens if the
 * process is paused or its host is lost.
 */
export async function openDatabaseSession(connectionString: string, lease = 10_000): Promise<DatabaseSession> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: 5_000,
    statement_timeout: statementTimeout,
    query_timeout: statementTimeout + 1_000,
    application_name: 'outbox publisher',
  })
  const lost = new AbortController()
  const lose = (cause: unknown): void => lost.abort(cause)
  client.on('error', lose)
  client.on('end', () => lose(new Error('The database closed the connection.')))

  let sentAt = Number.NEGATIVE_INFINITY
  const run = async <R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> => {
    const sending = performance.now()
    try {
      const { rows } = await client.query<R>(text, values)
      sentAt = sending
      return rows
    } catch (error) {
      lose(error)
      throw error
    }
  }

  let beating: NodeJS.Timeout | undefined
  const close = async (): Promise<void> => {
    clearInterval(beating)
    await client.end().catch(() => {})
  }
  try {
    await client.connect()
    await run(`SET idle_session_timeout = ${lease}`)
  } catch (error) {
    await close()
    throw error
  }
  beating = setInterval(() => run('SELECT 1').catch(() => {}), lease / 5)

  return {
    lost: lost.signal,
    // `sentAt` is the time at which the last successful query was sent. The server counts the idle
    // time from its response to this query, which is later. Therefore, `holds()` becomes false
    // before the server ends the session.
    holds: () => !lost.signal.aborted && performance.now() - sentAt < lease / 2,
    async lock() {
      const [row] = await run<{ locked: boolean }>(
        "SELECT pg_try_advisory_lock(hashtextextended('outbox:' || 'changes'::regclass::oid, 0)) AS locked",
      )
      return row?.locked === true
    },
    async unpublished(limit) {
      const rows = await run<ChangeMessage & { position: string; at: Date } & pg.QueryResultRow>(unpublished, [limit])
      return rows.map(({ position, id, at, ...rest }) => ({
        id,
        position: Number(position),
        ...rest,
        at: at.toISOString(),
      }))
    },
    async mark(positions) {
      if (positions.length > 0) await run(mark, [positions])
    },
    async postpone(refusals) {
      for (const { position, reason } of refusals) await run(postpone, [position, reason])
    },
    async sweep(days) {
      await run(sweep, [days])
    },
    close,
  }
}
