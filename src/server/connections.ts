/** The open connections of a server, and what is under way on each. */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const latest = Symbol('latest response')

interface Connection extends Socket {
  [latest]?: ServerResponse
  /** The response that Node is writing; later ones of a pipeline wait behind it. Node's own, without a public name. */
  _httpMessage?: ServerResponse | null
  /** Of a TLS socket; the connection beneath it is in the list too. */
  encrypted?: boolean
}

/** Keeps in mind which response of a connection came last, and gives it back. */
export function rememberResponse(socket: Socket, res: ServerResponse): ServerResponse {
  ;(socket as Connection)[latest] = res
  return res
}

/** The last response of a connection, where it is not out yet. */
export function pendingResponse(socket: Socket): ServerResponse | undefined {
  const res = (socket as Connection)[latest]
  return res === undefined || res.writableFinished || res.destroyed ? undefined : res
}

/** The response that a connection is writing or about to write: the first of those that are not out. */
export const currentResponse = (socket: Socket): ServerResponse | undefined =>
  (socket as Connection)._httpMessage ?? pendingResponse(socket)

export interface Connections extends Iterable<Socket> {
  /** Ends those on which nothing was ever sent. */
  endSilent(): void
  /** Cuts all of them, upgraded ones too, and says how many there were. */
  destroy(): number
}

/** Follows the connections of a server from now on, and mends its `closeIdleConnections`. */
export function trackConnections(server: Server): Connections {
  const open = new Set<Connection>()
  const track = (socket: Socket): void => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  }
  server.on('connection', track)
  server.on('secureConnection', track)
  keepUnwritten(server, open)
  return {
    [Symbol.iterator]: () => open[Symbol.iterator](),
    endSilent() {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
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
 * Node takes a connection for idle when the answer was ended by its handler, although most of it may still wait for a slow reader, and cuts it in the middle.
 * Those are left alone here. `close()` of Node asks this method too.
 */
function keepUnwritten(server: Server, open: ReadonlySet<Connection>): void {
  const close = server.closeIdleConnections
  server.closeIdleConnections = function closeIdleConnections() {
    const busy = [...open].filter((socket) => pendingResponse(socket) !== undefined && !Object.hasOwn(socket, 'destroy'))
    for (const socket of busy) socket.destroy = () => socket
    try {
      close.call(server)
    } finally {
      for (const socket of busy) delete (socket as Partial<Connection>).destroy
    }
  }
}
