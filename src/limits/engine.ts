/**
 * Counts the requests of one budget with `express-rate-limit`. This module creates the header
 * fields itself, in the format of `express-rate-limit` (LIMIT-1).
 */
import { hash } from 'node:crypto'
import { rateLimit } from 'express-rate-limit'
import { Caches } from '../cache.js'
import { HttpProblem } from '../problem.js'
import { header } from '../wire.js'
import type { Budget } from './budgets.js'
import { inSeconds } from './duration.js'
import type { LimitStore } from './store.js'

/** Header fields of a response. */
type Fields = Record<string, string>

/**
 * Counts one request under a key and returns the header fields for its response. Rejects with the
 * 429 problem if there are too many requests. If the store fails, returns the fields that
 * `uncounted` (a parameter of `makeEngine`) returns, or rejects with the error that `uncounted`
 * throws.
 */
export type Engine = (key: string) => Promise<Fields>

/**
 * The request object passed to `express-rate-limit`, which reads the key from this object and
 * stores the count in it.
 */
interface Counted {
  readonly key: string
  readonly refuse: (count: Count) => void
  count: Count | undefined
}

/** The count that `express-rate-limit` stores. */
interface Count {
  readonly remaining: number
  readonly resetTime: Date | undefined
}

/**
 * Creates the engine of one budget. `caches` stores the `RateLimit-Policy` field of each caller, so
 * that the field is not computed again for each response. `uncounted` returns the fields for a
 * request that the store could not count, or throws.
 */
export function makeEngine(
  budget: Budget,
  store: Pick<LimitStore, 'increment' | 'decrement' | 'resetKey'>,
  uncounted: (error: unknown) => Fields,
  caches = new Caches(),
): Engine {
  const { name, limit, window } = budget
  const policies = caches.make<string, string>('policies')
  const policyOf = (key: string): string => {
    const kept = policies.get(key)
    if (kept !== undefined) return kept
    const policy = `"${name}"; q=${limit}; w=${Math.ceil(window / 1000)}; pk=:${partitionOf(key)}:`
    policies.set(key, policy)
    return policy
  }
  const fieldsOf = (key: string, remaining: number, seconds: number): Fields => {
    const fields: Fields = {}
    fields[header.rateLimit] = `"${name}"; r=${remaining}; t=${seconds}`
    fields[header.rateLimitPolicy] = policyOf(key)
    return fields
  }
  const counts = rateLimit({
    windowMs: window,
    limit,
    // With `standardHeaders`, `express-rate-limit` would compute a digest of the key for every
    // request.
    standardHeaders: false,
    legacyHeaders: false,
    validate: false,
    requestPropertyName: 'count' satisfies keyof Counted,
    keyGenerator: (request) => (request as unknown as Counted).key,
    handler: (request) => {
      const { refuse, count } = request as unknown as Counted
      refuse(count as Count)
    },
    store,
  })
  // `express-rate-limit` expects the request and the response, and stores the count in the request.
  // It gets other objects instead, so that the real request is not changed.
  return (key) =>
    new Promise((resolve, reject) => {
      const request: Counted = {
        key,
        refuse: ({ remaining, resetTime }) => {
          const seconds = secondsUntil(resetTime, window)
          reject(tooMany(budget, fieldsOf(key, remaining, seconds), seconds))
        },
        count: undefined,
      }
      const next = (error?: unknown): void => {
        if (error === undefined) {
          const { remaining, resetTime } = request.count as Count
          resolve(fieldsOf(key, remaining, secondsUntil(resetTime, window)))
        } else resolve(Promise.reject(error).catch(uncounted))
      }
      void counts(request as never, unanswered as never, next)
    })
}

/**
 * The object passed to `express-rate-limit` as the response. With the options above,
 * `express-rate-limit` writes nothing to this object.
 */
const unanswered = Object.freeze({})

/**
 * Seconds until a window ends, as `express-rate-limit` computes them. If the store returns no reset
 * time, the window is assumed to start now.
 */
function secondsUntil(end: Date | undefined, window: number): number {
  return end ? Math.max(0, Math.ceil((end.getTime() - Date.now()) / 1000)) : Math.ceil(window / 1000)
}

/**
 * The partition key, which identifies the quota of a caller
 * (draft-ietf-httpapi-ratelimit-headers-08 4.1.4). `express-rate-limit` computes the same key.
 */
const partitionOf = (key: string): string => Buffer.from(hash('sha256', key, 'hex').slice(0, 12)).toString('base64')

function tooMany({ name, limit, window }: Budget, fields: Fields, seconds: number): HttpProblem {
  const wait = Math.max(1, seconds || 0)
  return new HttpProblem('too-many-requests', {
    detail:
      `The budget "${name}" allows ${limit} ${limit === 1 ? 'request' : 'requests'} in ${inSeconds(window / 1000)}. ` +
      `Try again in ${inSeconds(wait)}.`,
    headers: { ...fields, [header.retryAfter]: String(wait) },
  })
}
