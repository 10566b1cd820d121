/** Runs a middleware of the service between the steps of a request. */
import { handOver } from '../middleware/hand-over.js'
import type { Middleware } from '../middleware/middleware.js'
import { setSecureHeaders } from '../middleware/secure-headers.js'
import { mergeVary } from '../representation/header-fields.js'
import { header } from '../wire.js'
import type { Received } from './stages.js'

/**
 * Runs the middleware. The promise resolves when the middleware calls `next()`, and rejects with an
 * error that the middleware throws or passes to `next`. If the middleware responds itself, the
 * promise never resolves, no further step runs, and `onResponse` is called when the response
 * closes.
 */
export function passTo(exchange: Received, middleware: Middleware): Promise<void> {
  const { req, res, service, progress, requestId } = exchange
  res.setHeader(header.requestId, requestId)
  if (service.secureHeaders !== undefined) setSecureHeaders(res, service.secureHeaders)
  for (const [name, value] of Object.entries({ ...progress.corsFields, ...progress.limitFields })) {
    res.setHeader(name, name === header.vary ? mergeVary(res.getHeader(name), value) : value)
  }
  if ((service.hooks.onResponse ?? service.usage) !== undefined) {
    res.once('close', () => {
      if (res.headersSent) exchange.respondedWith(res.statusCode)
    })
  }
  return handOver(middleware, req, res)
}
