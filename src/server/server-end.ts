/** The shutdown of a server: drain, accept queued connections, send the last responses. */
import type { Server } from 'node:http'
import { type CloseCallback, endListening, handBackTime, type ListenerEnd } from './accept-queue.js'
import type { Connections } from './connections.js'
import { closeAfterLastResponse } from './last-responses.js'

/** The result of a shutdown. */
export interface ShutdownReport {
  /** The number of connections that were still open after the grace period and were destroyed. */
  readonly destroyed: number
}

/** Times in milliseconds. */
export interface Times {
  readonly drain: number
  readonly grace: number
}

interface Beginning extends Times {
  readonly connections: Connections
  /** Node's own `close`. */
  readonly close: Server['close']
  /**
   * Whether the server listens and has emitted `listening`. Before that event no client can have
   * connected.
   */
  readonly listens: boolean
}

/** Milliseconds between two checks for idle connections. */
const interval = 50

/**
 * During a shutdown, connections on which no request has begun are closed after this number of
 * milliseconds. The time starts again whenever one of these connections sends data, or their number
 * changes.
 */
const silenceLimit = 1_000

/**
 * One shutdown of a server, from the first `shutdown()` or `close()` until the last connection is
 * closed or the server listens again.
 */
export class ServerEnd {
  /**
   * Resolves when all connections are closed or the server listens again. In a cluster worker, it
   * resolves `handBackTime` milliseconds after that.
   */
  readonly done: Promise<ShutdownReport>
  readonly #server: Server
  readonly #beginning: Beginning
  readonly #timers: Partial<Record<'marking' | 'draining' | 'cutting' | 'sweeping', NodeJS.Timeout>> = {}
  /** When the drain and the grace period end, as `performance.now()` times. */
  #drained: number
  #end: number
  #destroyed = 0
  #stopped = false
  /** The closing of the listening socket. It starts when the drain ends. */
  #listener: ListenerEnd | undefined
  #unmark: (() => void) | undefined
  #resolve: (report: ShutdownReport) => void = () => {}

  constructor(server: Server, beginning: Beginning) {
    this.#server = server
    this.#beginning = beginning
    this.#drained = performance.now() + beginning.drain
    this.#end = this.#drained + beginning.grace
    this.done = new Promise((resolve) => {
      this.#resolve = resolve
    })
    server.on('close', this.stop)
  }

  /** Begins the drain. If `drain` is 0, or the server does not listen, the drain ends at once. */
  drain(): void {
    const { drain, listens } = this.#beginning
    if (drain === 0 || !listens) {
      this.#endDrain()
      return
    }
    this.#timers.draining = setTimeout(() => this.#endDrain(), drain)
    // In the second half of the drain, responses have `Connection: close`. A client that is
    // connected directly, and not through a load balancer, then has to reconnect, and can reach a
    // process that keeps running.
    this.#timers.marking = setTimeout(() => this.#mark(), drain / 2)
  }

  /** Ends the drain, and calls the callback as Node's `close()` does. */
  close(callback: CloseCallback): void {
    if (this.#listener === undefined) this.#endDrain(callback)
    else this.#listener.close(callback)
  }

  /** Moves the deadlines to earlier times. Never moves them to later times. */
  shorten({ drain, grace }: Times): void {
    const now = performance.now()
    if (this.#listener === undefined) {
      this.#drained = Math.min(this.#drained, now + drain)
      this.#end = Math.min(this.#end, this.#drained + grace)
      clearTimeout(this.#timers.draining)
      if (this.#drained <= now) this.#endDrain()
      else this.#timers.draining = setTimeout(() => this.#endDrain(), this.#drained - now)
    } else if (!this.#stopped) {
      this.#end = Math.min(this.#end, now + grace)
      this.#cutAtEnd()
    }
  }

  /** Stops all timers, when no connection is left or the server listens again. */
  readonly stop = (): void => {
    if (this.#stopped) return
    this.#stopped = true
    for (const timer of Object.values(this.#timers)) clearTimeout(timer)
    this.#unmark?.()
    this.#beginning.connections.spareNone()
    this.#server.off('close', this.stop)
    const report = { destroyed: this.#destroyed }
    if (handBackTime === 0) this.#resolve(report)
    else setTimeout(this.#resolve, handBackTime, report)
  }

  #endDrain(callback?: CloseCallback): void {
    const { connections, close, listens, grace } = this.#beginning
    clearTimeout(this.#timers.draining)
    clearTimeout(this.#timers.marking)
    const begun = performance.now()
    // `close()` may have ended the drain early, so the grace period begins now.
    this.#end = Math.min(this.#end, begun + grace)
    this.#cutAtEnd()
    connections.spareActive()
    // In the next two turns of the event loop, Node reads all input that has already arrived. Only
    // then is it known which response is the last one of its pipeline.
    setImmediate(() => setImmediate(() => this.#mark()))
    // While connections keep arriving, they are accepted for about half of the grace period. The
    // other half remains for responding to the requests on these connections.
    const deadline = (): number => begun + (this.#end - begun) / 2
    this.#listener = endListening(this.#server, { close, deadline, closed: () => this.#sweep() })
    this.#listener.close(callback)
    if (!listens) this.#listener.now()
  }

  /** From now on, marks each response as the last one of its connection. */
  #mark(): void {
    if (!this.#stopped) this.#unmark ??= closeAfterLastResponse(this.#server, this.#beginning.connections)
  }

  /** Closes idle connections repeatedly. */
  #sweep(): void {
    if (this.#stopped) return
    const { connections } = this.#beginning
    this.#server.closeIdleConnections()
    connections.spareActive()
    connections.endSilent(silenceLimit)
    // Between a timer and the immediates that the timer has set, the event loop reads all input
    // that has arrived. So even if the timer is late, a connection with new input does not look
    // idle.
    this.#timers.sweeping = setTimeout(() => setImmediate(() => this.#sweep()), interval)
  }

  #cutAtEnd(): void {
    clearTimeout(this.#timers.cutting)
    this.#timers.cutting = setTimeout(() => this.#cut(), Math.max(0, this.#end - performance.now()))
  }

  #cut(): void {
    this.#listener?.now()
    this.#destroyed += this.#beginning.connections.destroy()
  }
}
