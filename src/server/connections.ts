/** The open connections of a server, and the response in progress on each. */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'

const latest = Symbol('latest response')
/**
 * `Symbol.for` gives all copies of the library the same symbol, because `health()` of one copy
 * might run on a server that another copy created.
 */
const owner: unique symbol = Symbol.for('express-rest-conventions.server')
const secured = Symbol('TLS handshake is done')
const bytesAtLastCheck = Symbol('bytes read at the latest check')

/** A server that may have the property `draining`. */
type DrainingServer = Server & { readonly draining?: boolean }

interface Connection extends Socket {
  [latest]?: ServerResponse
  [owner]?: DrainingServer
  [secured]?: boolean
  [bytesAtLastCheck]?: number
  /**
   * The response that Node is writing. Later responses of a pipeline wait until this response is
   * sent. This is a private property of Node.
   */
  _httpMessage?: ServerResponse | null
  /**
   * Whether Node has stopped reading a pipeline because too many responses wait. This is a private
   * property of Node.
   */
  _paused?: boolean
  /** The connection beneath a TLS socket. This is a private property of Node. */
  _parent?: Connection
  /** True for a TLS socket. The connection beneath the TLS socket is tracked too. */
  encrypted?: boolean
}

/** Records the latest response of a connection, and returns it. */
export function rememberResponse(socket: Socket, res: ServerResponse): ServerResponse {
  ;(socket as Connection)[latest] = res
  return res
}

/** The latest response of a connection, if it has not been sent completely. */
export function pendingResponse(socket: Socket): ServerResponse | undefined {
  const res = (socket as Connection)[latest]
  return res === undefined || res.writableFinished || res.destroyed ? undefined : res
}

/**
 * The response that a connection is writing or will write next: the first one that has not been
 * sent completely.
 */
export const currentResponse = (socket: Socket): ServerResponse | undefined =>
  (socket as Connection)._httpMessage ?? pendingResponse(socket)

/**
 * Whether Node has stopped reading further requests of a pipeline until more responses are sent.
 */
export const readsNoMore = (socket: Socket): boolean => (socket as Connection)._paused === true

/** The server that accepted a connection, if `createServer()` created it. */
export const serverOf = (socket: Socket): DrainingServer | undefined => (socket as Connection)[owner]

export interface Connections extends Iterable<Socket> {
  /**
   * After this call, `closeIdleConnections` does not close connections that have been opened, or
   * have sent data, since the call. If `spareActive` is called again, the latest call counts.
   */
  spareActive(): void
  /** Ends the effect of `spareActive`. */
  spareNone(): void
  /**
   * Destroys all connections that have sent no byte of a request (silent connections), if nothing
   * about them has changed for `after` milliseconds: their number is the same, and none of them has
   * sent a byte, not even of a TLS handshake. Must be called repeatedly, because each call compares
   * the silent connections with those of the previous call.
   */
  endSilent(after: number): void
  /** Destroys all connections, including upgraded ones. Returns how many there were. */
  destroy(): number
}

/**
 * Tracks the connections that a server accepts from now on, and corrects the server's
 * `closeIdleConnections`.
 */
export function trackConnections(server: Server): Connections {
  const open = new Set<Connection>()
  const track = (socket: Connection): void => {
    open.add(socket)
    socket[owner] = server
    socket.once('close', () => open.delete(socket))
  }
  server.on('connection', track)
  server.on('secureConnection', (socket: Connection) => {
    track(socket)
    if (socket._parent !== undefined) socket._parent[secured] = true
  })
  let sparing = false
  keepBusy(server, open, (socket) => sparing && socket[bytesAtLastCheck] !== socket.bytesRead)
  const isSilent = silenceTest(server)
  let state = ''
  let since = 0
  return {
    [Symbol.iterator]: () => open[Symbol.iterator](),
    spareActive() {
      sparing = true
      for (const socket of open) socket[bytesAtLastCheck] = socket.bytesRead
    },
    spareNone() {
      sparing = false
    },
    endSilent(after) {
      const silent = [...open].filter(isSilent)
      const sent = silent.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
      const now = performance.now()
      if (state !== `${silent.length} ${sent}`) {
        state = `${silent.length} ${sent}`
        since = now
      } else if (now - since >= after) for (const socket of silent) socket.destroy()
    },
    destroy() {
      let count = 0
      for (const socket of open) {
        if (!socket.encrypted) count++
        socket.destroy()
      }
      return count
    },
  }
}

/**
 * Returns a function that tests whether a connection has sent no byte of a request. With TLS,
 * connections that are still in their handshake have sent none.
 */
function silenceTest(server: Server): (socket: Connection) => boolean {
  if (!(server instanceof TlsServer)) return ({ bytesRead }) => bytesRead === 0
  return (socket) => (socket.encrypted ? socket.bytesRead === 0 : !socket[secured])
}

/**
 * Makes `closeIdleConnections` spare connections that Node wrongly considers idle. Node's `close()`
 * calls `closeIdleConnections` too. To Node, a connection is idle as soon as the handler has ended
 * the response. Most of that response may still wait for a slow reader, and Node would cut it off.
 * A connection also looks idle between two consecutive requests of a client. `isActive` recognizes
 * such a connection.
 */
function keepBusy(server: Server, open: ReadonlySet<Connection>, isActive: (socket: Connection) => boolean): void {
  const close = server.closeIdleConnections
  const isBusy = (socket: Connection): boolean => pendingResponse(socket) !== undefined || isActive(socket)
  server.closeIdleConnections = function closeIdleConnections() {
    const busy = [...open].filter((socket) => isBusy(socket) && !Object.hasOwn(socket, 'destroy'))
    for (const socket of busy) socket.destroy = () => socket
    try {
      close.call(server)
    } finally {
      for (const socket of busy) delete (socket as Partial<Connection>).destroy
    }
  }
}
