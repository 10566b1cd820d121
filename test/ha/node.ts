/**
 * One node of the cluster: an instance of Patroni, and the PostgreSQL that it manages. The other
 * programs of the cluster reach the node through links, which are TCP proxies that can be stopped.
 * The node itself reaches etcd through a link too.
 */
import { type ChildProcess, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProxy, type TcpProxy } from '../servers/proxy.js'
import { type Processes, ports, sqlOf } from './programs.js'

/** Seconds after which Patroni replaces a leader that does not renew its lease. */
export const ttl = 10

/**
 * What a partition cuts off. With `peers`, the node cannot reach etcd, and the other nodes cannot
 * reach its PostgreSQL. With `all`, the services cannot reach the node either.
 */
type Partition = 'peers' | 'all'

export interface Node {
  readonly name: string
  /** False while the node is killed, frozen or partitioned. */
  readonly reachable: boolean
  /** Kills Patroni and PostgreSQL, as if their machine were lost. */
  kill(): Promise<void>
  /** Starts Patroni, which starts PostgreSQL. */
  start(): void
  /** Freezes Patroni and all PostgreSQL processes (SIGSTOP). */
  freeze(): void
  /** Continues the frozen processes (SIGCONT). */
  thaw(): void
  /**
   * Stops the links that this kind of partition cuts: they pass no data, and close no connection.
   */
  partition(kind: Partition): void
  /** Restores the links. They deliver the data that was sent in the meantime, as TCP does. */
  heal(): void
  /** Runs SQL on the PostgreSQL of this node, bypassing all proxies. */
  query(text: string): Promise<Record<string, unknown>[]>
}

export interface ClusterNode extends Node {
  /** The URL of Patroni's REST interface, bypassing the link. */
  readonly rest: string
  /** The port of the link through which services reach PostgreSQL. */
  readonly serverPort: number
  /** The port of the link through which HAProxy reaches the REST interface. */
  readonly restPort: number
}

export interface NodeOptions {
  readonly name: string
  readonly processes: Processes
  /** The folder with the programs of PostgreSQL. */
  readonly bin: string
  readonly etcdPort: number
  readonly synchronous: boolean
  /** Collects the functions that remove the node. The caller must call them in reverse order. */
  readonly undo: (() => unknown)[]
}

/** Creates a node without starting it. */
export async function makeNode(options: NodeOptions): Promise<ClusterNode> {
  const { name, processes, etcdPort, undo } = options
  const [port = 0, rest = 0] = await ports(2)
  const links = await Promise.all([port, port, rest, etcdPort].map((target) => startProxy({ port: target })))
  for (const link of links) undo.push(() => link.close())
  const [server, peers, restLink, etcd] = links as [TcpProxy, TcpProxy, TcpProxy, TcpProxy]
  const data = join(processes.folder, name)
  mkdirSync(data, { mode: 0o700 })
  const { uid, gid } = processes.as
  if (uid !== undefined) chownSync(data, uid, gid ?? 0)
  const addresses = { port, rest, peers: peers.port, restLink: restLink.port, etcd: etcd.port }
  const config = processes.file(`${name}.json`, JSON.stringify(patroniSettings(options, data, addresses)))
  let patroni: ChildProcess | undefined
  let reachable = true

  const signal = (what: NodeJS.Signals): void => {
    const pid = serverOf(data)
    for (const one of [patroni?.pid, pid, ...(pid === undefined ? [] : childrenOf(pid))]) {
      try {
        if (one !== undefined) process.kill(one, what)
      } catch {
        // The process has already ended.
      }
    }
  }
  undo.push(() => signal('SIGKILL'))
  return {
    name,
    rest: `http://127.0.0.1:${rest}`,
    serverPort: server.port,
    restPort: restLink.port,
    get reachable() {
      return reachable
    },
    start() {
      reachable = true
      patroni = processes.spawn(name, 'patroni', [config])
    },
    async kill() {
      reachable = false
      signal('SIGKILL')
      if (patroni !== undefined) await processes.end(patroni, 'SIGKILL')
      patroni = undefined
    },
    freeze() {
      reachable = false
      signal('SIGSTOP')
    },
    thaw() {
      signal('SIGCONT')
      reachable = true
    },
    partition(kind) {
      reachable = false
      for (const link of kind === 'all' ? links : [peers, etcd]) link.stall()
    },
    heal() {
      for (const link of links) link.resume()
      reachable = true
    },
    query: (sql) => sqlOf(`postgres://postgres@127.0.0.1:${port}/postgres`, sql),
  }
}

type Addresses = Readonly<Record<'port' | 'rest' | 'peers' | 'restLink' | 'etcd', number>>

const patroniSettings = ({ name, bin, synchronous }: NodeOptions, data: string, at: Addresses) => ({
  scope: 'ha',
  name,
  restapi: { listen: `127.0.0.1:${at.rest}`, connect_address: `127.0.0.1:${at.restLink}` },
  // Without `use_proxies`, Patroni would ask etcd for the address of etcd, and bypass the link.
  etcd3: { hosts: `127.0.0.1:${at.etcd}`, use_proxies: true },
  bootstrap: {
    dcs: {
      ttl,
      loop_wait: 2,
      retry_timeout: 3,
      primary_start_timeout: 0,
      maximum_lag_on_failover: 1_048_576,
      synchronous_mode: synchronous,
      synchronous_mode_strict: synchronous,
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
    listen: `127.0.0.1:${at.port}`,
    connect_address: `127.0.0.1:${at.peers}`,
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
})

/** The id of the server process that uses this data folder. */
function serverOf(data: string): number | undefined {
  const file = join(data, 'data', 'postmaster.pid')
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined
  return pid !== undefined && isServer(pid, data) ? pid : undefined
}

/** Whether the process with this id is the server. By now, the id may belong to another process. */
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
