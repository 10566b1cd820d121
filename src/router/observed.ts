/** What the router reports on the channels of `telemetry`, and to hooks, of requests, steps and calls of adapters. */
import { digestOf, principalName } from '../limits/keys.js'
import { notify } from '../notify.js'
import { callChannel, requestChannel, stepChannel, Traced } from '../telemetry/channels.js'
import { CallMessage, RequestMessage, StepMessage, type Subject } from '../telemetry/messages.js'
import type { Caller } from './caller.js'
import type { Exchange } from './exchange.js'

/** Characters of a principal's digest: 96 bits. */
const digestLength = 16

const subjectOf = (caller: Pick<Caller, 'req' | 'event'>): Subject => {
  let digest: string | undefined
  return {
    req: caller.req,
    facts: () => caller.event(),
    principalHash() {
      if (digest !== undefined) return digest
      const name = principalName(caller.event().principal)
      if (name !== undefined) digest = digestOf(name).slice(0, digestLength)
      return digest
    },
  }
}

/** Walks a request as the work of one message, which ends with the answer, or when the connection closes before one. */
export function walkObserved(exchange: Exchange, walk: () => void): void {
  const { res, progress } = exchange
  const traced = new Traced(requestChannel, new RequestMessage(subjectOf(exchange)))
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
export function watchStep(exchange: Exchange, name: string): Watch {
  const traced = new Traced(stepChannel, new StepMessage(subjectOf(exchange), name))
  return {
    run: (step) => traced.run(step, exchange),
    end(failure) {
      traced.end(failure)
      const { duration = 0, failed } = traced.message
      notify(exchange.service.hooks.onStep, () => ({ ...exchange.event(), step: name, duration, failed }), exchange.req)
    },
  }
}

/** The work of a call of an adapter. */
export function watchCall(caller: Caller, collection: string, call: string) {
  const traced = new Traced(callChannel, new CallMessage(subjectOf(caller), collection, call))
  const { counts } = caller.progress
  return {
    run: <T>(ask: () => T): T => traced.run(ask, undefined as never),
    /** `linked`: records that came with the result, behind its links. */
    end(result: unknown, linked = 0): void {
      const own = rowsOf(result)
      const rows = own === undefined ? undefined : own + linked
      traced.message.rows = rows
      finish(undefined, rows, linked)
    },
    fail: (error: unknown): void => finish({ error }, undefined),
  }

  function finish(failure: { readonly error: unknown } | undefined, rows: number | undefined, linked = 0): void {
    if (counts !== undefined) {
      counts.queries += 1
      counts.rows += rows ?? linked
    }
    traced.end(failure)
    const { duration = 0, failed } = traced.message
    notify(caller.service.hooks.onQuery, () => ({ ...caller.event(), collection, call, rows, duration, failed }), caller.req)
  }
}

/** The records of a page, or those that were found by their keys. */
function rowsOf(result: unknown): number | undefined {
  if (Array.isArray(result)) return result.filter((stored) => stored !== undefined && stored !== null).length
  const { items } = (result ?? {}) as { readonly items?: unknown }
  return Array.isArray(items) ? items.length : undefined
}
