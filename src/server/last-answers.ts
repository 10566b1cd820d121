/** `Connection: close` on the last answer of each connection. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Connections, pendingResponse, readsNoMore } from './connections.js'

/**
 * Makes the last answer of each connection say `Connection: close`: those under way and those to
 * come. Where another request of a pipeline arrives, its answer says so instead, because nothing is
 * answered after such an answer (RFC 9112 9.6). Where a client has pipelined more than Node reads
 * at once, no answer says so: the connection ends when it is idle. Returns a function that ends
 * this for later answers.
 */
export function closeBehindAnswers(server: Server, connections: Connections): () => void {
  const marked = new WeakMap<Socket, ServerResponse>()
  const pipelining = new WeakSet<Socket>()
  const mark = (socket: Socket, res: ServerResponse): void => {
    const before = marked.get(socket)
    if (before !== undefined && before !== res && !before.headersSent) before.shouldKeepAlive = true
    if (pipelining.has(socket)) return
    res.shouldKeepAlive = false
    marked.set(socket, res)
  }
  for (const socket of connections) {
    if (readsNoMore(socket)) pipelining.add(socket)
    const res = pendingResponse(socket)
    if (res !== undefined && !res.headersSent) mark(socket, res)
  }
  const markRequest = (req: IncomingMessage, res: ServerResponse): void => mark(req.socket, res)
  // A listener of the other two events takes requests away from `request`, so it is added only
  // where the service has one already.
  const events = ['request', 'checkContinue', 'checkExpectation'].filter((event) => server.listenerCount(event) > 0)
  for (const event of events) server.prependListener(event, markRequest)
  return () => {
    for (const event of events) server.off(event, markRequest)
  }
}
