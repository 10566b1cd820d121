/** The id of a request. Responses and problems contain this id, and hooks get it. */
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

const idPattern = /^[\w.:-]{1,128}$/
const tracePattern = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/

/**
 * The id of a request. This is the first of the following values that is present and valid:
 * `req.id`, the field `x-request-id` from the client or a proxy, and the trace id in `traceparent`.
 * If there is no such value, the id is the result of `make`, by default a new UUID. An earlier
 * middleware such as pino-http may have set `req.id`. The response then has the same id as the log
 * lines of pino-http.
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

/** The value of `traceparent` (W3C Trace Context 3.2), if it is well-formed. */
export function traceparentOf({ traceparent }: IncomingHttpHeaders): string | undefined {
  return typeof traceparent === 'string' && tracePattern.test(traceparent) ? traceparent : undefined
}
