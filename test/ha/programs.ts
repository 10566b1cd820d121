/** The programs of the cluster, and the processes that run them. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, openSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Runner } from '../servers/binaries.js'
import { freePort } from '../servers/free-port.js'

const programs = ['patroni', 'etcd', 'haproxy', 'pgbouncer', 'redis-server'] as const

/** Returns the names of the programs that are not installed. */
export const missingPrograms = (): readonly string[] =>
  [...programs, 'pg_basebackup'].filter((name) =>
    name === 'pg_basebackup' ? binFolder() === undefined : spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0,
  )

/**
 * Returns the folder in which Debian installs the programs of PostgreSQL. If several versions are
 * installed, returns the folder of the newest version that has all programs.
 */
export function binFolder(): string | undefined {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  return versions
    .map((version) => join(root, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'pg_rewind')) && existsSync(join(bin, 'pg_basebackup')))
}

/** The processes of one cluster. Each writes a log file in the folder of the cluster. */
export class Processes {
  readonly all = new Set<ChildProcess>()

  constructor(
    readonly folder: string,
    readonly as: Runner,
  ) {}

  spawn(
    name: string,
    command: string,
    args: readonly string[],
    { asPostgres = true, env = {} }: { asPostgres?: boolean; env?: NodeJS.ProcessEnv } = {},
  ): ChildProcess {
    const log = openSync(join(this.folder, `${name}.log`), 'a')
    const kept = Object.entries(process.env).filter(([key]) => !/^(PG|PATRONI|ETCD|DATABASE_URL)/.test(key))
    const child = spawn(command, [...args], {
      ...(asPostgres ? this.as : {}),
      cwd: this.folder,
      env: { ...Object.fromEntries(kept), LC_ALL: 'C.UTF-8', HOME: this.folder, ...env },
      stdio: ['ignore', log, log],
    })
    this.all.add(child)
    child.once('exit', () => this.all.delete(child))
    return child
  }

  async end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }

  /** Writes a file that the processes can read. Returns its path. */
  file(name: string, text: string): string {
    const path = join(this.folder, name)
    writeFileSync(path, text)
    if (this.as.uid !== undefined) chownSync(path, this.as.uid, this.as.gid ?? 0)
    return path
  }
}

/** Maximum time to wait for a state of the cluster, in milliseconds. */
const timeout = 60_000

/**
 * Calls the function every 200 ms, until its result is neither `undefined` nor `false`. A call that
 * throws counts as a call without a result.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const end = Date.now() + timeout
  for (;;) {
    const found = await Promise.resolve()
      .then(ask)
      .catch(() => undefined)
    if (found !== undefined && found !== false) return found as T
    if (Date.now() > end) throw new Error(`This did not happen within ${timeout} ms: ${what}.`)
    await sleep(200)
  }
}

/** Returns `count` different free ports. */
export async function ports(count: number): Promise<number[]> {
  const found = new Set<number>()
  while (found.size < count) found.add(await freePort())
  return [...found]
}

/** Runs SQL on a new connection. Returns the rows of the last statement. */
export async function sqlOf(
  connectionString: string,
  text: string,
  timeout = 10_000,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: Math.min(timeout, 3_000),
    query_timeout: timeout,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const result = await client.query(text)
    return (Array.isArray(result) ? result.at(-1) : result).rows
  } finally {
    await client.end().catch(() => {})
  }
}
