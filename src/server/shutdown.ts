/**
 * Shutdown without losing requests: drain, accept queued connections, finish the requests in
 * progress.
 */

import type { Server } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import { checkOptions } from '../options/check.js'
import { type Kinds, timer } from '../options/kinds.js'
import type { Connections } from './connections.js'
import { ServerEnd, type ShutdownReport, type Times } from './server-end.js'

/** The options of `shutdown()`. Times are in milliseconds. */
export interface ShutdownOptions {
  /**
   * How long the server keeps serving while the readiness probe responds with 503. During this
   * time, a load balancer notices the 503 and stops sending requests. Default: `drain` of
   * `createServer()`.
   */
  readonly drain?: number
  /**
   * How long to wait for requests in progress after the drain, before their connections are cut.
   * Default: `grace` of `createServer()`.
   */
  readonly grace?: number
}

export const shutdownKinds: Kinds<ShutdownOptions> = { drain: timer, grace: timer }

/** A Node server with graceful shutdown. */
export type GracefulServer<Base extends Server | TlsServer = Server> = Base & {
  /** True after a call of `shutdown()` or `close()`, until the server listens again. */
  readonly draining: boolean
  /**
   * Shuts the server down. During the drain, it keeps serving. Then it accepts the connections that
   * the kernel has queued, and closes the listening socket. It closes idle connections, responds to
   * requests in progress, and closes each connection after its last response. After the grace
   * period, it cuts the remaining connections. Resolves when all connections are closed. A second
   * call returns the same promise, and can shorten the times but not extend them. Throws
   * `ConfigurationError` if a time is invalid.
   *
   * @example process.once('SIGTERM', async () => process.exit((await server.shutdown()).destroyed === 0 ? 0 : 1))
   */
  shutdown(options?: ShutdownOptions): Promise<ShutdownReport>
}

/** Adds `shutdown()` and `draining` to a server, and makes its `close()` graceful. */
export function addShutdown<Base extends Server>(
  server: Base,
  connections: Connections,
  times: Times,
): GracefulServer<Base> {
  const close = server.close
  let ending: ServerEnd | undefined
  let announced = false
  server.on('listening', () => {
    announced = true
    ending?.stop()
    ending = undefined
  })
  const begin = (first: Times): ServerEnd => {
    const listens = announced && server.listening
    announced = false
    return new ServerEnd(server, { connections, close, listens, ...first })
  }
  server.close = function gracefulClose(callback) {
    ending ??= begin({ drain: 0, grace: times.grace })
    ending.close(callback)
    return server
  }
  Object.defineProperty(server, 'draining', { get: () => ending !== undefined, enumerable: true })
  return Object.assign(server as Base & { readonly draining: boolean }, {
    shutdown(options: ShutdownOptions = {}): Promise<ShutdownReport> {
      const { drain = times.drain, grace = times.grace } = checkOptions<ShutdownOptions>(
        'shutdown()',
        options,
        shutdownKinds,
      )
      if (ending === undefined) {
        ending = begin({ drain, grace })
        ending.drain()
      } else ending.shorten({ drain, grace })
      return ending.done
    },
  })
}
