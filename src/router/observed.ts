/** What the router reports on the channels of `telemetry`, and to hooks, of requests, steps and calls of adapters. */
import { digestOf, principalName } from '../limits/keys.js'
import { notify } from '../notify.js'
import { callChannel, requestChannel, stepChannel, Traced } from '../telemetry/channels.js'
import { CallMessage, type Facts, RequestMessage, StepMessage, type Subject } from '../telemetry/messages.js'
import type { Caller } from './caller.js'
import type { Exchange } from './exchange.js'

/** Characters of a principal's digest: 96 bits. */
const digestLength = 16

/** A request or job as the subject of messages. */
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
 * From here on hooks and channels are notified of a request or job. Its steps and calls are reported one by one only where
 * somebody listens to them: 15 messages take 6 microseconds.
 */
export function observe({ progress, service: { hooks } }: Pick<Caller, 'progress' | 'service'>): void {
  progress.observe(stepChannel.hasSubscribers || hooks.onStep !== undefined, callChannel.hasSubscribers || hooks.onQuery !== undefined)
}

/** Walks a request as the work of one message, which ends with the answer, or when the connection closes before one. */
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
  // An answer that was there at once ends behind the event "end" of the call.
  if (isOver) traced.end(progress.failure)
}

function isDeprecated({ version }: Exchange): boolean {
  const since = version?.life?.deprecated
  return since !== undefined && since <= Date.now()
}

/** The work of a step. */
export interface Watch {
  run<T>(step: (exchange: Exchange) => T): T
  end(failure?: { readonly error: unknown }): void
}

/** Starts a step, for `onStep` and for subscribers, which are notified of failed steps too. */
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

/** Starts a call of an adapter: counts it, and reports it where calls are reported one by one. */
export const watchCall = (caller: Caller, collection: string, call: string): CallWatch => new CallWatch(caller, collection, call)

class CallWatch {
  readonly #caller: Caller
  readonly #traced: Traced<CallMessage> | undefined

  constructor(caller: Caller, collection: string, call: string) {
    this.#caller = caller
    if (caller.progress.watchesCalls) this.#traced = new Traced(callChannel, new CallMessage(new CallerSubject(caller), collection, call))
  }

  run<T>(ask: () => T): T {
    return this.#traced === undefined ? ask() : this.#traced.run(ask, undefined as never)
  }

  /** `linked`: records that came with the result, behind its links. */
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

/** The records of a page, or those that were found by their keys. */
function rowsOf(result: unknown): number | undefined {
  if (Array.isArray(result)) return result.filter((stored) => stored !== undefined && stored !== null).length
  const { items } = (result ?? {}) as { readonly items?: unknown }
  return Array.isArray(items) ? items.length : undefined
}
