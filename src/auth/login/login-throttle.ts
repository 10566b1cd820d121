/** Who may try a password, and how often (AUTH-6). */

import type { IncomingMessage } from 'node:http'
import { inSeconds } from '../../limits/duration.js'
import { addressKey, digestOf } from '../../limits/keys.js'
import { limitKinds, limitOf, storeMaker } from '../../limits/limit-options.js'
import type { Quota, StoreOptions } from '../../limits/store.js'
import { StoreGuard, type StoreMessages } from '../../limits/store-guard.js'
import type { Kinds } from '../../options/kinds.js'
import { HttpProblem } from '../../problem.js'
import { header } from '../../wire.js'
import { LoginCounter, type Reservation } from './login-counter.js'

/** How many logins may fail, in how many milliseconds. */
export interface AttemptsOptions {
  /** For one account from one address. Default 10 in 15 minutes. */
  readonly pair?: Partial<Quota>
  /** From one address, whatever the account. Default 100 in 15 minutes. */
  readonly address?: Partial<Quota>
  /** For one account, from all addresses that it has never logged in from. Default 100 in 15 minutes. */
  readonly account?: Partial<Quota>
}

/** An attempt that may be checked. Call one of these when it was. None ever rejects. */
export interface LoginAttempt {
  /** The password was wrong. */
  failed(): void
  /** The password was right. */
  succeeded(): Promise<void>
  /** It could not be checked. */
  abandoned(): Promise<void>
}

const limitOptions = { options: limitKinds }

export const attemptsKinds: Kinds<AttemptsOptions> = {
  pair: limitOptions,
  address: limitOptions,
  account: limitOptions,
}

const quarter = 15 * 60_000
const defaults = {
  pair: { limit: 10, window: quarter },
  address: { limit: 100, window: quarter },
  account: { limit: 100, window: quarter },
}

/** Milliseconds for which an address is known to an account that has logged in from it: no more than a timer can wait (2^31 - 1), for some stores sweep by one of that length. */
const remembered = 24 * 24 * 60 * 60_000

const messages: StoreMessages = {
  failed: 'The store of login() does not count: each process counts failed logins by itself until it does.',
  recovered: (time) => `Each process counted failed logins by itself for ${time}: the store of login() did not count.`,
}

/** Lets attempts through as long as not too many have failed. Throws `ConfigurationError` where an option makes no sense. */
export class LoginThrottle {
  readonly #pair: LoginCounter
  readonly #address: LoginCounter
  readonly #account: LoginCounter
  /** Pairs of account and address that have logged in. */
  readonly #known: LoginCounter
  /** How many attempts of each key are being checked by this process. */
  readonly #checking = new Map<string, number>()

  constructor(attempts: AttemptsOptions | undefined, options: StoreOptions) {
    const make = options.store === undefined ? undefined : storeMaker('login()', options.store, ['get'])
    const guard = new StoreGuard(messages, options)
    const counter = (name: string, limit: Quota): LoginCounter => {
      return new LoginCounter(limit, make === undefined ? undefined : guard.add(make(`login-${name}`), limit.window))
    }
    const limit = (name: keyof AttemptsOptions): LoginCounter =>
      counter(name, limitOf(attempts?.[name], defaults[name]))
    this.#pair = limit('pair')
    this.#address = limit('address')
    this.#account = limit('account')
    this.#known = counter('known', { limit: 1, window: remembered })
  }

  /**
   * Admits an attempt. Rejects with `too-many-requests` (429) where too many have failed: that attempt is not counted, and the answer is the same whether there is such a
   * user or not. An address from which the account has logged in before has only its own failures to fear, so that no stranger can lock the owner out.
   */
  async admit(user: string, req: IncomingMessage): Promise<LoginAttempt> {
    const address = addressKey(req)
    const account = digestOf(user)
    // A user has no control characters, so this can be taken apart in one way only.
    const pair = digestOf(`${user}\n${address}`)
    const [known, own] = await Promise.all([this.#known.has(pair), this.#pair.reserve(pair)])
    const others = known ? [] : await Promise.all([this.#address.reserve(address), this.#account.reserve(account)])
    const keys = known ? [pair] : [pair, address, account]
    const all = [own, ...others]
    const abandoned = async (): Promise<void> => {
      await Promise.all(all.map((reservation) => reservation.giveBack()))
    }
    if (all.some((reservation) => reservation.over)) {
      const room = Math.max(...all.map((reservation, i) => this.#roomAt(reservation, keys[i] as string)))
      await abandoned()
      throw tooMany(room)
    }
    this.#count(keys, 1)
    const failed = (): void => this.#count(keys, -1)
    const succeeded = async (): Promise<void> => {
      failed()
      await Promise.all([
        this.#pair.clear(pair),
        ...others.map((reservation) => reservation.giveBack()),
        this.#known.renew(pair),
      ])
    }
    const release = async (): Promise<void> => {
      failed()
      await abandoned()
    }
    return { failed, succeeded, abandoned: release }
  }

  /**
   * When an attempt may be admitted, as `Date.now()` tells it. Attempts that are being checked are
   * counted as failed until then: they may all be right, so the end of the window would not be true.
   */
  #roomAt({ over, ends }: Reservation, key: string): number {
    if (!over) return 0
    return this.#checking.has(key) ? Math.min(ends, Date.now() + briefly) : ends
  }

  #count(keys: readonly string[], by: 1 | -1): void {
    for (const key of keys) {
      const count = (this.#checking.get(key) ?? 0) + by
      if (count > 0) this.#checking.set(key, count)
      else this.#checking.delete(key)
    }
  }
}

/** Milliseconds after which to try again where the attempts before are being checked. */
const briefly = 5_000

function tooMany(room: number): HttpProblem {
  const wait = Math.max(1, Math.ceil((room - Date.now()) / 1000))
  return new HttpProblem('too-many-requests', {
    detail: `Too many logins have failed, or are being checked. Try again in ${inSeconds(wait)}.`,
    headers: { [header.retryAfter]: String(wait) },
  })
}
