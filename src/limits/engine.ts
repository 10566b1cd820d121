/** One budget on `express-rate-limit`, which counts, compares and writes the header fields (LIMIT-1). */
import { rateLimit } from 'express-rate-limit'
import { HttpProblem } from '../problem.js'
import { header } from '../wire.js'
import type { Budget } from './budgets.js'
import { inSeconds } from './duration.js'
import type { LimitStore } from './store.js'

/** Header fields of an answer. */
type Fields = Record<string, string>

/** Counts one request of a key: the fields of its answer. Rejects with the 429 problem, or with what the store failed with. */
export type Engine = (key: string) => Promise<Fields>

/** What the engine is given for a request: it reads the key there, and leaves its count. */
interface Counted {
  readonly key: string
  readonly refuse: () => void
}

/** The engine of one budget. */
export function makeEngine(budget: Budget, store: Pick<LimitStore, 'increment' | 'decrement' | 'resetKey'>): Engine {
  const count = rateLimit({
    windowMs: budget.window,
    limit: budget.limit,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    identifier: budget.name,
    validate: false,
    keyGenerator: (request) => (request as unknown as Counted).key,
    handler: (request) => (request as unknown as Counted).refuse(),
    store,
  })
  // It wants Express's request and response, and would write on both: here it gets a place of its own.
  return (key) =>
    new Promise((resolve, reject) => {
      const fields: Fields = {}
      const keep = (name: string, value: string): void => {
        fields[name] = value
      }
      const request: Counted = { key, refuse: () => reject(tooMany(budget, fields)) }
      const response = { headersSent: false, append: keep, setHeader: keep }
      const next = (error?: unknown): void => (error === undefined ? resolve(fields) : reject(error))
      void count(request as never, response as never, next)
    })
}

function tooMany({ name, limit, window }: Budget, fields: Fields): HttpProblem {
  const wait = Math.max(1, Number(fields[header.retryAfter]) || 0)
  return new HttpProblem('too-many-requests', {
    detail: `The budget "${name}" is ${limit} ${limit === 1 ? 'request' : 'requests'} in ${inSeconds(window / 1000)}. Try again in ${inSeconds(wait)}.`,
    headers: { ...fields, [header.retryAfter]: String(wait) },
  })
}
