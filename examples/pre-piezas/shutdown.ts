/** Ending without losing a request. */
import type { GracefulServer } from 'express-rest-conventions/server'

/** Milliseconds for what the requests stood on, when the last of them is answered. */
const patience = 10_000

/**
 * On SIGTERM and SIGINT: answers the requests in flight, closes what they stood on, and exits with 0. A repeated signal changes nothing: under `npm start` one Ctrl-C
 * arrives twice.
 */
export function endOnSignals(server: GracefulServer, close: () => Promise<void>): void {
  let ending = false
  const end = async (): Promise<void> => {
    if (ending) return
    ending = true
    await server.shutdown()
    // What no request waits for any more does not keep the process.
    setTimeout(() => process.exit(1), patience).unref()
    try {
      await close()
      process.exit(0)
    } catch (error) {
      console.error(error)
      process.exit(1)
    }
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}
