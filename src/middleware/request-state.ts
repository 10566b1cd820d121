/** Per-request state, typed and private: nothing is written on `req`, `res.locals` or Express's types. */
import type { IncomingMessage } from 'node:http'
import { ConfigurationError } from '../problem.js'

export interface RequestState<T> {
  set(req: IncomingMessage, value: T): void
  find(req: IncomingMessage): T | undefined
  /** Throws `ConfigurationError` with the mend where the middleware did not run before. */
  of(req: IncomingMessage): T
}

/** State that the middleware `name` leaves for the handlers after it, in a registry of its own or one that is shared. */
export function requestState<T>(name: string, states = new WeakMap<IncomingMessage, T>()): RequestState<T> {
  return {
    set: (req, value) => void states.set(req, value),
    find: (req) => states.get(req),
    of(req) {
      const value = states.get(req)
      if (value === undefined) {
        throw new ConfigurationError(
          'middleware-missing',
          `This request has not passed ${name}. Put the middleware before the handler that asks for its result.`,
        )
      }
      return value
    },
  }
}
