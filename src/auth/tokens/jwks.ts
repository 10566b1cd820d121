/**
 * Finds keys in the key set of an issuer. The set is fetched, cached, and fetched again if a token
 * names an unknown key (AUTH-5; RFC 7517 5).
 */

import type { Awaitable } from '../../adapters/contract.js'
import { causeText } from '../../failures/line.js'
import { loggable } from '../../failures/loggable.js'
import { notify } from '../../notify.js'
import { checkOptions } from '../../options/check.js'
import { declareFactory } from '../../options/factories.js'
import type { Kind, Kinds } from '../../options/kinds.js'
import { Unavailable } from '../../problem.js'
import { abortedAfter, longestTimer } from '../../timeout.js'
import type { Jwk } from './jwk.js'
import type { KeyFinder, KeyQuestion } from './key-ring.js'
import { type KeySet, readKeySet } from './key-set.js'
import { fetchKeySet, keySetAddress, keysOfSet } from './key-set-request.js'
import type { TokenKey } from './keys.js'

/** The source of a key set: its URL, or a function that returns the key set. */
export type JwksSource = string | URL | (() => Promise<{ readonly keys: readonly Jwk[] }>)

/** How a key set is fetched and cached. */
export interface JwksOptions {
  /**
   * Milliseconds after which a key set is fetched again. Default 600,000 (ten minutes). Until the
   * set has been fetched again, a key that the issuer has withdrawn is still accepted.
   */
  readonly maxAge?: number
  /**
   * The minimum time from the end of a fetch to the next fetch, in milliseconds. It applies if a
   * token names an unknown key, or if the last fetch failed. Default 30,000. Until a fetch has
   * succeeded, the minimum time is at most 1,000.
   */
  readonly cooldown?: number
  /** The timeout of a fetch in milliseconds. Default 5,000. */
  readonly timeout?: number
  /**
   * The `fetch` function, for example one that uses a proxy or custom certificates. It must support
   * the options `headers`, `redirect` and `signal`. Default: Node's `fetch`.
   */
  readonly fetch?: typeof fetch
  /**
   * Called with one error for each outage, and with errors about unusable keys. Default: writes the
   * error to `console.error`. Exceptions and rejections of the callback are written to
   * `console.error` too.
   */
  readonly onError?: (error: unknown) => void
}

const duration = (from: number): Kind => ({ from, to: longestTimer, unit: 'milliseconds' })

export const jwksKinds: Kinds<JwksOptions> = {
  maxAge: duration(1),
  cooldown: duration(0),
  timeout: duration(1),
  fetch: 'function',
  onError: 'function',
}

/**
 * Milliseconds between attempts to fetch the first key set, unless `cooldown` is shorter. The time
 * is short: if a service starts before its issuer, it should not wait long for the keys.
 */
const firstCooldown = 1000

/**
 * Finds keys in the key set that an issuer publishes (AUTH-5, RFC 7517 5). Pass the returned
 * function as the option `keys`. The key set is fetched for the first token and cached for
 * `maxAge`. If a token names an unknown key, the set is fetched again, at most once per `cooldown`.
 * Concurrent requests share one fetch. During an outage, the cached keys are used. If no keys are
 * cached, the response is 503.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid, if the URL contains
 * credentials, or if it is neither an https URL nor an http URL of this machine
 *
 * @example
 * bearer({
 *   keys: jwks('https://login.example/.well-known/jwks.json'),
 *   issuer: 'https://login.example',
 *   audience: 'courier',
 * })
 */
export function jwks(source: JwksSource, options: JwksOptions = {}): KeyFinder {
  checkOptions('jwks()', options, jwksKinds)
  const { maxAge = 600_000, cooldown = 30_000, timeout = 5_000, fetch: get = fetch } = options
  const address = typeof source === 'function' ? undefined : keySetAddress(source)
  const published = new PublishedKeys({
    maxAge,
    cooldown,
    timeout,
    load: (signal) => (typeof source === 'function' ? source() : fetchKeySet(address as URL, get, signal)),
    onError: options.onError ?? ((error) => console.error(causeText(error))),
  })
  return (header) => published.find(header)
}

declareFactory(jwks, 'jwks(url)')

interface JwksPlan {
  readonly maxAge: number
  readonly cooldown: number
  readonly timeout: number
  readonly load: (signal: AbortSignal) => Promise<unknown>
  readonly onError: (error: unknown) => void
}

class PublishedKeys {
  private readonly plan: JwksPlan
  private keys: readonly TokenKey[] | undefined
  /**
   * When the keys were fetched (`fetchedAt`), and when the last attempt ended (`attemptedAt`), in
   * milliseconds of the monotonic clock.
   */
  private fetchedAt = 0
  private attemptedAt = Number.NEGATIVE_INFINITY
  private failing = false
  private pending: Promise<void> | undefined
  private lastFaults = ''

  constructor(plan: JwksPlan) {
    this.plan = plan
  }

  find(header: KeyQuestion): Awaitable<readonly TokenKey[]> {
    const { keys } = this
    if (keys === undefined) return this.firstKeys(header)
    const found = matching(keys, header)
    if (performance.now() - this.fetchedAt >= this.plan.maxAge) {
      // While the source is failing, waiting for it would delay every request. So the cached keys
      // are used, and the fetch runs in the background.
      if (!this.failing) return this.refresh().then(() => matching(this.keys ?? [], header))
      if (this.mayTry(this.plan.cooldown)) void this.refresh()
    }
    if (found.length > 0 || !(this.pending !== undefined || this.mayTry(this.plan.cooldown))) return found
    return this.refresh().then(() => matching(this.keys ?? [], header))
  }

  private async firstKeys(header: KeyQuestion): Promise<readonly TokenKey[]> {
    const pause = Math.min(firstCooldown, this.plan.cooldown)
    if (this.pending !== undefined || this.mayTry(pause)) await this.refresh()
    if (this.keys !== undefined) return matching(this.keys, header)
    throw new Unavailable({
      cause: loggable(new Error('There is no key set yet: it could not be fetched.'), 'key-rotation'),
    })
  }

  private mayTry(pause: number): boolean {
    return performance.now() - this.attemptedAt >= pause
  }

  /** Fetches the key set. Concurrent callers share one fetch. Never rejects. */
  private refresh(): Promise<void> {
    this.pending ??= this.load().finally(() => {
      this.attemptedAt = performance.now()
      this.pending = undefined
    })
    return this.pending
  }

  private async load(): Promise<void> {
    try {
      const { load, timeout } = this.plan
      const set = await abortedAfter(load, timeout, () =>
        loggable(new Error(`The key set took longer than ${timeout} ms.`), 'key-rotation'),
      )
      const { keys, faults } = readKeySet(keysOfSet(set))
      this.keys = keys
      this.fetchedAt = performance.now()
      this.failing = false
      this.reportFaults(keys, faults)
    } catch (error) {
      const meanwhile = this.keys === undefined ? 'No request can be authenticated.' : 'The cached keys are still used.'
      if (!this.failing)
        this.report(
          loggable(new Error(`The key set could not be fetched. ${meanwhile}`, { cause: error }), 'key-rotation'),
        )
      this.failing = true
    }
  }

  private reportFaults(keys: KeySet['keys'], faults: KeySet['faults']): void {
    const message =
      faults.length > 0 ? faults.join('\n') : keys.length === 0 ? 'The key set has no key that can verify tokens.' : ''
    if (message !== '' && message !== this.lastFaults) this.report(loggable(new Error(message), 'key-rotation'))
    this.lastFaults = message
  }

  private report(error: Error): void {
    notify(this.plan.onError, () => error)
  }
}

/** The keys that may have signed a token with this header. The key ring chooses among them. */
function matching(keys: readonly TokenKey[], { alg, kid }: KeyQuestion): readonly TokenKey[] {
  return keys.filter((key) => key.algorithm === alg && (kid === undefined || key.kid === undefined || key.kid === kid))
}
