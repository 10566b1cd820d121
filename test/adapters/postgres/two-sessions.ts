/**
 * A database schema, a pool for requests to the database, and another session that locks rows
 * during a request.
 */
import pg from 'pg'
import { freshSchema } from '../../servers/databases.js'

export interface TwoSessions {
  readonly pool: pg.Pool
  /** Runs statements in a third session. Returns the rows of the last statement. */
  sql(text: string): Promise<Record<string, unknown>[]>
  /** Empties the schema, and runs the given statements. */
  reset(text: string): Promise<void>
  /**
   * Runs SQL in a transaction of another session, and then starts the request. Commits the
   * transaction when it blocks the request, or when the request has ended.
   */
  concurrently<T>(text: string, request: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

export async function twoSessions(): Promise<TwoSessions> {
  const place = await freshSchema()
  const connected = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: place.url })
    await client.connect()
    return client
  }
  const pool = new pg.Pool({ connectionString: place.url, max: 4 })
  const other = await connected()
  const third = await connected()
  const { pid } = (await other.query('SELECT pg_backend_pid() AS pid')).rows[0]
  const sql = async (text: string): Promise<Record<string, unknown>[]> =>
    [await third.query(text)].flat().at(-1)?.rows ?? []
  return {
    pool,
    sql,
    async reset(text) {
      await other.query('ROLLBACK')
      await sql(`DROP SCHEMA IF EXISTS ${place.name} CASCADE; CREATE SCHEMA ${place.name}; ${text}`)
    },
    async concurrently(text, request) {
      await other.query(`BEGIN; ${text}`)
      let isOver = false
      const asked = request().finally(() => {
        isOver = true
      })
      asked.catch(() => undefined)
      const waiting = `SELECT FROM pg_stat_activity WHERE ${pid} = ANY (pg_blocking_pids(pid))`
      while (!isOver && (await sql(waiting)).length === 0);
      await other.query('COMMIT')
      return asked
    },
    async close() {
      await other.end()
      await third.end()
      await pool.end()
      await place.drop()
    },
  }
}
