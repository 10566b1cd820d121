/**
 * Closes a listening socket without resetting connections. The kernel completes connections on its
 * own and queues them. Node accepts a few at a time: in most releases, one per turn of its event
 * loop. If the socket were closed at once, the connections that are still queued would be reset,
 * although their clients are already connected and may have sent a request.
 */
import cluster from 'node:cluster'
import type { Server } from 'node:http'

/**
 * The queue is considered empty after this many turns of the event loop without a new connection.
 */
const quietTurns = 5

/**
 * The minimum time in milliseconds that the socket stays open after the call of `endListening`. In
 * a TCP handshake, the client considers the connection established half a round trip before the
 * server does. The socket must still accept such a connection. 50 ms cover round trips of up to 100
 * ms.
 */
const minOpenTime = 50

/**
 * A cluster worker considers the queue empty only if, in addition to `quietTurns`, this many
 * milliseconds have passed without a new connection. The reason is that a worker receives each
 * connection in a message from the primary, which can take longer than `quietTurns`.
 */
const quietTime = cluster.isWorker ? 50 : 0

/**
 * Milliseconds for which a cluster worker must keep running after its socket is closed. Until the
 * primary receives the message that the socket is closed, it may send further connections. The
 * worker returns these connections to the primary. If the worker exited before it returned them,
 * these connections would hang.
 */
export const handBackTime = cluster.isWorker ? 200 : 0

/**
 * The number of connections in a full queue. Node's default `backlog` of `listen()` is 511, and
 * Linux queues one more.
 */
const longestQueue = 512

/** The callback of Node's `close()`. */
export type CloseCallback = Parameters<Server['close']>[0]

/** A listening socket that is being closed. */
export interface ListenerEnd {
  /**
   * Calls Node's `close()` with `callback`: when the queue is empty, at the deadline, or at once if
   * the socket is already closed.
   */
  close(callback?: CloseCallback): void
  /**
   * Calls Node's `close()` now, once for each waiting callback. This closes the socket, and resets
   * connections that are still queued.
   */
  now(): void
}

/** When and how `endListening` closes the socket. */
interface ListenerEndOptions {
  /** Node's own `close` of the server. */
  readonly close: Server['close']
  /**
   * The `performance.now()` time at which the socket is closed even if connections keep arriving.
   * On a slow machine, the socket stays open longer, until `longestQueue` connections have been
   * accepted. The queue is first in, first out, so all connections that were queued at the start
   * are among these connections.
   */
  deadline(): number
  /** Called right after the socket is closed. */
  closed(): void
}

/**
 * Closes the socket of a listening server once its queue is empty. Until then, the server accepts
 * connections as before. But `listening` is already false, and a call of `listen()` closes the
 * socket first. Callers of Node's `close()` rely on both behaviors.
 */
export function endListening(server: Server, { close, deadline, closed }: ListenerEndOptions): ListenerEnd {
  const callbacks: CloseCallback[] = []
  let open = true
  let turns = 0
  let taken = 0
  let newest = performance.now()
  let immediate: NodeJS.Immediate | undefined
  const count = (): void => {
    turns = 0
    taken++
    newest = performance.now()
  }
  const look = (): void => {
    const time = performance.now()
    const quiet = turns >= quietTurns && time - newest >= quietTime
    if (quiet || (time >= deadline() && taken >= longestQueue)) {
      now()
      return
    }
    turns++
    // Immediates run right after the event loop has accepted new connections.
    immediate = setImmediate(look)
  }
  const restore = pretendClosed(server, () => now())
  const now = (): void => {
    if (!open) return
    open = false
    clearTimeout(timer)
    clearImmediate(immediate)
    for (const event of ['connection', 'drop']) server.off(event, count)
    restore()
    for (const callback of callbacks) close.call(server, callback)
    closed()
  }
  for (const event of ['connection', 'drop']) server.on(event, count)
  const timer = setTimeout(look, minOpenTime)
  return {
    close(callback) {
      if (open) callbacks.push(callback)
      else close.call(server, callback)
    },
    now,
  }
}

/**
 * Makes `listening` false, and makes `listen()` call `finish` first. Returns a function that undoes
 * both.
 */
function pretendClosed(server: Server, finish: () => void): () => void {
  const before = Object.getOwnPropertyDescriptor(server, 'listen')
  const listen = (...parameters: unknown[]): Server => {
    finish()
    return Reflect.apply(server.listen, server, parameters) as Server
  }
  Object.defineProperty(server, 'listen', { value: listen, configurable: true, writable: true })
  Object.defineProperty(server, 'listening', { value: false, configurable: true })
  return () => {
    Reflect.deleteProperty(server, 'listening')
    if (before === undefined) Reflect.deleteProperty(server, 'listen')
    else Object.defineProperty(server, 'listen', before)
  }
}
