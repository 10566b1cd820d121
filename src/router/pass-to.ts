/** A team's own middleware in the middle of the steps. */
import { handOver } from '../middleware/hand-over.js'
import type { Middleware } from '../middleware/middleware.js'
import { setSecureHeaders } from '../middleware/secure-headers.js'
import { header } from '../wire.js'
import type { Exchange } from './exchange.js'

/** Resolves when the middleware calls `next()`. Where it answers by itself the walk ends there, and the hook is told when that answer is out. */
export function passTo(exchange: Exchange, middleware: Middleware): Promise<void> {
  const { req, res, service, limits, requestId } = exchange
  res.setHeader(header.requestId, requestId)
  if (service.secureHeaders !== undefined) setSecureHeaders(res, service.secureHeaders)
  for (const [name, value] of Object.entries(limits ?? {})) res.setHeader(name, value)
  if (service.hooks.onResponse !== undefined) {
    res.once('close', () => {
      if (res.headersSent) exchange.tell(res.statusCode)
    })
  }
  return handOver(middleware, req, res)
}
