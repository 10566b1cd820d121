/** One budget: counts requests, compares them with the limit, and words the header fields as `express-rate-limit` does (LIMIT-1). */
import { hash } from 'node:crypto'
import type { Awaitable } from '../adapters/contract.js'
import { Caches } from '../cache.js'
import { HttpProblem } from '../problem.js'
import { isPromise } from '../promise.js'
import { header } from '../wire.js'
import type { Budget } from './budgets.js'
import { inSeconds } from './duration.js'
import type { WindowCount } from './store.js'

/** Header fields of an answer. */
type Fields = Record<string, string>

/**
 * Counts one request of a key, and returns the fields of its answer: at once where the store counts at once. Throws, or rejects
 * with, the 429 problem. What the store rejects with goes to `uncounted`.
 */
export type Engine = (key: string) => Awaitable<Fields>

/** What counts for an engine. `now` spares a store in the process from reading the clock again. */
interface Counter {
  increment(key: string, now: number): Awaitable<WindowCount>
}

/**
 * The engine of one budget. `caches` keep the policies of callers, which are in every answer. `uncounted` returns the fields of a
 * request that the store could not count, or throws.
 */
export function makeEngine(budget: Budget, store: Counter, uncounted: (error: unknown) => Fields, caches = new Caches()): Engine {
  const { name, limit, window } = budget
  const policies = caches.make<string, string>('policies')
  const policyOf = (key: string): string => {
    const kept = policies.get(key)
    if (kept !== undefined) return kept
    const policy = `"${name}"; q=${limit}; w=${Math.ceil(window / 1000)}; pk=:${partitionOf(key)}:`
    policies.set(key, policy)
    return policy
  }
  const judge = (key: string, { totalHits, resetTime }: WindowCount, now: number): Fields => {
    const seconds = secondsUntil(resetTime, window, now)
    const fields: Fields = {}
    fields[header.rateLimit] = `"${name}"; r=${Math.max(0, limit - totalHits)}; t=${seconds}`
    fields[header.rateLimitPolicy] = policyOf(key)
    if (totalHits > limit) throw tooMany(budget, fields, seconds)
    return fields
  }
  return (key) => {
    const now = Date.now()
    const counted = store.increment(key, now)
    // The store in the process answers at once: a request that it counts waits for no promise.
    return isPromise(counted) ? counted.then((count) => judge(key, count, Date.now()), uncounted) : judge(key, counted, now)
  }
}

/** Seconds until a window ends, as `express-rate-limit` tells them. A store that does not say when has begun one just now. */
function secondsUntil(end: Date | undefined, window: number, now: number): number {
  return end ? Math.max(0, Math.ceil((end.getTime() - now) / 1000)) : Math.ceil(window / 1000)
}

/** What tells one caller's quota from another's (draft-ietf-httpapi-ratelimit-headers-08 4.1.4), made as `express-rate-limit` makes it. */
const partitionOf = (key: string): string => Buffer.from(hash('sha256', key, 'hex').slice(0, 12)).toString('base64')

function tooMany({ name, limit, window }: Budget, fields: Fields, seconds: number): HttpProblem {
  const wait = Math.max(1, seconds || 0)
  return new HttpProblem('too-many-requests', {
    detail: `The budget "${name}" is ${limit} ${limit === 1 ? 'request' : 'requests'} in ${inSeconds(window / 1000)}. Try again in ${inSeconds(wait)}.`,
    headers: { ...fields, [header.retryAfter]: String(wait) },
  })
}
