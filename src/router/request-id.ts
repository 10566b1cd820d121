/** What a request is known by, in its answer, in problems and in hooks. */
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const idPattern = /^[\w.:-]{1,128}$/
const tracePattern = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/

/** The request's id: as the client or a proxy gave it, the trace it belongs to, or a new one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id']
  if (typeof given === 'string' && idPattern.test(given)) return given
  const trace = headers.traceparent
  return (typeof trace === 'string' && tracePattern.exec(trace)?.[1]) || randomUUID()
}
