/**
 * A cluster of three PostgreSQL nodes under Patroni and etcd, behind HAProxy and PgBouncer. Redis
 * runs under Sentinel. Four service processes run behind the same HAProxy. Everything is on the
 * loopback interface, in a temporary folder. Needs the Debian packages patroni, etcd-server,
 * haproxy, pgbouncer, postgresql and redis-server.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { idempotencyDdl } from '../../src/adapters/postgres/index.js'
import { runner } from '../servers/binaries.js'
import { type OwnSentinels, ownSentinels } from '../servers/own-sentinels.js'
import { type ClusterNode, makeNode, type Node } from './node.js'
import { binFolder, missingPrograms, Processes, ports, sqlOf, until } from './programs.js'
import { haproxySettings, pgbouncerSettings } from './proxies.js'

export interface ClusterOptions {
  /** Whether commits wait for a standby. Default true. */
  readonly synchronous?: boolean
}

export interface Cluster {
  readonly nodes: readonly Node[]
  /** The base URL of the services. */
  readonly base: string
  /** The URL of the database through HAProxy. */
  readonly databaseUrl: string
  /** The URL of the database through PgBouncer and HAProxy. */
  readonly poolerUrl: string
  readonly redis: OwnSentinels
  /** Resolves with the current primary according to Patroni. Waits until there is one. */
  primary(): Promise<Node>
  /**
   * Waits until every node is running and replicating. With synchronous replication, also waits
   * until a standby is synchronous.
   */
  whole(): Promise<void>
  switchover(): Promise<void>
  /** Kills PgBouncer, and starts it again. */
  restartPooler(): Promise<void>
  /** Restarts all services by SIGTERM, one after another. */
  rollServices(): Promise<void>
  /**
   * The number of services that ended by a signal, or with a code other than 0, before `remove()`.
   */
  deaths(): number
  remove(): Promise<void>
}

/**
 * Starts the cluster, in about 15 seconds. If the start fails, removes everything that was started.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const missing = missingPrograms()
  if (missing.length > 0)
    throw new Error(
      `Not installed: ${missing.join(', ')}. ` +
        'Run apt install patroni etcd-server haproxy pgbouncer postgresql redis-server.',
    )
  const undo: (() => unknown)[] = []
  const remove = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    return { ...(await started(undo, options)), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

const serviceCount = 4

/**
 * Starts everything. `undo` collects the functions that remove the cluster. The caller must call
 * them in reverse order.
 */
async function started(
  undo: (() => unknown)[],
  { synchronous = true }: ClusterOptions,
): Promise<Omit<Cluster, 'remove'>> {
  const as = runner()
  const folder = mkdtempSync(join(tmpdir(), 'erc-ha-'))
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid ?? 0)
  undo.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const processes = new Processes(folder, as)
  undo.push(() => {
    for (const child of processes.all) child.kill('SIGKILL')
  })
  const bin = binFolder() as string

  const [etcdPort = 0, primary = 0, replicas = 0, pooler = 0, front = 0] = await ports(5)
  await startEtcd(processes, etcdPort)
  const nodes: ClusterNode[] = []
  for (const name of ['n1', 'n2', 'n3'])
    nodes.push(await makeNode({ name, processes, bin, etcdPort, synchronous, undo }))
  const patroni = patroniOf(nodes, synchronous)
  nodes[0]?.start()
  await patroni.primary()
  nodes[1]?.start()
  nodes[2]?.start()

  const servicePorts = await ports(serviceCount)
  const at = { primary, replicas, pooler, services: front }
  const settings = processes.file('haproxy.cfg', haproxySettings(nodes, at, servicePorts))
  processes.spawn('haproxy', 'haproxy', ['-db', '-f', settings])
  processes.file('pgbouncer.ini', pgbouncerSettings(at))
  const startPooler = (): ChildProcess => processes.spawn('pgbouncer', 'pgbouncer', ['pgbouncer.ini'])
  let poolerProcess = startPooler()
  const databaseUrl = `postgres://postgres@127.0.0.1:${primary}/ha`
  const poolerUrl = `postgres://postgres@127.0.0.1:${pooler}/ha`

  await patroni.whole()
  await (await patroni.primary()).query('CREATE DATABASE ha')
  await until('HAProxy leads to the primary', () => sqlOf(databaseUrl, schema).then(() => true))

  const redis = await ownSentinels()
  undo.push(() => redis.remove())
  let unexpected = 0
  const startService = async (port: number): Promise<ChildProcess> => {
    const script = fileURLToPath(new URL('service.mjs', import.meta.url))
    const env = {
      DATABASE_URL: poolerUrl,
      REPLICAS_URL: `${poolerUrl}_replicas`,
      PORT: String(port),
      SENTINELS: JSON.stringify(redis.sentinels),
      MASTER: redis.name,
    }
    const child = processes.spawn(`service-${port}`, process.execPath, [script], { asPostgres: false, env })
    child.once('exit', (code) => {
      if (code !== 0 && undo.length > 0) unexpected++
    })
    const early = once(child, 'exit').then(() => {
      const log = readFileSync(join(folder, `service-${port}.log`), 'utf8')
      throw new Error(`A service ended before it listened: ${log.slice(-2_000)}`)
    })
    early.catch(() => {})
    await Promise.race([
      until('a service listens', async () => (await fetch(`http://127.0.0.1:${port}/live`)).ok),
      early,
    ])
    return child
  }
  const running = new Map<number, ChildProcess>()
  for (const port of servicePorts) running.set(port, await startService(port))
  const base = `http://127.0.0.1:${front}`
  await until('the services respond', async () => (await fetch(`${base}/v1/contadores`)).ok)

  return {
    nodes,
    base,
    databaseUrl,
    poolerUrl,
    redis,
    ...patroni,
    async restartPooler() {
      await processes.end(poolerProcess, 'SIGKILL')
      poolerProcess = startPooler()
    },
    async rollServices() {
      for (const [port, child] of running) {
        await processes.end(child, 'SIGTERM')
        running.set(port, await startService(port))
      }
    },
    deaths: () => unexpected,
  }
}

async function startEtcd(processes: Processes, port: number): Promise<void> {
  const [peerPort] = await ports(1)
  const [clients, peers] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  const options = {
    'data-dir': join(processes.folder, 'etcd'),
    'listen-client-urls': clients,
    'advertise-client-urls': clients,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `default=${peers}`,
  }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  processes.spawn('etcd', 'etcd', [...args, '--unsafe-no-fsync'])
  await until('etcd responds', async () => (await fetch(`${clients}/health`)).ok)
}

interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
  readonly lag?: number
}

/**
 * Reads the state of the cluster from Patroni, and switches the primary. Asks the Patroni of one
 * node after another, until one responds. Skips the nodes that are not reachable: the Patroni of a
 * partitioned node may report an old state.
 */
function patroniOf(nodes: readonly ClusterNode[], synchronous: boolean) {
  const api = async (path: string, init?: RequestInit): Promise<Response> => {
    for (const { rest, reachable } of nodes) {
      if (!reachable) continue
      const request = { signal: AbortSignal.timeout(2_000), ...init }
      const answer = await fetch(`${rest}${path}`, request).catch(() => undefined)
      if (answer !== undefined) return answer
    }
    throw new Error('No reachable Patroni responds.')
  }
  const members = async () => ((await (await api('/cluster')).json()) as { members: Member[] }).members
  const primary = (): Promise<Node> =>
    until('there is a primary', async () => {
      const leader = (await members()).find(({ role, state }) => role === 'leader' && state === 'running')
      return nodes.find(({ name }) => name === leader?.name)
    })
  const isWhole = async (): Promise<boolean> => {
    const all = await members()
    const standbys = all.filter(({ role, state }) => role !== 'leader' && /running|streaming/.test(state))
    const follow = standbys.every(({ lag = 0 }) => lag < 1_000_000)
    const hasSync = !synchronous || standbys.some(({ role }) => role === 'sync_standby')
    return all.length === nodes.length && standbys.length === nodes.length - 1 && follow && hasSync
  }
  return {
    primary,
    whole: async () => void (await until('all nodes run and replicate', isWhole)),
    async switchover() {
      const { name } = await primary()
      const init = { method: 'POST', body: JSON.stringify({ leader: name }), signal: AbortSignal.timeout(30_000) }
      await api('/switchover', init).catch(() => undefined)
      await until('there is another primary', async () => (await primary()).name !== name)
    },
  }
}

const schema = `
  CREATE TABLE IF NOT EXISTS contadores (id text PRIMARY KEY, valor int NOT NULL, version uuid NOT NULL DEFAULT gen_random_uuid());
  CREATE TABLE IF NOT EXISTS envios (numero int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, clave text NOT NULL, version uuid NOT NULL DEFAULT gen_random_uuid());
  CREATE TABLE IF NOT EXISTS outbox (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, clave text NOT NULL);
  ${idempotencyDdl({ table: 'idempotency_keys' })}`
