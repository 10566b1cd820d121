/** Shutdown without losing a request: drain, accept queued connections, finish the requests. */

import type { Server } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import { checkOptions } from '../options/check.js'
import { type Kinds, timer } from '../options/kinds.js'
import { endListening, handBackTime, type ListenerEnd } from './accept-queue.js'
import type { Connections } from './connections.js'
import { closeBehindAnswers } from './last-answers.js'

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

/** How a server ended. */
export interface ShutdownReport {
  /** Connections that were still open at the end of the grace and were cut. */
  readonly destroyed: number
}

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

interface Times {
  readonly drain: number
  readonly grace: number
}

/** Milliseconds between two checks for idle connections. */
const interval = 50

/**
 * Connections without a request are closed when none of them has sent data for so many
 * milliseconds.
 */
const arrival = 1_000

type CloseCallback = Parameters<Server['close']>[0]

/** One end of a server, from the first `shutdown()` or `close()` to the last connection. */
interface Ending {
  readonly done: Promise<ShutdownReport>
  /** Begins the drain, or closes at once where there is none. */
  drain(): void
  /** Ends the drain, and calls back as Node's `close()` does. */
  close(callback: CloseCallback): void
  /** Brings the deadlines forward. */
  shorten(times: Times): void
  /** Stops all timers: no connection is left, or the server listens again. */
  stop(): void
}

/** Gives a server `shutdown()` and `draining`, and makes its `close()` as graceful. */
export function addShutdown<Base extends Server>(server: Base, connections: Connections, times: Times): GracefulServer<Base> {
  const close = server.close
  let ending: Ending | undefined
  let announced = false
  server.on('listening', () => {
    announced = true
    ending?.stop()
    ending = undefined
  })
  const begin = (first: Times): Ending => {
    const listens = announced && server.listening
    announced = false
    return newEnding(server, { connections, close, listens, ...first })
  }
  server.close = function gracefulClose(callback) {
    ending ??= begin({ drain: 0, grace: times.grace })
    ending.close(callback)
    return server
  }
  Object.defineProperty(server, 'draining', { get: () => ending !== undefined, enumerable: true })
  return Object.assign(server as Base & { readonly draining: boolean }, {
    shutdown(options: ShutdownOptions = {}): Promise<ShutdownReport> {
      const { drain = times.drain, grace = times.grace } = checkOptions<ShutdownOptions>('shutdown()', options, shutdownKinds)
      if (ending === undefined) {
        ending = begin({ drain, grace })
        ending.drain()
      } else ending.shorten({ drain, grace })
      return ending.done
    },
  })
}

interface Beginning extends Times {
  readonly connections: Connections
  /** Node's own. */
  readonly close: Server['close']
  /**
   * Whether the server listens and has said so. Before the `listening` event nobody can have
   * connected.
   */
  readonly listens: boolean
}

function newEnding(server: Server, { connections, close, listens, ...times }: Beginning): Ending {
  let drained = performance.now() + times.drain
  let end = drained + times.grace
  let destroyed = 0
  let stopped = false
  let listener: ListenerEnd | undefined
  let unmark: (() => void) | undefined
  let resolve: (report: ShutdownReport) => void
  const done = new Promise<ShutdownReport>((settle) => {
    resolve = settle
  })

  let marking: NodeJS.Timeout | undefined
  let draining: NodeJS.Timeout | undefined
  let cutting: NodeJS.Timeout | undefined
  let sweeping: NodeJS.Timeout | undefined
  const left = (time: number): number => Math.max(0, time - performance.now())

  const mark = (): void => {
    if (!stopped) unmark ??= closeBehindAnswers(server, connections)
  }
  const cut = (): void => {
    listener?.now()
    destroyed += connections.destroy()
  }
  const sweep = (): void => {
    if (stopped) return
    server.closeIdleConnections()
    connections.spareActive()
    connections.endSilent(arrival)
    // The event loop reads what has arrived between a timer and its immediates, however late it is.
    sweeping = setTimeout(() => setImmediate(sweep), interval)
  }
  const endDrain = (callback?: CloseCallback): void => {
    clearTimeout(draining)
    clearTimeout(marking)
    const begun = performance.now()
    // `close()` may have ended the drain early.
    end = Math.min(end, begun + times.grace)
    cutting = setTimeout(cut, end - begun)
    connections.spareActive()
    // After two turns of the event loop all earlier input is read, so that an answer which says
    // `close` is the last of its pipeline.
    setImmediate(() => setImmediate(mark))
    // Half of the grace is left to answer the connections that were taken.
    listener = endListening(server, { close, limit: () => begun + (end - begun) / 2, closed: sweep })
    listener.close(callback)
    if (!listens) listener.now()
  }
  const stop = (): void => {
    if (stopped) return
    stopped = true
    for (const timer of [marking, draining, cutting, sweeping]) clearTimeout(timer)
    unmark?.()
    connections.spareNone()
    server.off('close', stop)
    if (handBackTime === 0) resolve({ destroyed })
    else setTimeout(resolve, handBackTime, { destroyed })
  }
  server.on('close', stop)
  return {
    done,
    stop,
    drain() {
      if (times.drain === 0 || !listens) {
        endDrain()
        return
      }
      draining = setTimeout(endDrain, times.drain)
      // Clients that come through no balancer connect anew, to a process that stays.
      marking = setTimeout(mark, times.drain / 2)
    },
    close(callback) {
      if (listener === undefined) endDrain(callback)
      else listener.close(callback)
    },
    shorten({ drain, grace }) {
      const now = performance.now()
      if (listener === undefined) drained = Math.min(drained, now + drain)
      end = Math.min(end, (listener === undefined ? drained : now) + grace)
      if (listener === undefined) {
        clearTimeout(draining)
        if (left(drained) === 0) endDrain()
        else draining = setTimeout(endDrain, left(drained))
      } else if (!stopped) {
        clearTimeout(cutting)
        cutting = setTimeout(cut, left(end))
      }
    },
  }
}
