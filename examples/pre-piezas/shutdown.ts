/** Ends the process without losing a request. */
import cluster from 'node:cluster'
import type { GracefulServer } from 'express-rest-conventions/server'

/**
 * Milliseconds of each phase. With a `preStop` hook of 5 seconds they fit the 30 seconds that
 * Kubernetes waits before it kills.
 */
export const times = {
  /** The server stays open after SIGTERM while `/ready` is 503, unless `DRAIN` is set. */
  drain: 2_000,
  /** The time for running requests. */
  grace: 10_000,
  /** The time for closing the database and other resources, and for an unfinished start. */
  close: 10_000,
} as const

/** What must be closed once the service has started. */
export interface Running {
  readonly server: GracefulServer
  /** Closes the stores. */
  readonly close: () => Promise<void>
  /** Milliseconds. Default `times.drain`. */
  readonly drain: number | undefined
}

/**
 * On SIGTERM: makes readiness fail, keeps serving for the time of the drain, finishes running
 * requests, closes the stores, and exits with 0. On SIGINT, which developers send, it skips the
 * drain. Repeated signals are ignored, because under `npm start` one Ctrl-C arrives twice.
 *
 * Call it first: as process 1 of a container, Node ignores signals without a listener. If a signal
 * arrives during the start, the start is completed, so that no half-written database remains.
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

/** Ends the process if `work` exceeds its time limit. */
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
