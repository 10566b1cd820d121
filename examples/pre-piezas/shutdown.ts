/** Ending the process without losing a request. */
import cluster from 'node:cluster'
import type { GracefulServer } from 'express-rest-conventions/server'

/**
 * Milliseconds of each phase. With a `preStop` hook of 5 seconds they fit the 30 seconds that
 * Kubernetes waits before it kills.
 */
export const times = {
  /** For which SIGTERM leaves the server open while `/ready` is 503, unless `DRAIN` is set. */
  drain: 2_000,
  /** For requests under way. */
  grace: 10_000,
  /** For closing the database and the rest, and for a start that was under way. */
  close: 10_000,
} as const

/** What there is to end once the service has started. */
export interface Running {
  readonly server: GracefulServer
  /** Closes what the requests stand on. */
  readonly close: () => Promise<void>
  /** Milliseconds; default `times.drain`. */
  readonly drain: number | undefined
}

/**
 * On SIGTERM: fails readiness, goes on for the drain, answers the requests under way, closes what
 * they stood on, and exits with 0. On SIGINT, which a developer sends, without the drain. A
 * repeated signal changes nothing: under `npm start` one Ctrl-C arrives twice.
 *
 * Call it first: Node as process 1 of a container ignores signals that nothing listens for. A start
 * that is under way at the signal is completed, so that no half-written database stays behind.
 * Returns the function to call before listening.
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

/** Ends the process where `work` takes longer than it may. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => process.exit(1), times.close)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Exits with 0. A worker first leaves the cluster, so that connections which the primary has just
 * sent to it go to another one.
 */
function leave(): void {
  if (cluster.worker === undefined) process.exit(0)
  cluster.worker.once('disconnect', () => process.exit(0))
  cluster.worker.disconnect()
}
