/** Reads the CPU time of PostgreSQL backends, if they run on this machine. */
import { readFileSync } from 'node:fs'
import pg from 'pg'

/** CPU time so far in microseconds, by process id. */
export type Usage = ReadonlyMap<number, number>

/**
 * Adds an application name to the URL of a database. Connections to the returned URL have this name
 * in `pg_stat_activity`.
 */
export function named(database: string, name: string): string {
  const url = new URL(database)
  url.searchParams.set('application_name', name)
  return url.href
}

/**
 * Reads the CPU times of PostgreSQL backends. Lists the backends over a connection of its own.
 */
export class Backends {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async connect(database: string): Promise<Backends> {
    const client = new pg.Client({ connectionString: database })
    client.on('error', () => {}) // If the connection is lost, the queries reject.
    await client.connect()
    return new Backends(client)
  }

  /**
   * Returns the CPU times of the backends whose connections have the application name `name`.
   * Returns `undefined` if one of the times cannot be read.
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
 * Returns the CPU time that was used between two readings. For a backend that started in between,
 * all of its CPU time counts.
 */
export function spent(before: Usage | undefined, after: Usage | undefined): number | undefined {
  if (before === undefined || after === undefined) return undefined
  return [...after].reduce((sum, [pid, cpu]) => sum + cpu - (before.get(pid) ?? 0), 0)
}

/**
 * Returns the CPU time of a process in microseconds. It is read from `schedstat`, which has a
 * resolution of nanoseconds. `stat` has only hundredths of a second. Throws if this machine has no
 * PostgreSQL process with this id, for example because PostgreSQL runs on another machine.
 */
export function cpuOf(pid: number): number {
  if (!readFileSync(`/proc/${pid}/comm`, 'latin1').startsWith('postgres'))
    throw new Error(`Process ${pid} is not a PostgreSQL process.`)
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1000
}
