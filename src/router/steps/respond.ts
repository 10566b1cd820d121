/** Status, headers and body leave at once; the hooks learn of it. */
import type { ServerResponse } from 'node:http'
import { type Headers, send } from '../../representation/answer.js'
import { header } from '../../wire.js'
import type { Exchange } from '../exchange.js'

export function respond(exchange: Exchange): void {
  const { answer, res, method, requestId, limits, service } = exchange
  if (answer === undefined) throw new Error('A request came to the end of its steps without an answer.')
  if (res.headersSent) {
    // Hand-written routes failed in the middle of their answer: it is cut off, as Express itself would.
    if (!res.writableEnded) res.destroy()
    return
  }
  const notices = answer.status === 410 ? {} : exchange.notices()
  const link = [answer.headers[header.link], notices[header.link]].filter((value) => value !== undefined).join(', ')
  const headers: Headers = { ...service.secureHeaders, ...answer.headers, ...limits, ...notices, [header.requestId]: requestId }
  if (link !== '') headers[header.link] = link
  if (service.secureHeaders !== undefined) leaveAsSet(res, service.secureHeaders, answer.headers, headers)
  send(res, { ...answer, headers }, method === 'HEAD')
  exchange.tell(answer.status)
}

/** What a middleware in front has set, such as a policy of its own, stays. */
function leaveAsSet(res: ServerResponse, secure: Readonly<Record<string, string>>, own: Headers, headers: Headers): void {
  res.removeHeader(header.poweredBy)
  if (res.getHeaderNames().length === 0) return
  for (const name of Object.keys(secure)) if (res.hasHeader(name) && own[name] === undefined) delete headers[name]
}
