/**
 * Counts calls, and responses that violate a clause. The service can count each client separately.
 * The number of counts is bounded. The counts cover all processes that share a store.
 */
import type { IncomingMessage } from 'node:http'
import { causeText } from '../failures/line.js'
import { loggableError } from '../failures/loggable.js'
import { notify } from '../notify.js'
import { checkOptions } from '../options/check.js'
import { declareFactory } from '../options/factories.js'
import { count, type Kinds, milliseconds, withMethod } from '../options/kinds.js'
import { withTimeout } from '../timeout.js'
import { type ClientOptions, clientLabels } from './clients.js'
import { type CountKind, Counts } from './counts.js'
import { Flusher } from './flusher.js'
import { snapshotOf, type UsageSnapshot } from './snapshot.js'
import { memoryUsageStore, type UsageStore } from './store.js'

/** A completed call. */
export interface CountedCall {
  /** The version segment, such as `v1`; empty if there is none. */
  readonly version: string
  readonly method: string
  /** The route template after the version segment; `undefined` if no route matches. */
  readonly route: string | undefined
  /** The result of `clientOf`. */
  readonly client: string
  /**
   * The number of calls that this call represents, which is more than 1 if only a sample is
   * counted. Default 1.
   */
  readonly amount?: number
}

/** A response that violates a clause, or would change if the clause were enforced. */
export interface CountedBreak {
  /** The id of the clause, such as `QUERY-8`. */
  readonly clause: string
  readonly method: string
  /** The template of the route; `undefined` if no route matches. */
  readonly route: string | undefined
  /**
   * The name of the part of the request or response that violates the clause, such as a parameter.
   * Never a value.
   */
  readonly detail?: string | undefined
  /** The result of `clientOf`. */
  readonly client: string
  /**
   * The number of responses that this response represents, which is more than 1 if only a sample is
   * counted. Default 1.
   */
  readonly amount?: number
}

/** The event of `onCount`: one count, with the labels under which it is stored. */
export interface UsageEvent {
  readonly kind: CountKind
  /** The clause for `would_break`, or the version for `calls`. */
  readonly subject: string
  readonly method: string
  readonly route: string
  /**
   * The name of the part of the request or response that violates the clause; empty if there is
   * none.
   */
  readonly detail: string
  /** The client's name; empty if clients are not distinguished. */
  readonly client: string
  readonly amount: number
}

export interface UsageOptions extends ClientOptions {
  /**
   * The store that all processes share: `redisUsageStore({ sendCommand })`. Default: a store in
   * this process, which contains only the counts of this process.
   */
  readonly store?: UsageStore
  /**
   * How many clients a report names, separately for calls and for violations. All other clients are
   * `(other)`. Default 100.
   */
  readonly clients?: number
  /** How many days counts are kept, from 1 to 400. Default 35. */
  readonly days?: number
  /** Milliseconds between writes to the store. Default 10,000. */
  readonly interval?: number
  /** Timeout of a write to the store, or of a read from it, in milliseconds. Default 5,000. */
  readonly storeTimeout?: number
  /** Called for each count, for metrics. If it throws, the error is written to `console.error`. */
  onCount?(event: UsageEvent): void
  /**
   * Called once when the store fails. Until the store responds again, counts are kept in the
   * process. Default: writes one line with the chain of causes to `console.error`.
   */
  onStoreFailure?(error: unknown): void
  /** Called once when the store responds again. Default: writes the message to `console.error`. */
  onStoreRecovery?(outage: { readonly message: string; readonly duration: number }): void
}

/**
 * The return value of `usage()`, for the option `usage` of `api`, `resourceRouter` and `observe()`.
 */
export interface Usage {
  /** The label of a client in counts; empty if clients are not distinguished. Never throws. */
  clientOf(principal: unknown, req: IncomingMessage): string
  /** Counts a completed call. Synchronous; never throws. */
  countCall(call: CountedCall): void
  /** Counts a response that violates a clause. Synchronous; never throws. */
  countBreak(found: CountedBreak): void
  /**
   * Starts counting in this process, even if there are no requests. `ready()` of `api` calls this
   * method. If this method is not called, counting starts with the first counted request.
   */
  start(): void
  /** Writes the counts to the store. Never rejects. */
  flush(): Promise<void>
  /**
   * Writes the last counts and marks this process as ended. Call it when the server has closed.
   * Never rejects.
   */
  close(): Promise<void>
  /**
   * The counts of all processes that share the store, for the last `days` days. Default 30, or
   * fewer if fewer days are kept. Rejects if the store does not respond. Rejects with a
   * `RangeError` if `days` is not a whole number from 1 to the number of days that are kept.
   */
  read(options?: { readonly days?: number }): Promise<UsageSnapshot>
}

/**
 * Thrown by `read()` for an invalid number of days. The separate class distinguishes this error
 * from a `RangeError` that a store throws.
 */
export class UnkeptDays extends RangeError {}

export const usageKinds: Kinds<UsageOptions> = {
  store: withMethod('a store such as redisUsageStore({ sendCommand })', 'write'),
  client: [{ oneOf: ['token', 'hash'] }, 'function'],
  secret: {
    by: 'a secret of at least 16 characters or bytes',
    is: (value) => (typeof value === 'string' || value instanceof Uint8Array) && value.length >= 16,
  },
  clients: { ...count, to: 10_000 },
  days: { ...count, to: 400, unit: 'days' },
  interval: { ...milliseconds, to: 3_600_000 },
  storeTimeout: milliseconds,
  onCount: 'function',
  onStoreFailure: 'function',
  onStoreRecovery: 'function',
}

/** The valid values of the option `usage` of `api`, `resourceRouter` and `observe()`. */
export const usageKind = withMethod('the result of usage()', 'countCall')

const noRoute = '(unknown)'

/**
 * Counts completed calls (by version, route and client), and responses that violate a clause (by
 * clause, route and client). Counting is synchronous, and the number of counts is bounded. A store
 * that does not respond never affects a request.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 *
 * @example
 * export const counts = usage({
 *   store: redisUsageStore({ sendCommand: (...command) => client.sendCommand(command) }),
 *   client: 'token',
 * })
 * app.use(api({ versions, usage: counts }))
 */
export function usage(options: UsageOptions = {}): Usage {
  checkOptions('usage()', options, usageKinds)
  const {
    store = memoryUsageStore(),
    clients = 100,
    days = 35,
    interval = 10_000,
    storeTimeout = 5000,
    onCount,
  } = options
  const {
    onStoreFailure = report,
    onStoreRecovery = ({ message }: { message: string }): void => console.error(message),
  } = options
  const calls = new Counts('calls', clients)
  const breaks = new Counts('would_break', clients)
  const flusher = new Flusher(store, [calls, breaks], { interval, storeTimeout, days, onStoreFailure, onStoreRecovery })
  let hasFailed = false
  const failed = (error: unknown): void => {
    if (!hasFailed) report(loggableError('usage() could not count; this is reported only once.', { cause: error }))
    hasFailed = true
  }
  return {
    clientOf: clientLabels(options),
    countCall(call) {
      try {
        flusher.start()
        const { version, method, route = noRoute, client, amount = 1 } = call
        const labels = calls.count(version, method, route, '', client, Date.now(), amount)
        if (onCount !== undefined) notify(onCount, () => ({ ...labels, amount }))
      } catch (error) {
        failed(error)
      }
    },
    countBreak(found) {
      try {
        flusher.start()
        const { clause, method, route = noRoute, detail = '', client, amount = 1 } = found
        const labels = breaks.count(clause, method, route, detail, client, Date.now(), amount)
        if (onCount !== undefined) notify(onCount, () => ({ ...labels, amount }))
      } catch (error) {
        failed(error)
      }
    },
    start: () => flusher.start(),
    flush: () => flusher.flush(),
    close: () => flusher.close(),
    async read({ days: asked = Math.min(30, days) } = {}) {
      if (!(Number.isInteger(asked) && asked >= 1 && asked <= days))
        throw new UnkeptDays(
          `The option "days" of read() is ${String(asked)}. Give a whole number from 1 to ${days}: usage() does ` +
            'not keep more days.',
        )
      await flusher.flush()
      const late = (): Error => new Error(`The store of usage() did not respond within ${storeTimeout} ms.`)
      return snapshotOf(
        await withTimeout(
          Promise.resolve().then(() => store.read()),
          storeTimeout,
          late,
        ),
        asked,
        clients,
      )
    },
  }
}

declareFactory(usage, 'usage()')

const report = (error: unknown): void => console.error(causeText(error))
