/**
 * The channels of `node:diagnostics_channel` on which the library reports its work; see
 * docs/observability.md. Without subscribers, each costs one check of the channel.
 */
import { channel, type TracingChannel, tracingChannel } from 'node:diagnostics_channel'
import type { CallMessage, PoolWaitMessage, RequestMessage, StepMessage } from './messages.js'

/**
 * One message per request, from its start until its response is sent or its connection is closed.
 */
export const requestChannel = tracingChannel<unknown, RequestMessage>('express-rest-conventions:request')

/** One message per step of a request. */
export const stepChannel = tracingChannel<unknown, StepMessage>('express-rest-conventions:step')

/** One message per call of an adapter, for requests and for jobs. */
export const callChannel = tracingChannel<unknown, CallMessage>('express-rest-conventions:adapter-call')

/** One message per cache lookup. */
export const cacheChannel = channel('express-rest-conventions:cache')

/** One message per call that waits for a connection of a PostgreSQL pool. */
export const poolWaitChannel = tracingChannel<unknown, PoolWaitMessage>('express-rest-conventions:pool-wait')

/** One message per slow list over PostgreSQL. */
export const slowListChannel = channel('express-rest-conventions:slow-list')

/** One message when a rate-limit or login store fails, and one when it works again. */
export const storeFailureChannel = channel('express-rest-conventions:store-failure')

/**
 * One piece of work on a tracing channel. Work may be synchronous or asynchronous; `asyncEnd` is
 * published once for each, as the last event, so that subscribers can detect the end by this event
 * alone.
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
   * Calls `work(argument)` with the stores that subscribers have bound to `start`: a span started
   * by a subscriber is active inside `work`.
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

  /** Publishes the start of the work, if the code that follows does not run within it. */
  begin(): this {
    const { start, end } = this.#channel
    start.publish(this.message)
    end.publish(this.message)
    return this
  }

  /** Ends the work. `failure` has the thrown value. */
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

/** The fields that every message has after its work has ended. */
interface Outcome {
  duration: number | undefined
  failed: boolean
  error: unknown
}
