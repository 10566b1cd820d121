/** Ending a server without losing a request. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { type Connections, pendingResponse } from './connections.js'
import { numberOption } from './server-options.js'

/** How a server ends. */
export interface ShutdownOptions {
  /** Milliseconds for what is under way; then it is cut. Default: `grace` of `createServer()`. */
  readonly grace?: number
}

/** How a server ended. */
export interface ShutdownReport {
  /** Connections that were still open at the end of the grace and were cut. */
  readonly destroyed: number
}

/** A server of Node's with a graceful end. */
export type GracefulServer<Base extends Server | TlsServer = Server> = Base & {
  /**
   * Takes no more connections, ends idle ones, lets requests under way end and closes each connection behind them, and resolves when none is left; after the grace the
   * rest is cut. Called again it gives the same promise; a shorter grace then counts. Throws `ConfigurationError` where the grace makes no sense.
   *
   * @example process.once('SIGTERM', async () => process.exit((await server.shutdown()).destroyed === 0 ? 0 : 1))
   */
  shutdown(options?: ShutdownOptions): Promise<ShutdownReport>
}

/** Milliseconds between two looks for connections that have become idle. */
const interval = 50

/** Milliseconds for which a connection that was just opened may still send its first byte. */
const arrival = 500

/** One end of a server, from `close()` to the last connection. */
interface Ending {
  readonly done: Promise<ShutdownReport>
  within(grace: number): void
  stop(): void
}

/** Gives a server `shutdown()`, and its `close()` the same manners. */
export function addShutdown<Base extends Server>(server: Base, connections: Connections, grace: number): GracefulServer<Base> {
  let ending: Ending | undefined
  const close = server.close
  server.on('listening', () => {
    ending?.stop()
    ending = undefined
  })
  server.close = function gracefulClose(callback) {
    ending ??= begin(server, connections, grace)
    return close.call(server, callback) as Base
  }
  return Object.assign(server, {
    shutdown(options: ShutdownOptions = {}): Promise<ShutdownReport> {
      const within = numberOption('grace', options.grace ?? grace)
      if (ending === undefined) {
        ending = begin(server, connections, within)
        close.call(server)
      } else ending.within(within)
      return ending.done
    },
  })
}

function begin(server: Server, connections: Connections, grace: number): Ending {
  const start = Date.now()
  let destroyed = 0
  let resolve: (report: ShutdownReport) => void
  const done = new Promise<ShutdownReport>((settle) => {
    resolve = settle
  })
  const unmark = closeBehindAnswers(server, connections)
  const sweep = setInterval(() => {
    server.closeIdleConnections()
    if (Date.now() - start >= arrival) connections.endSilent()
  }, interval)
  const cut = (): void => {
    destroyed += connections.destroy()
  }
  let end = start + grace
  let limit = setTimeout(cut, grace)
  const stop = (): void => {
    clearInterval(sweep)
    clearTimeout(limit)
    unmark()
    server.off('close', stop)
    resolve({ destroyed })
  }
  server.on('close', stop)
  return {
    done,
    stop,
    within(shorter) {
      if (Date.now() + shorter >= end) return
      end = Date.now() + shorter
      clearTimeout(limit)
      limit = setTimeout(cut, shorter)
    },
  }
}

/**
 * Sees to it that the last answer of each connection says `Connection: close`, those under way and those to come; where a pipeline brings another request, that one's
 * instead (RFC 9112 9.6: nothing is answered behind it). Gives what takes this back.
 */
function closeBehindAnswers(server: Server, connections: Connections): () => void {
  const marked = new WeakMap<Socket, ServerResponse>()
  const mark = (socket: Socket, res: ServerResponse): void => {
    const before = marked.get(socket)
    if (before !== undefined && before !== res && !before.headersSent) before.shouldKeepAlive = true
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
