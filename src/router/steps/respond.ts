/**
 * Writes the status, the header fields and the body together, and calls `onResponse`. The body of
 * an export is written in pieces.
 */
import type { ServerResponse } from 'node:http'
import { type Answer, type Headers, sendFirst } from '../../representation/answer.js'
import { mergeVary } from '../../representation/header-fields.js'
import { Streamed } from '../../representation/streamed.js'
import { header } from '../../wire.js'
import type { Received } from '../stages.js'

export function respond(exchange: Received, answer: Answer): void {
  const { res, method, requestId, progress, service } = exchange
  if (res.headersSent) {
    if (answer.body instanceof Streamed) answer.body.discard()
    // If the response has begun but has not ended, hand-written routes or a CORS middleware have
    // failed in the middle of it. In that case, the connection is closed, as Express itself would
    // close it.
    if (!res.writableEnded) res.destroy()
    return
  }
  const { status, headers } = answer
  if (service.secureHeaders !== undefined) addSecureHeaders(res, service.secureHeaders, headers)
  const { corsFields, limitFields } = progress
  if (corsFields !== undefined) addCorsFields(corsFields, headers)
  if (limitFields !== undefined) Object.assign(headers, limitFields)
  const notices = status === 410 ? undefined : exchange.notices()
  if (notices !== undefined) {
    const links = [headers[header.link], notices[header.link]].filter((link) => link !== undefined)
    Object.assign(headers, notices)
    if (links.length > 0) headers[header.link] = links.join(', ')
  }
  headers[header.requestId] = requestId
  sendFirst(res, answer, method === 'HEAD')
  if (answer.body instanceof Streamed) answer.body.closed.then(() => exchange.respondedWith(status))
  else exchange.respondedWith(status)
}

/**
 * Adds the CORS fields. A field that an endpoint has set keeps its value. The exception is `Vary`,
 * whose CORS value is added to the endpoint's value.
 */
function addCorsFields(fields: Readonly<Record<string, string>>, headers: Headers): void {
  for (const name in fields) {
    const value = fields[name] as string
    if (name === header.vary) headers[name] = mergeVary(headers[name], value)
    else headers[name] ??= value
  }
}

/**
 * Adds the security headers. A field that an earlier middleware or an endpoint has set keeps its
 * value.
 */
function addSecureHeaders(res: ServerResponse, fields: Readonly<Record<string, string>>, headers: Headers): void {
  res.removeHeader(header.poweredBy)
  for (const name in fields)
    if (headers[name] === undefined && !res.hasHeader(name)) headers[name] = fields[name] as string
}
