/** Sends `Connection: close` with the last response of each connection. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Connections, pendingResponse, readsNoMore } from './connections.js'

/**
 * Adds `Connection: close` to the last response of each connection, from now on. This includes
 * pending responses whose header fields have not been sent. If another request of a pipeline
 * arrives, the field moves to the response to that request, because no response may follow a
 * response with this field (RFC 9112 9.6). If a client has pipelined more requests than Node reads
 * at once, no response on its connection has the field, and the connection is closed when it is
 * idle. Returns a function that stops this behavior, so that no further responses get the field.
 */
export function closeAfterLastResponse(server: Server, connections: Connections): () => void {
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
  // Without a listener for `checkContinue`, Node emits `request` for a request with
  // `Expect: 100-continue`. Without a listener for `checkExpectation`, Node responds to other
  // expectations with 417. A new listener would prevent both, so a listener is added only if the
  // service already has one.
  const events = ['request', 'checkContinue', 'checkExpectation'].filter((event) => server.listenerCount(event) > 0)
  for (const event of events) server.prependListener(event, markRequest)
  return () => {
    for (const event of events) server.off(event, markRequest)
  }
}
