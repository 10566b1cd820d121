/**
 * The CPU that backends of PostgreSQL take, where they run on this machine and their clocks can be
 * read.
 */
import { readFileSync } from 'node:fs'
import pg from 'pg'

/** Microseconds so far, by process. */
export type Usage = ReadonlyMap<number, number>

/** The same database, by connections that `pg_stat_activity` shows under this name. */
export function named(database: string, name: string): string {
  const url = new URL(database)
  url.searchParams.set('application_name', name)
  return url.href
}

/** Asks for the backends over a connection of its own. */
export class Backends {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async connect(database: string): Promise<Backends> {
    const client = new pg.Client({ connectionString: database })
    client.on('error', () => {}) // what a query meets is told by the query
    await client.connect()
    return new Backends(client)
  }

  /**
   * Of the backends that serve connections of this name; `undefined` where one of them can't be
   * read.
   */
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
 * What was used from one reading to the next; a backend that was not there at first has used all of
 * its own since.
 */
export function spent(before: Usage | undefined, after: Usage | undefined): number | undefined {
  if (before === undefined || after === undefined) return undefined
  return [...after].reduce((sum, [pid, cpu]) => sum + cpu - (before.get(pid) ?? 0), 0)
}

/**
 * The time on a core, in microseconds. It is read from `schedstat`, which counts nanoseconds; `stat`
 * counts hundredths of a second. Throws where the process is not there, or is none of PostgreSQL's:
 * a server on another machine has numbers of its own.
 */
export function cpuOf(pid: number): number {
  if (!readFileSync(`/proc/${pid}/comm`, 'latin1').startsWith('postgres'))
    throw new Error(`Process ${pid} is none of PostgreSQL's.`)
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1000
}
