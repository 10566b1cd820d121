/**
 * PostgreSQL on three nodes under Patroni and etcd, behind HAProxy and PgBouncer, with Redis under
 * Sentinel and four service processes behind a second HAProxy: on loopback, in a temporary folder.
 * Needs the Debian packages patroni, etcd-server, haproxy, pgbouncer, postgresql and redis-server.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { idempotencyDdl } from '../../src/adapters/postgres/index.js'
import { type Runner, runner } from '../servers/binaries.js'
import { freePort } from '../servers/free-port.js'
import { type OwnSentinels, ownSentinels } from '../servers/own-sentinels.js'
import { startProxy, type TcpProxy } from '../servers/proxy.js'

const programs = ['patroni', 'etcd', 'haproxy', 'pgbouncer', 'redis-server'] as const

/** Seconds after which Patroni gives up a leader that is not heard of. */
export const ttl = 10

interface Node {
  readonly name: string
  /** Patroni and PostgreSQL end at once, as with their machine. */
  kill(): Promise<void>
  /** Patroni starts, and PostgreSQL with it. */
  start(): void
  /** A connection to its PostgreSQL, past all proxies. */
  query(text: string): Promise<Record<string, unknown>[]>
}

export interface Cluster {
  readonly nodes: readonly Node[]
  /** The address of the services. */
  readonly base: string
  /** The database through HAProxy and PgBouncer. */
  readonly databaseUrl: string
  readonly redis: OwnSentinels
  /** The node that is the primary, as Patroni has it. Waits until there is one. */
  primary(): Promise<Node>
  /** Waits until every node runs, and `standbys` of them are synchronous. */
  whole(): Promise<void>
  switchover(): Promise<void>
  /** Restarts all services, one after another, by SIGTERM. */
  rollServices(): Promise<void>
  /** How many services have ended without having been asked to. */
  deaths(): number
  remove(): Promise<void>
}

/** The programs that are not installed. */
const missing = (): readonly string[] =>
  [...programs, 'pg_basebackup'].filter((name) =>
    name === 'pg_basebackup' ? binFolder() === undefined : spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0,
  )

/** Where Debian puts the programs of PostgreSQL: the newest version with all of them. */
function binFolder(): string | undefined {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  return versions
    .map((version) => join(root, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'pg_rewind')) && existsSync(join(bin, 'pg_basebackup')))
}

class Processes {
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

  file(name: string, text: string): string {
    const path = join(this.folder, name)
    writeFileSync(path, text)
    if (this.as.uid !== undefined) chownSync(path, this.as.uid, this.as.gid ?? 0)
    return path
  }
}

/** Milliseconds that a state of the cluster is waited for. */
const patience = 60_000

async function until<T>(what: string, ask: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  const end = Date.now() + patience
  for (;;) {
    const found = await Promise.resolve(ask()).catch(() => undefined)
    if (found !== undefined && found !== false) return found as T
    if (Date.now() > end) throw new Error(`Not in ${patience} ms: ${what}.`)
    await sleep(200)
  }
}

/** Starts it, in about 15 seconds. Where that fails, nothing of it is left. */
export async function startCluster(): Promise<Cluster> {
  const lacking = missing()
  if (lacking.length > 0)
    throw new Error(
      `Not installed: ${lacking.join(', ')}. apt install patroni etcd-server haproxy pgbouncer postgresql redis-server`,
    )
  const undo: (() => unknown)[] = []
  const remove = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    return { ...(await started(undo)), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** What `undo` gets is to be called in the reverse order. */
async function started(undo: (() => unknown)[], services = 4): Promise<Omit<Cluster, 'remove'>> {
  const as = runner()
  const folder = mkdtempSync(join(tmpdir(), 'erc-ha-'))
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid ?? 0)
  undo.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const processes = new Processes(folder, as)
  undo.push(() => {
    for (const child of processes.all) child.kill('SIGKILL')
  })
  const bin = binFolder() as string

  const [etcdPort, etcdPeer, primaryPort, poolerPort, servicePort] = await ports(5)
  const etcdUrl = `http://127.0.0.1:${etcdPort}`
  const peers = `http://127.0.0.1:${etcdPeer}`
  processes.spawn('etcd', 'etcd', [
    ...[
      '--data-dir',
      join(folder, 'etcd'),
      '--listen-client-urls',
      etcdUrl,
      '--advertise-client-urls',
      etcdUrl,
      '--unsafe-no-fsync',
    ],
    ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers, '--initial-cluster', `default=${peers}`],
  ])
  await until('etcd answers', async () => (await fetch(`${etcdUrl}/health`)).ok)

  const made: Awaited<ReturnType<typeof node>>[] = []
  for (const index of [0, 1, 2]) made.push(await node(index))
  const nodes: readonly (Node & { readonly rest: string })[] = made
  const api = async (path: string, init?: RequestInit): Promise<Response> => {
    for (const { rest } of nodes) {
      const answer = await fetch(`${rest}${path}`, { ...init, signal: AbortSignal.timeout(2_000) }).catch(
        () => undefined,
      )
      if (answer !== undefined) return answer
    }
    throw new Error('No Patroni answers.')
  }
  const members = async () =>
    (
      (await (await api('/cluster')).json()) as {
        members: { name: string; role: string; state: string; lag?: number }[]
      }
    ).members
  const primary = (): Promise<Node> =>
    until('there is a primary', async () => {
      const leader = (await members()).find(({ role, state }) => role === 'leader' && state === 'running')
      return nodes.find(({ name }) => name === leader?.name)
    })
  const whole = async (): Promise<void> => {
    await until('all nodes run and one standby is synchronous', async () => {
      const all = await members()
      const replicas = all.filter(({ role, state }) => role !== 'leader' && /running|streaming/.test(state))
      const follows = replicas.every(({ lag = 0 }) => lag < 1_000_000)
      return (
        all.length === 3 && replicas.length === 2 && follows && replicas.some(({ role }) => role === 'sync_standby')
      )
    })
  }
  nodes[0]?.start()
  await primary()
  nodes[1]?.start()
  nodes[2]?.start()

  const haproxy = [
    'global\n  maxconn 2000\ndefaults\n  mode tcp\n  timeout connect 1s\n  timeout client 60s\n  timeout server 60s\n  timeout check 1s\n  default-server inter 300ms fall 2 rise 1',
    `listen primary\n  bind 127.0.0.1:${primaryPort}\n  option httpchk OPTIONS /primary\n  http-check expect status 200`,
    ...made.map(
      ({ name, proxyPort, restProxyPort }) =>
        `  server ${name} 127.0.0.1:${proxyPort} check port ${restProxyPort} on-marked-down shutdown-sessions`,
    ),
  ]
  const servicePorts = await ports(services)
  haproxy.push(
    `listen services\n  mode http\n  option redispatch\n  retries 3\n  retry-on conn-failure\n  bind 127.0.0.1:${servicePort}\n  option httpchk GET /live`,
  )
  for (const port of servicePorts) haproxy.push(`  server s${port} 127.0.0.1:${port} check`)
  processes.spawn('haproxy', 'haproxy', ['-db', '-f', processes.file('haproxy.cfg', `${haproxy.join('\n')}\n`)])

  processes.file(
    'pgbouncer.ini',
    [
      `[databases]\nha = host=127.0.0.1 port=${primaryPort} dbname=ha user=postgres`,
      `[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${poolerPort}\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 30`,
      'max_client_conn = 500\nserver_login_retry = 1\nserver_connect_timeout = 2\nserver_check_delay = 0\nserver_lifetime = 60\nquery_wait_timeout = 5\nunix_socket_dir =\n',
    ].join('\n'),
  )
  processes.spawn('pgbouncer', 'pgbouncer', ['pgbouncer.ini'])
  const databaseUrl = `postgres://postgres@127.0.0.1:${poolerPort}/ha`

  await whole()
  const leader = await primary()
  await leader.query('CREATE DATABASE ha')
  const direct = `postgres://postgres@127.0.0.1:${primaryPort}/ha`
  await until('HAProxy leads to the primary', () => sqlOf(direct, schema).then(() => true))

  const redis = await ownSentinels()
  undo.push(() => redis.remove())
  let unexpected = 0
  const startService = async (port: number): Promise<ChildProcess> => {
    const child = processes.spawn(
      `service-${port}`,
      process.execPath,
      [fileURLToPath(new URL('service.mjs', import.meta.url))],
      {
        asPostgres: false,
        env: {
          DATABASE_URL: databaseUrl,
          PORT: String(port),
          SENTINELS: JSON.stringify(redis.sentinels),
          MASTER: redis.name,
        },
      },
    )
    child.once('exit', (code) => {
      if (code !== 0 && undo.length > 0) unexpected++
    })
    await until('a service listens', async () => (await fetch(`http://127.0.0.1:${port}/live`)).ok)
    return child
  }
  const running = new Map<number, ChildProcess>()
  for (const port of servicePorts) running.set(port, await startService(port))
  const base = `http://127.0.0.1:${servicePort}`
  await until('the services answer', async () => (await fetch(`${base}/v1/contadores`)).ok)

  return {
    nodes,
    base,
    databaseUrl: direct,
    redis,
    primary,
    whole,
    async switchover() {
      const { name } = await primary()
      const answer = await api('/switchover', {
        method: 'POST',
        body: JSON.stringify({ leader: name }),
        signal: AbortSignal.timeout(30_000),
      }).catch(() => undefined)
      void answer
      await until('another primary', async () => (await primary()).name !== name)
    },
    async rollServices() {
      for (const [port, child] of running) {
        await processes.end(child, 'SIGTERM')
        running.set(port, await startService(port))
      }
    },
    deaths: () => unexpected,
  }

  async function node(index: number) {
    const name = `n${index}`
    const [port, rest] = await ports(2)
    const links = await Promise.all([port, rest, etcdPort].map((target) => startProxy({ port: target as number })))
    for (const link of links) undo.push(() => link.close())
    const [toServer, toRest, toEtcd] = links as [TcpProxy, TcpProxy, TcpProxy]
    const data = join(folder, name)
    mkdirSync(data, { mode: 0o700 })
    if (as.uid !== undefined) chownSync(data, as.uid, as.gid ?? 0)
    const config = processes.file(
      `${name}.json`,
      JSON.stringify({
        scope: 'ha',
        name,
        restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${toRest.port}` },
        etcd3: { host: `127.0.0.1:${toEtcd.port}` },
        bootstrap: {
          dcs: {
            ttl,
            loop_wait: 2,
            retry_timeout: 3,
            primary_start_timeout: 0,
            maximum_lag_on_failover: 1_048_576,
            synchronous_mode: true,
            synchronous_mode_strict: true,
            postgresql: {
              use_pg_rewind: true,
              parameters: {
                max_connections: 100,
                wal_keep_size: '256MB',
                wal_log_hints: 'on',
                fsync: 'off',
                unix_socket_directories: '',
              },
            },
          },
          initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'no-sync'],
          pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
        },
        postgresql: {
          listen: `127.0.0.1:${port}`,
          connect_address: `127.0.0.1:${toServer.port}`,
          data_dir: join(data, 'data'),
          bin_dir: bin,
          use_unix_socket: false,
          pgpass: join(data, 'pgpass'),
          authentication: {
            superuser: { username: 'postgres' },
            replication: { username: 'replicator' },
            rewind: { username: 'postgres' },
          },
          parameters: { fsync: 'off', unix_socket_directories: '' },
        },
        watchdog: { mode: 'off' },
      }),
    )
    let patroni: ChildProcess | undefined
    undo.push(() => signal('SIGKILL'))
    const server = (): number | undefined => {
      const file = join(data, 'data', 'postmaster.pid')
      const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined
      return pid !== undefined && isServer(pid, data) ? pid : undefined
    }
    const signal = (what: NodeJS.Signals): void => {
      const pid = server()
      for (const one of [patroni?.pid, pid, ...(pid === undefined ? [] : childrenOf(pid))]) {
        try {
          if (one !== undefined) process.kill(one, what)
        } catch {
          // It has ended.
        }
      }
    }
    return {
      name,
      rest: `http://127.0.0.1:${rest}`,
      proxyPort: toServer.port,
      restProxyPort: toRest.port,
      start() {
        patroni = processes.spawn(name, 'patroni', [config])
      },
      async kill() {
        signal('SIGKILL')
        if (patroni !== undefined) await processes.end(patroni, 'SIGKILL')
        patroni = undefined
      },
      query: (sql: string) => sqlOf(`postgres://postgres@127.0.0.1:${port}/postgres`, sql),
    }
  }
}

const schema = `
  CREATE TABLE IF NOT EXISTS contadores (id text PRIMARY KEY, valor int NOT NULL, version uuid NOT NULL DEFAULT gen_random_uuid());
  CREATE TABLE IF NOT EXISTS envios (numero int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, clave text NOT NULL, version uuid NOT NULL DEFAULT gen_random_uuid());
  CREATE TABLE IF NOT EXISTS outbox (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, clave text NOT NULL);
  ${idempotencyDdl({ table: 'idempotency_keys' })}`

async function ports(count: number): Promise<number[]> {
  const found = new Set<number>()
  while (found.size < count) found.add(await freePort())
  return [...found]
}

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

/** Whether the process is the server over this folder, and not another that got its number. */
function isServer(pid: number, data: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(data)
  } catch {
    return false
  }
}

const childrenOf = (pid: number): number[] => {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  return stdout.trim().split(/\s+/).filter(Boolean).map(Number)
}
