/** What a request is known by, in its answer, in problems and in hooks. */
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

const idPattern = /^[\w.:-]{1,128}$/
const tracePattern = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/

/**
 * The request's id: as a middleware in front has set `req.id` (as pino-http does, so that its log
 * lines have the same), as the client or a proxy gave it, the trace it belongs to, or what `make`
 * makes. Default: a new UUID.
 */
export function requestIdOf<T = never>(
  req: IncomingMessage,
  headers: IncomingHttpHeaders,
  make: () => string | T = randomUUID,
): string | T {
  const { id } = req as { readonly id?: unknown }
  if ((typeof id === 'string' || typeof id === 'number') && idPattern.test(String(id))) return String(id)
  const given = headers['x-request-id']
  if (typeof given === 'string' && idPattern.test(given)) return given
  const trace = headers.traceparent
  return (typeof trace === 'string' && tracePattern.exec(trace)?.[1]) || make()
}

/** The value of `traceparent` (W3C Trace Context 3.2), where it is well-formed. */
export function traceOf({ traceparent }: IncomingHttpHeaders): string | undefined {
  return typeof traceparent === 'string' && tracePattern.test(traceparent) ? traceparent : undefined
}
