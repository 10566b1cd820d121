/** Ends the process after requests in progress have finished or run out of time. */
import cluster from 'node:cluster'
import type { GracefulServer } from 'express-rest-conventions/server'

/**
 * The length of each phase in milliseconds. All phases and a `preStop` hook of 5 seconds fit into
 * the 30 seconds after which Kubernetes kills the process.
 */
export const times = {
  /**
   * How long the server stays open after SIGTERM while `/ready` responds with 503, unless the
   * environment variable `DRAIN` sets another time.
   */
  drain: 2_000,
  /** How long requests in progress may take. */
  grace: 10_000,
  /**
   * How long closing the database and other resources may take. After a signal, an unfinished start
   * may take this long, too.
   */
  close: 10_000,
} as const

/** The parts of a started service that must be closed when it ends. */
export interface Running {
  readonly server: GracefulServer
  /** Closes the stores. */
  readonly close: () => Promise<void>
  /** The duration of the drain in milliseconds. Default `times.drain`. */
  readonly drain: number | undefined
}

/**
 * Ends the process on a signal. On SIGTERM, the process makes readiness fail, keeps serving during
 * the drain, finishes requests in progress, closes the stores, and exits with 0. On SIGINT, which
 * developers send, the process skips the drain. Further signals are ignored, because under `npm
 * start` one Ctrl-C arrives twice.
 *
 * Call this function before anything else. In a container, Node is often process 1, and process 1
 * ignores signals that have no listener. If a signal arrives during the start, the start is
 * completed, so that no half-written database remains. Returns a function. Call it with the parts
 * of the service before the server listens.
 */
export function endOnSignals(): (running: Running) => void {
  let started: (running: Running) => void = () => {}
  const start = new Promise<Running>((resolve) => {
    started = resolve
  })
  let ending = false
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (ending) return
    ending = true
    try {
      const { server, close, drain = times.drain } = await inTime(start)
      await server.shutdown({ drain: signal === 'SIGTERM' ? drain : 0, grace: times.grace })
      await inTime(close())
      leave()
    } catch (error) {
      console.error(error)
      process.exit(1)
    }
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  return started
}

/** Waits for `work`. Ends the process if `work` exceeds its time limit. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => process.exit(1), times.close)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Exits with 0. A worker first disconnects from the cluster, so that the primary passes new
 * connections to another worker.
 */
function leave(): void {
  if (cluster.worker === undefined) process.exit(0)
  cluster.worker.once('disconnect', () => process.exit(0))
  cluster.worker.disconnect()
}
