/** Shutdown without losing a request: drain, accept queued connections, finish the requests. */

import type { Server } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import { checkOptions } from '../options/check.js'
import { type Kinds, timer } from '../options/kinds.js'
import type { Connections } from './connections.js'
import { ServerEnd, type ShutdownReport, type Times } from './server-end.js'

/** How a server ends. Times are in milliseconds. */
export interface ShutdownOptions {
  /**
   * Time for which the server goes on as before while `probes()` answer 503, so that a balancer
   * stops sending requests before connections are refused. Default: `drain` of `createServer()`.
   */
  readonly drain?: number
  /**
   * Time for requests under way, after the drain; then their connections are cut. Default: `grace`
   * of `createServer()`.
   */
  readonly grace?: number
}

export const shutdownKinds: Kinds<ShutdownOptions> = { drain: timer, grace: timer }

/** A server of Node's with a graceful end. */
export type GracefulServer<Base extends Server | TlsServer = Server> = Base & {
  /** Whether `shutdown()` or `close()` was called, until the server listens again. */
  readonly draining: boolean
  /**
   * Ends the server: serves on for the drain, accepts the connections that the kernel has queued
   * and no more, closes idle connections, answers the requests under way and closes each connection
   * after its last answer. Resolves when no connection is left; after the grace the rest is cut. A
   * second call returns the same promise; it can shorten the times, not lengthen them. Throws
   * `ConfigurationError` where a time makes no sense.
   *
   * @example process.once('SIGTERM', async () => process.exit((await server.shutdown()).destroyed === 0 ? 0 : 1))
   */
  shutdown(options?: ShutdownOptions): Promise<ShutdownReport>
}

/** Gives a server `shutdown()` and `draining`, and makes its `close()` as graceful. */
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
