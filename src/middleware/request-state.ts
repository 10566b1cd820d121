/**
 * Typed, private state of a request. The state is not stored in `req` or `res.locals`, and
 * Express's types are not extended.
 */
import type { IncomingMessage } from 'node:http'
import { ConfigurationError } from '../problem.js'

export interface RequestState<T> {
  set(req: IncomingMessage, value: T): void
  find(req: IncomingMessage): T | undefined
  /** Returns the stored value. Throws `ConfigurationError` if the middleware did not run. */
  of(req: IncomingMessage): T
}

/**
 * Creates the state that the middleware `name` stores for later handlers. `states` is the map that
 * holds the values. Default: a new map.
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
