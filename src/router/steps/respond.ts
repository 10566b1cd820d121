/** Status, headers and body leave at once; the hooks learn of it. */
import { send } from '../../representation/answer.js'
import { header } from '../../wire.js'
import type { Exchange } from '../exchange.js'

export function respond(exchange: Exchange): void {
  const { answer, res, method, requestId } = exchange
  if (answer === undefined) throw new Error('A request came to the end of its steps without an answer.')
  if (res.headersSent) {
    // Hand-written routes failed in the middle of their answer: it is cut off, as Express itself would.
    if (!res.writableEnded) res.destroy()
    return
  }
  const notices = answer.status === 410 ? {} : exchange.notices()
  const link = [answer.headers[header.link], notices[header.link]].filter((value) => value !== undefined).join(', ')
  const headers = { ...answer.headers, ...notices, ...(link === '' ? {} : { [header.link]: link }), [header.requestId]: requestId }
  send(res, { ...answer, headers }, method === 'HEAD')
  exchange.tell(answer.status)
}
