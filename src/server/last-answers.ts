/** `Connection: close` on the last answer of each connection. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Connections, pendingResponse, readsNoMore } from './connections.js'

/**
 * Makes the last answer of each connection say `Connection: close`: those under way and those to come.
 * Where a pipeline brings another request, its answer says so instead, for nothing is answered behind
 * such an answer (RFC 9112 9.6). Returns what undoes this for answers to come.
 */
export function closeBehindAnswers(server: Server, connections: Connections): () => void {
  const marked = new WeakMap<Socket, ServerResponse>()
  const mark = (socket: Socket, res: ServerResponse): void => {
    const before = marked.get(socket)
    if (before !== undefined && before !== res && !before.headersSent) before.shouldKeepAlive = true
    // More requests of this pipeline have arrived; Node reads them when the client has read some answers.
    if (readsNoMore(socket)) return
    res.shouldKeepAlive = false
    marked.set(socket, res)
  }
  for (const socket of connections) {
    const res = pendingResponse(socket)
    if (res !== undefined && !res.headersSent) mark(socket, res)
  }
  const markRequest = (req: IncomingMessage, res: ServerResponse): void => mark(req.socket, res)
  // A listener of the other two takes requests away from `request`: only where the service has one already.
  const events = ['request', 'checkContinue', 'checkExpectation'].filter((event) => server.listenerCount(event) > 0)
  for (const event of events) server.prependListener(event, markRequest)
  return () => {
    for (const event of events) server.off(event, markRequest)
  }
}
