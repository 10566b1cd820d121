/** One end of a server: the drain, the last accepts, the last answers. */
import type { Server } from 'node:http'
import { type CloseCallback, endListening, handBackTime, type ListenerEnd } from './accept-queue.js'
import type { Connections } from './connections.js'
import { closeBehindAnswers } from './last-answers.js'

/** How a server ended. */
export interface ShutdownReport {
  /** Connections that were still open at the end of the grace and were cut. */
  readonly destroyed: number
}

/** In milliseconds. */
export interface Times {
  readonly drain: number
  readonly grace: number
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

/** Milliseconds between two checks for idle connections. */
const interval = 50

/**
 * Connections without a request are closed when none of them has sent data for so many
 * milliseconds.
 */
const arrival = 1_000

/** One end of a server, from the first `shutdown()` or `close()` to the last connection. */
export class ServerEnd {
  /** Resolves when no connection is left. */
  readonly done: Promise<ShutdownReport>
  readonly #server: Server
  readonly #beginning: Beginning
  readonly #timers: Partial<Record<'marking' | 'draining' | 'cutting' | 'sweeping', NodeJS.Timeout>> = {}
  /** When the drain and the grace are over, on the clock of `performance.now()`. */
  #drained: number
  #end: number
  #destroyed = 0
  #stopped = false
  /** From the end of the drain on. */
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

  /** Begins the drain, or closes at once where there is none. */
  drain(): void {
    const { drain, listens } = this.#beginning
    if (drain === 0 || !listens) {
      this.#endDrain()
      return
    }
    this.#timers.draining = setTimeout(() => this.#endDrain(), drain)
    // Clients that come through no balancer connect anew, to a process that stays.
    this.#timers.marking = setTimeout(() => this.#mark(), drain / 2)
  }

  /** Ends the drain, and calls back as Node's `close()` does. */
  close(callback: CloseCallback): void {
    if (this.#listener === undefined) this.#endDrain(callback)
    else this.#listener.close(callback)
  }

  /** Brings the deadlines forward. */
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

  /** Stops all timers: no connection is left, or the server listens again. */
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
    // `close()` may have ended the drain early.
    this.#end = Math.min(this.#end, begun + grace)
    this.#cutAtEnd()
    connections.spareActive()
    // After two turns of the event loop all earlier input is read, so that an answer which says
    // `close` is the last of its pipeline.
    setImmediate(() => setImmediate(() => this.#mark()))
    // Half of the grace is left to answer the connections that were taken.
    const limit = (): number => begun + (this.#end - begun) / 2
    this.#listener = endListening(this.#server, { close, limit, closed: () => this.#sweep() })
    this.#listener.close(callback)
    if (!listens) this.#listener.now()
  }

  /** Marks each answer as the last one of its connection, from now on. */
  #mark(): void {
    if (!this.#stopped) this.#unmark ??= closeBehindAnswers(this.#server, this.#beginning.connections)
  }

  /** Closes what is idle, again and again. */
  #sweep(): void {
    if (this.#stopped) return
    const { connections } = this.#beginning
    this.#server.closeIdleConnections()
    connections.spareActive()
    connections.endSilent(arrival)
    // The event loop reads what has arrived between a timer and its immediates, however late it is.
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
