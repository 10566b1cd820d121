/**
 * The channels of `node:diagnostics_channel` on which the library reports its work; see
 * docs/observability.md. If a channel has no subscribers, its only cost is the test for
 * subscribers.
 */
import { channel, type TracingChannel, tracingChannel } from 'node:diagnostics_channel'
import type { CallMessage, PoolWaitMessage, RequestMessage, StepMessage } from './messages.js'

/**
 * One message per request. It covers the request from its start until the response is sent or the
 * connection is closed.
 */
export const requestChannel = tracingChannel<unknown, RequestMessage>('express-rest-conventions:request')

/** One message per step of a request. */
export const stepChannel = tracingChannel<unknown, StepMessage>('express-rest-conventions:step')

/** One message per call of an adapter, for requests and for jobs. */
export const callChannel = tracingChannel<unknown, CallMessage>('express-rest-conventions:adapter-call')

/**
 * Messages about lookups in caches. One message covers all lookups in one cache that have no
 * `await` between them.
 */
export const cacheChannel = channel('express-rest-conventions:cache')

/** One message per call that waits for a connection of a PostgreSQL pool. */
export const poolWaitChannel = tracingChannel<unknown, PoolWaitMessage>('express-rest-conventions:pool-wait')

/** One message per slow list query of the PostgreSQL adapter. */
export const slowListChannel = channel('express-rest-conventions:slow-list')

/**
 * One message when a store for rate limits, logins or usage counts fails, and one when it works
 * again.
 */
export const storeFailureChannel = channel('express-rest-conventions:store-failure')

/**
 * One piece of work that is reported on a tracing channel. The work may be synchronous or
 * asynchronous. In both cases, `asyncEnd` is published once, as the last event, so that subscribers
 * can detect the end with this event alone.
 */
export class Traced<M extends Outcome> {
  readonly #channel: TracingChannel<unknown, M>
  readonly #started = performance.now()
  readonly message: M

  constructor(traced: TracingChannel<unknown, M>, message: M) {
    this.#channel = traced
    this.message = message
  }

  /**
   * Calls `work(argument)` with the `AsyncLocalStorage` stores that subscribers have bound to
   * `start`. A span that a subscriber has started is therefore active inside `work`.
   */
  run<A, T>(work: (argument: A) => T, argument: A): T {
    const { start, end } = this.#channel
    return start.runStores(this.message, () => {
      try {
        return work(argument)
      } finally {
        end.publish(this.message)
      }
    })
  }

  /** Publishes the start of work that does not run inside `run()`. */
  begin(): this {
    const { start, end } = this.#channel
    start.publish(this.message)
    end.publish(this.message)
    return this
  }

  /** Ends the work. If the work failed, `failure` contains the thrown value. */
  end(failure?: { readonly error: unknown }): void {
    const { error, asyncStart, asyncEnd } = this.#channel
    const { message } = this
    message.duration = performance.now() - this.#started
    message.failed = failure !== undefined
    if (failure !== undefined) {
      message.error = failure.error
      error.publish(message)
    }
    asyncStart.publish(message)
    asyncEnd.publish(message)
  }
}

/** The fields that describe how the work ended. */
interface Outcome {
  duration: number | undefined
  failed: boolean
  error: unknown
}
