/** Limits failed logins (AUTH-6). */

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

/** The limits of failed logins. */
export interface AttemptsOptions {
  /** The limit for one account from one IP address. Default 10 in 15 minutes. */
  readonly pair?: Partial<Quota>
  /**
   * The limit for one IP address, for all accounts together, except those that have recently logged
   * in from that address. Default 100 in 15 minutes.
   */
  readonly address?: Partial<Quota>
  /**
   * The limit for one account, for all IP addresses together, except those from which that account
   * has recently logged in. Default 100 in 15 minutes.
   */
  readonly account?: Partial<Quota>
}

/**
 * An admitted attempt. Call exactly one of these functions when the check of the password has
 * ended. The functions never reject.
 */
export interface LoginAttempt {
  /** The password was wrong. */
  failed(): void
  /** The password was right. */
  succeeded(): Promise<void>
  /** The password could not be checked. */
  abandoned(): Promise<void>
}

const limitOptions = { options: limitKinds }

export const attemptsKinds: Kinds<AttemptsOptions> = {
  pair: limitOptions,
  address: limitOptions,
  account: limitOptions,
}

const quarterHour = 15 * 60_000
const defaults = {
  pair: { limit: 10, window: quarterHour },
  address: { limit: 100, window: quarterHour },
  account: { limit: 100, window: quarterHour },
}

/**
 * After a login, the IP address stays known for the account for at most this time: 24 days, in
 * milliseconds. Some stores wait for this time with a Node timer before they remove a count. So the
 * time must be below the longest delay of such a timer (2^31 - 1 milliseconds).
 */
const remembered = 24 * 24 * 60 * 60_000

const messages: StoreMessages = {
  failed: 'The store of login() is down. Until it recovers, each process counts failed logins on its own.',
  recovered: (time) =>
    `Each process counted failed logins on its own for ${time}, because the store of login() was down.`,
}

/**
 * Admits login attempts until too many have failed. The constructor throws `ConfigurationError` if
 * an option is invalid.
 */
export class LoginThrottle {
  readonly #pair: LoginCounter
  readonly #address: LoginCounter
  readonly #account: LoginCounter
  /** The pairs of an account and an IP address from which a login to the account succeeded. */
  readonly #known: LoginCounter
  /** The number of attempts that this process is checking, by key. */
  readonly #checking = new Map<string, number>()

  constructor(attempts: AttemptsOptions | undefined, options: StoreOptions) {
    const make = options.store === undefined ? undefined : storeMaker('login()', options.store, ['get'])
    const guard = new StoreGuard(messages, options)
    const counter = (name: string, limit: Quota): LoginCounter => {
      return new LoginCounter(
        limit,
        make === undefined ? undefined : guard.add(make(`login-${name}`, limit.window), limit.window),
      )
    }
    const limit = (name: keyof AttemptsOptions): LoginCounter =>
      counter(name, limitOf(attempts?.[name], defaults[name]))
    this.#pair = limit('pair')
    this.#address = limit('address')
    this.#account = limit('account')
    this.#known = counter('known', { limit: 1, window: remembered })
  }

  /**
   * Admits an attempt. Rejects with `too-many-requests` (429) if too many attempts have failed. A
   * rejected attempt is not counted. The response does not depend on whether the user exists. If
   * the account has recently logged in from this IP address, only the failures of this account from
   * this IP address count. So clients with other IP addresses cannot lock out the owner of the
   * account.
   */
  async admit(user: string, req: IncomingMessage): Promise<LoginAttempt> {
    const address = addressKey(req)
    const account = digestOf(user)
    // A line break separates the user name from the IP address. A user name contains no control
    // characters, so different pairs never give the same string.
    const pair = digestOf(`${user}\n${address}`)
    const [known, own] = await Promise.all([this.#known.has(pair), this.#pair.reserve(pair)])
    const others = known ? [] : await Promise.all([this.#address.reserve(address), this.#account.reserve(account)])
    const keys = known ? [pair] : [pair, address, account]
    const all = [own, ...others]
    const abandoned = async (): Promise<void> => {
      await Promise.all(all.map((reservation) => reservation.release()))
    }
    if (all.some((reservation) => reservation.over)) {
      const retryAt = Math.max(...all.map((reservation, i) => this.#retryAt(reservation, keys[i] as string)))
      await abandoned()
      throw tooMany(retryAt)
    }
    this.#count(keys, 1)
    const failed = (): void => this.#count(keys, -1)
    const succeeded = async (): Promise<void> => {
      failed()
      await Promise.all([
        this.#pair.clear(pair),
        ...others.map((reservation) => reservation.release()),
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
   * The time at which this limit may admit the next attempt, in milliseconds since 1970; 0 if the
   * limit is not reached. An attempt whose password is being checked counts as failed until the
   * check ends. If such attempts succeed, further attempts can be admitted before the window ends.
   * So while a password is being checked, the client may retry after a few seconds.
   */
  #retryAt({ over, ends }: Reservation, key: string): number {
    if (!over) return 0
    return this.#checking.has(key) ? Math.min(ends, Date.now() + retryWhileChecking) : ends
  }

  #count(keys: readonly string[], by: 1 | -1): void {
    for (const key of keys) {
      const count = (this.#checking.get(key) ?? 0) + by
      if (count > 0) this.#checking.set(key, count)
      else this.#checking.delete(key)
    }
  }
}

/** Milliseconds after which a client may retry if earlier attempts are still being checked. */
const retryWhileChecking = 5_000

function tooMany(retryAt: number): HttpProblem {
  const wait = Math.max(1, Math.ceil((retryAt - Date.now()) / 1000))
  return new HttpProblem('too-many-requests', {
    detail: `Too many logins have failed, or are being checked. Try again in ${inSeconds(wait)}.`,
    headers: { [header.retryAfter]: String(wait) },
  })
}
