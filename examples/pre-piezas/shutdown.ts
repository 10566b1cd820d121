/** Ending without losing a request. */
import type { Server } from 'node:http'

/** Milliseconds until whatever still hangs is cut off. */
const patience = 10_000

/**
 * On SIGTERM and SIGINT: accepts no more connections, answers the requests in flight, closes each connection as soon as it is idle, then what
 * the requests stood on, and exits with 0. A repeated signal changes nothing: under `npm start` one Ctrl-C arrives twice.
 */
export function endOnSignals(server: Server, close: () => Promise<void>): void {
  let ending = false
  server.prependListener('request', (_req, res) => {
    if (ending) res.setHeader('Connection', 'close')
  })
  const end = (): void => {
    if (ending) return
    ending = true
    server.close(() => {
      // What no request waits for any more does not keep the process.
      setTimeout(() => process.exit(1), patience).unref()
      close().then(
        () => process.exit(0),
        (error) => {
          console.error(error)
          process.exit(1)
        },
      )
    })
    // An answer that was begun before the signal leaves its connection open: look again until none is left.
    setInterval(() => server.closeIdleConnections(), 50)
    setTimeout(() => server.closeAllConnections(), patience)
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}
