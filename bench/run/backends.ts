/** The CPU of PostgreSQL backends, if they run on this machine and it can be read. */
import { readFileSync } from 'node:fs'
import pg from 'pg'

/** Microseconds so far, by process. */
export type Usage = ReadonlyMap<number, number>

/** The same database, for connections that have this name in `pg_stat_activity`. */
export function named(database: string, name: string): string {
  const url = new URL(database)
  url.searchParams.set('application_name', name)
  return url.href
}

/** Lists the backends over its own connection. */
export class Backends {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async connect(database: string): Promise<Backends> {
    const client = new pg.Client({ connectionString: database })
    client.on('error', () => {}) // queries report their own errors
    await client.connect()
    return new Backends(client)
  }

  /** The backends' value for connections of this name; `undefined` if one of them can't be read. */
  async usage(name: string): Promise<Usage | undefined> {
    const { rows } = await this.#client.query<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE application_name = $1',
      [name],
    )
    try {
      return new Map(rows.map(({ pid }) => [pid, cpuOf(pid)]))
    } catch {
      return undefined
    }
  }

  end(): Promise<void> {
    return this.#client.end()
  }
}

/**
 * The time used between two readings; a backend that started in between has used all of its time.
 */
export function spent(before: Usage | undefined, after: Usage | undefined): number | undefined {
  if (before === undefined || after === undefined) return undefined
  return [...after].reduce((sum, [pid, cpu]) => sum + cpu - (before.get(pid) ?? 0), 0)
}

/**
 * The CPU time in microseconds. It is read from `schedstat`, which has a resolution of nanoseconds;
 * `stat` has hundredths of a second. Throws if the process does not exist, or is not a PostgreSQL
 * process: a server on another machine has other process ids.
 */
export function cpuOf(pid: number): number {
  if (!readFileSync(`/proc/${pid}/comm`, 'latin1').startsWith('postgres'))
    throw new Error(`Process ${pid} is not a PostgreSQL process.`)
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1000
}
