/** Several processes on one port with `node:cluster`, because one event loop uses one core. */
import cluster, { type Worker } from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Settings } from './settings.js'

/**
 * Milliseconds before a dead worker is replaced. Without this delay, workers that die immediately
 * would keep a core busy.
 */
const restartDelay = 1_000

/**
 * True if each worker listens by itself and the kernel distributes the connections (Linux with Node
 * 22.12 or later). On other systems, or if the port is 0, the primary process accepts the
 * connections and passes them on to the workers.
 */
export function workersSharePort(
  port: number,
  node = process.versions.node,
  platform: string = process.platform,
): boolean {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  return port !== 0 && platform === 'linux' && (major > 22 || (major === 22 && minor >= 12))
}

/**
 * Starts one worker and, when it listens, the other workers. Prints a greeting when all workers
 * listen. From then on, replaces workers that die. Passes SIGTERM and SIGINT on to the workers, and
 * exits when the last worker has ended. If a worker fails before all workers listen, ends the
 * others and exits with 1.
 */
export function supervise(settings: Settings, count: number): void {
  if (settings.redisUrl === undefined && settings.rateLimit > 0) {
    console.error(
      `Without REDIS_URL, each of ${count} workers counts requests on its own, so each client gets up to ` +
        `${count} times RATE_LIMIT.`,
    )
  }
  // All workers have the same secrets, so that each worker accepts the tokens that the others have
  // issued.
  const account = {
    PUBLIC_USER: settings.publicUser ?? 'demo',
    PUBLIC_PASSWORD: settings.publicPassword ?? randomBytes(12).toString('base64url'),
  }
  const shared = { TOKEN_SECRET: settings.tokenSecret ?? randomBytes(32).toString('base64'), ...account }
  let listening = 0
  let ending: NodeJS.Signals | undefined
  let status = 0
  const fork = (): Worker => cluster.fork(shared)
  const onListening = (text: unknown): void => {
    listening++
    if (listening === 1) for (let i = 1; i < count && ending === undefined; i++) fork().once('message', onListening)
    if (listening < count) return
    const { PUBLIC_USER: user, PUBLIC_PASSWORD: password } = account
    const isMadeUp = settings.publicUser === undefined || settings.publicPassword === undefined
    console.log(isMadeUp ? `${text}\npublic user ${user}, password ${password}: GET /public/login` : text)
  }
  const end = (signal: NodeJS.Signals): void => {
    if (ending !== undefined) return
    ending = signal
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal)
  }
  cluster.on('exit', async (worker, code, signal) => {
    if (listening < count || ending !== undefined) {
      // A worker that has just been started has no listener for signals yet, so the signal itself
      // ends the worker. This is not a failure.
      if (code !== 0 && signal !== ending) status = 1
      end('SIGTERM')
      if (Object.keys(cluster.workers ?? {}).length === 0) process.exit(status)
      return
    }
    console.error(`Worker ${worker.process.pid} ended (${signal ?? code}) and is replaced.`)
    await setTimeout(restartDelay)
    if (ending === undefined) fork()
  })
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  fork().once('message', onListening)
}
