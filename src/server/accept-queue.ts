/**
 * Closes a listening socket without resetting connections. The kernel completes connections on its
 * own and queues them; Node accepts a few at a time, one per turn of its event loop in most
 * releases. Closing the socket resets those that are still queued, although their clients are
 * already connected and may have sent a request.
 */
import cluster from 'node:cluster'
import type { Server } from 'node:http'

/** Turns of the event loop without a new connection after which the queue is considered empty. */
const quietTurns = 5

/**
 * The minimum time in milliseconds that the socket stays open. A client is connected half a round
 * trip before the kernel knows; this covers round trips of 100 ms.
 */
const shortest = 50

/**
 * The same time in milliseconds for a cluster worker, which receives each connection in a message
 * from the primary.
 */
const quietTime = cluster.isWorker ? 50 : 0

/**
 * Milliseconds for which a cluster worker must keep running after its socket is closed. It returns
 * connections that the primary has sent in the meantime; if it exits earlier, they hang.
 */
export const handBackTime = cluster.isWorker ? 200 : 0

/** Connections in a queue of Node's default length (`backlog` of `listen()`, 511). */
const longestQueue = 512

/** The callback of Node's `close()`. */
export type CloseCallback = Parameters<Server['close']>[0]

/** The process of closing a listening socket. */
export interface ListenerEnd {
  /** Calls Node's `close()` as soon as the socket is closed. */
  close(callback?: CloseCallback): void
  /** Closes the socket now, which resets connections that are still queued. */
  now(): void
}

/** When and how `endListening` closes the socket. */
interface ListenerEndOptions {
  /** Node's own `close` of the server. */
  readonly close: Server['close']
  /**
   * When the socket is closed even if connections keep arriving, as a `performance.now()` time.
   * Since the queue is first in, first out, all connections queued at the start have been accepted
   * by then; on a slow machine closing waits until that is certain.
   */
  limit(): number
  /** Called right after the socket was closed. */
  closed(): void
}

/**
 * Closes the socket of a listening server once its queue is empty. Until then connections are
 * accepted as before, but `listening` is already false, and `listen()` closes the socket first:
 * callers of Node's `close()` rely on both.
 */
export function endListening(server: Server, { close, limit, closed }: ListenerEndOptions): ListenerEnd {
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
    if (quiet || (time >= limit() && taken >= longestQueue)) {
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
  const timer = setTimeout(look, shortest)
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
