/**
 * A Redis master, a replica and three sentinels of our own. The sentinels promote the replica when
 * the master is lost.
 */
import { createClient } from 'redis'
import { type OwnProgram, ownProgram } from './own-program.js'

export interface OwnSentinels {
  /** The addresses of the sentinels. */
  readonly sentinels: readonly { readonly host: string; readonly port: number }[]
  /** The name of the master in the configuration of the sentinels. */
  readonly name: string
  /** The port of the current master, according to a sentinel. */
  master(): Promise<number>
  killMaster(): Promise<void>
  /**
   * Waits until another server is the master. Then starts the server that `killMaster()` killed,
   * and resolves when the started server is a replica of the new master.
   */
  revive(): Promise<void>
  remove(): Promise<void>
}

const name = 'limits'

/**
 * Starts the servers from the program `redis-server`. The sentinels replace a master that does not
 * respond for 500 ms.
 */
export async function ownSentinels(): Promise<OwnSentinels> {
  const redis = (more: readonly string[]): Promise<OwnProgram> =>
    ownProgram({
      name: 'Redis',
      command: 'redis-server',
      args: (port) => ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...more],
      log: 'stdout',
      ready: 'Ready to accept connections',
      started: true,
    })
  const master = await redis(['--repl-diskless-sync-delay', '0'])
  const replica = await redis(['--replicaof', `127.0.0.1 ${master.port}`])
  const sentinels: OwnProgram[] = []
  for (let i = 0; i < 3; i++) sentinels.push(await sentinel(master.port))
  const all = [master, replica, ...sentinels]
  const [first] = sentinels
  const asked = createClient({ url: `redis://127.0.0.1:${first?.port}`, socket: { reconnectStrategy: () => 50 } })
  asked.on('error', () => {})
  await asked.connect()
  const ask = async (...command: string[]): Promise<unknown> => asked.sendCommand(['SENTINEL', ...command])
  const masterPort = async (): Promise<number> => Number(((await ask('GET-MASTER-ADDR-BY-NAME', name)) as string[])[1])
  const until = async (isSo: () => Promise<boolean>): Promise<void> => {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50))
  }
  // A failover is possible only after the sentinels have found the replica and each other.
  await until(async () => {
    const [peers, replicas] = (await Promise.all([ask('SENTINELS', name), ask('REPLICAS', name)])) as unknown[][]
    return peers?.length === 2 && replicas?.length === 1
  })
  let killed: OwnProgram | undefined
  return {
    name,
    sentinels: sentinels.map(({ port }) => ({ host: '127.0.0.1', port })),
    master: masterPort,
    async killMaster() {
      const port = await masterPort()
      killed = port === master.port ? master : replica
      await killed.kill()
    },
    async revive() {
      const lost = killed
      if (lost === undefined) return
      await until(async () => (await masterPort()) !== lost.port)
      await lost.start()
      const client = createClient({ url: `redis://127.0.0.1:${lost.port}`, socket: { reconnectStrategy: () => 50 } })
      client.on('error', () => {})
      await client.connect()
      await until(async () => /role:slave[\s\S]*master_link_status:up/.test(await client.info('replication')))
      client.destroy()
    },
    async remove() {
      asked.destroy()
      await Promise.all(all.map((one) => one.remove()))
    },
  }
}

/**
 * Starts a sentinel. It writes its state into its configuration file, so each sentinel has its own
 * file.
 */
function sentinel(master: number): Promise<OwnProgram> {
  const lines = [
    `sentinel monitor ${name} 127.0.0.1 ${master} 2`,
    `sentinel down-after-milliseconds ${name} 500`,
    `sentinel failover-timeout ${name} 2000`,
  ]
  const script =
    `printf '%s\\n' "$@" > sentinel.conf && exec redis-server sentinel.conf --sentinel --port "$PORT" ` +
    '--bind 127.0.0.1'
  return ownProgram({
    name: 'Sentinel',
    command: 'sh',
    args: (port) => ['-c', script.replace('$PORT', String(port)), 'sh', ...lines],
    log: 'stdout',
    ready: '+monitor master',
    started: true,
  })
}
