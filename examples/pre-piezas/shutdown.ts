/** Ending without losing a request. */
import type { Server } from 'node:http'

/** Milliseconds until whatever still hangs is cut off. */
const patience = 10_000

/**
 * On SIGTERM and SIGINT: accepts no more connections, answers the requests in flight, closes each connection as soon as it is idle,
 * and exits with 0. A repeated signal changes nothing: under `npm start` one Ctrl-C arrives twice.
 */
export function endOnSignals(server: Server): void {
  let ending = false
  server.prependListener('request', (_req, res) => {
    if (ending) res.setHeader('Connection', 'close')
  })
  const end = (): void => {
    if (ending) return
    ending = true
    server.close(() => process.exit(0))
    // An answer that was begun before the signal leaves its connection open: look again until none is left.
    setInterval(() => server.closeIdleConnections(), 50)
    setTimeout(() => server.closeAllConnections(), patience)
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}
