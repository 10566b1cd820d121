/**
 * Typed, private state per request: nothing is written on `req`, `res.locals` or Express's types.
 */
import type { IncomingMessage } from 'node:http'
import { ConfigurationError } from '../problem.js'

export interface RequestState<T> {
  set(req: IncomingMessage, value: T): void
  find(req: IncomingMessage): T | undefined
  /** Throws `ConfigurationError` if the middleware did not run. */
  of(req: IncomingMessage): T
}

/**
 * State that the middleware `name` stores for later handlers. `states`: a shared registry; default:
 * a new one.
 */
export function requestState<T>(name: string, states = new WeakMap<IncomingMessage, T>()): RequestState<T> {
  return {
    set: (req, value) => void states.set(req, value),
    find: (req) => states.get(req),
    of(req) {
      const value = states.get(req)
      if (value === undefined) {
        throw new ConfigurationError(
          'middleware-missing',
          `The middleware ${name} did not run for this request. Mount it before the handler that uses its result.`,
        )
      }
      return value
    },
  }
}
