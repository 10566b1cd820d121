/** Reports requests, steps and adapter calls to hooks and on diagnostics channels. */
import { digestOf, principalName } from '../limits/keys.js'
import { notify } from '../notify.js'
import { callChannel, requestChannel, stepChannel, Traced } from '../telemetry/channels.js'
import { CallMessage, type Facts, RequestMessage, StepMessage, type Subject } from '../telemetry/messages.js'
import type { Caller } from './caller.js'
import type { Exchange } from './exchange.js'

/** The number of characters in a principal's digest. These characters hold 96 bits. */
const digestLength = 16

/** The request or job that a message is about. */
class CallerSubject implements Subject {
  readonly #caller: Subjected
  #digest: string | undefined

  constructor(caller: Subjected) {
    this.#caller = caller
  }

  get req(): Caller['req'] {
    return this.#caller.req
  }

  facts(): Facts {
    return this.#caller.event()
  }

  principalHash(): string | undefined {
    if (this.#digest !== undefined) return this.#digest
    const name = principalName(this.#caller.event().principal)
    if (name !== undefined) this.#digest = digestOf(name).slice(0, digestLength)
    return this.#digest
  }
}

type Subjected = Pick<Caller, 'req' | 'event'>

/**
 * Enables reporting for a request or job. Steps and adapter calls are reported only if a subscriber
 * or a hook needs them, because reporting takes time: 15 messages take 6 microseconds.
 */
export function observe({ progress, service: { hooks } }: Pick<Caller, 'progress' | 'service'>): void {
  progress.observe(
    stepChannel.hasSubscribers || hooks.onStep !== undefined,
    callChannel.hasSubscribers || hooks.onQuery !== undefined,
  )
}

/**
 * Runs a request, and traces it. The trace ends when the response is written, or when the
 * connection closes before that.
 */
export function walkObserved(exchange: Exchange, walk: () => void): void {
  const { res, progress } = exchange
  const traced = new Traced(requestChannel, new RequestMessage(new CallerSubject(exchange)))
  let isOver = false
  let isBeginning = true
  exchange.whenEnded((status) => {
    if (isOver) return
    isOver = true
    const { message } = traced
    message.status = status
    message.code = progress.problem?.code
    message.clause = progress.problem?.clause
    message.deprecated = isDeprecated(exchange)
    message.deprecatedUses = progress.deprecatedUses
    Object.assign(message, progress.counts)
    if (!isBeginning) traced.end(progress.failure)
  })
  res.once('close', () => exchange.closed())
  traced.run(walk, undefined)
  isBeginning = false
  // `asyncEnd` must be the last event. So if the response was written synchronously, the trace does
  // not end before `run` has published `end`.
  if (isOver) traced.end(progress.failure)
}

function isDeprecated({ version }: Exchange): boolean {
  const since = version?.life?.deprecated
  return since !== undefined && since <= Date.now()
}

/** A step that is being traced. */
export interface Watch {
  run<T>(step: (exchange: Exchange) => T): T
  end(failure?: { readonly error: unknown }): void
}

/** Starts the trace of a step, for `onStep` and for subscribers. Failed steps are reported too. */
export const watchStep = (exchange: Exchange, name: string): Watch => new StepWatch(exchange, name)

class StepWatch implements Watch {
  readonly #exchange: Exchange
  readonly #traced: Traced<StepMessage>

  constructor(exchange: Exchange, name: string) {
    this.#exchange = exchange
    this.#traced = new Traced(stepChannel, new StepMessage(new CallerSubject(exchange), name))
  }

  run<T>(step: (exchange: Exchange) => T): T {
    return this.#traced.run(step, this.#exchange)
  }

  end(failure?: { readonly error: unknown }): void {
    this.#traced.end(failure)
    const { service, req } = this.#exchange
    const { onStep } = service.hooks
    if (onStep === undefined) return
    const { step, duration = 0, failed } = this.#traced.message
    notify(onStep, () => ({ ...this.#exchange.event(), step, duration, failed }), req)
  }
}

/**
 * Starts the trace of an adapter call. If `progress` has `counts`, the call is counted. The call is
 * reported only if a hook or a subscriber needs adapter calls.
 */
export const watchCall = (caller: Caller, collection: string, call: string): CallWatch =>
  new CallWatch(caller, collection, call)

class CallWatch {
  readonly #caller: Caller
  readonly #traced: Traced<CallMessage> | undefined

  constructor(caller: Caller, collection: string, call: string) {
    this.#caller = caller
    if (caller.progress.watchesCalls)
      this.#traced = new Traced(callChannel, new CallMessage(new CallerSubject(caller), collection, call))
  }

  run<T>(invoke: () => T): T {
    return this.#traced === undefined ? invoke() : this.#traced.run(invoke, undefined as never)
  }

  /**
   * Ends the trace of a successful call. `linked` is the number of linked records that the adapter
   * returned together with the result.
   */
  end(result: unknown, linked = 0): void {
    const own = rowsOf(result)
    this.#finish(undefined, own === undefined ? undefined : own + linked, linked)
  }

  fail(error: unknown): void {
    this.#finish({ error }, undefined)
  }

  #finish(failure: { readonly error: unknown } | undefined, rows: number | undefined, linked = 0): void {
    const { progress, service, req } = this.#caller
    const { counts } = progress
    if (counts !== undefined) {
      counts.queries += 1
      counts.rows += rows ?? linked
    }
    const traced = this.#traced
    if (traced === undefined) return
    traced.message.rows = rows
    traced.end(failure)
    const { onQuery } = service.hooks
    if (onQuery === undefined) return
    const { collection, call, duration = 0, failed } = traced.message
    notify(onQuery, () => ({ ...this.#caller.event(), collection, call, rows, duration, failed }), req)
  }
}

/**
 * Returns the number of records on a page, or the number of records found by their keys. Returns
 * `undefined` for all other results.
 */
function rowsOf(result: unknown): number | undefined {
  if (Array.isArray(result)) return result.filter((stored) => stored !== undefined && stored !== null).length
  const { items } = (result ?? {}) as { readonly items?: unknown }
  return Array.isArray(items) ? items.length : undefined
}
