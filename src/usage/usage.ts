/** Counts calls, and answers that break a clause, by client: bounded, for all processes together. */
import type { IncomingMessage } from 'node:http'
import { notify } from '../notify.js'
import { checkOptions } from '../options/check.js'
import { count, type Kinds, milliseconds, withMethod } from '../options/kinds.js'
import { withTimeout } from '../timeout.js'
import { type ClientOptions, clientLabels } from './clients.js'
import { type CountKind, Counts } from './counts.js'
import { Flusher } from './flusher.js'
import { snapshotOf, type UsageSnapshot } from './snapshot.js'
import { memoryUsageStore, type UsageStore } from './store.js'

/** An answered call. */
export interface CountedCall {
  /** The version segment, such as `v1`; empty where there is none. */
  readonly version: string
  readonly method: string
  /** The template below the version; `undefined` where nothing matches. */
  readonly route: string | undefined
  /** What `clientOf` gave. */
  readonly client: string
  /** How many calls it stands for: of a sample, more than one. Default 1. */
  readonly amount?: number
}

/** An answer that breaks a clause, or that enforcing it would change. */
export interface CountedBreak {
  /** Such as `QUERY-8`. */
  readonly clause: string
  readonly method: string
  /** The template of the route; `undefined` where nothing matches. */
  readonly route: string | undefined
  /** The name, never a value, of what breaks the clause, such as that of a parameter. */
  readonly detail?: string | undefined
  /** What `clientOf` gave. */
  readonly client: string
  /** How many answers it stands for: of a sample, more than one. Default 1. */
  readonly amount?: number
}

/** What `onCount` is notified of: one count, with the labels as they are bounded. */
export interface UsageEvent {
  readonly kind: CountKind
  /** The version of a call, or the clause. */
  readonly subject: string
  readonly method: string
  readonly route: string
  /** The name of what breaks the clause; empty where there is none. */
  readonly detail: string
  /** Empty where clients are not counted apart. */
  readonly client: string
  readonly amount: number
}

export interface UsageOptions extends ClientOptions {
  /** Where the counts of all processes are kept: `redisUsageStore({ sendCommand })`. Default: in this process. */
  readonly store?: UsageStore
  /** How many clients of each kind have their names in a report; all others are `(other)`. Default 100. */
  readonly clients?: number
  /** Days for which counts are kept, from 1 to 400. Default 35. */
  readonly days?: number
  /** Milliseconds between writes to the store. Default 10,000. */
  readonly interval?: number
  /** Milliseconds that the store may take for a write. Default 5,000. */
  readonly storeTimeout?: number
  /** Called for each count, for metrics. What it throws goes to `console.error`. */
  onCount?(event: UsageEvent): void
  /** Called once when the store fails; counts wait meanwhile. Default: `console.error`. */
  onStoreFailure?(error: unknown): void
  /** Called once when it answers again. Default: `console.error` of the message. */
  onStoreRecovery?(outage: { readonly message: string; readonly duration: number }): void
}

/** What `usage()` makes: the option `usage` of `api` and `resourceRouter`, and of `observe()`. */
export interface Usage {
  /** The label of a client, for the counts. Never throws. Empty where clients are not counted apart. */
  clientOf(principal: unknown, req: IncomingMessage): string
  /** Counts an answered call. Never throws, never waits. */
  countCall(call: CountedCall): void
  /** Counts an answer that breaks a clause. Never throws, never waits. */
  countBreak(found: CountedBreak): void
  /** Starts counting in this process, even if there are no requests. `ready()` of `api` calls it; without it, the first count does. */
  start(): void
  /** Writes what has been counted to the store. Never rejects. */
  flush(): Promise<void>
  /** Writes the last counts and marks this process as ended. Call it when the server has closed. Never rejects. */
  close(): Promise<void>
  /** The counts of all processes for the last so many days, default 30. Rejects where the store does not answer, and with `RangeError` for more days than are kept. */
  read(options?: { readonly days?: number }): Promise<UsageSnapshot>
}

/** Thrown by `read()` for a number of days that is not kept. A `RangeError` of a store is another thing. */
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

/** The option `usage` of a factory. */
export const usageKind = withMethod('what usage() made', 'countCall')

const noRoute = '(unknown)'

/**
 * Counts answered calls by version, route and client, and answers that break a clause by clause,
 * route and client. Counting is synchronous and bounded; a store that does not answer never affects
 * a request. Throws `ConfigurationError` where an option makes no sense.
 *
 * @example
 * export const counts = usage({ store: redisUsageStore({ sendCommand: (...command) => client.sendCommand(command) }), client: 'token' })
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
    if (!hasFailed) report(new Error('usage() could not count; this is reported only once.', { cause: error }))
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
          `The option "days" of read() is ${String(asked)}. Give a whole number from 1 to ${days}: usage() keeps no more days.`,
        )
      await flusher.flush()
      const late = (): Error => new Error(`The store of usage() did not answer in ${storeTimeout} ms.`)
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

const report = (error: unknown): void => console.error(error)
