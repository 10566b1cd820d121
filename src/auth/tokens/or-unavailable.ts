/**
 * Calls the service's own functions that decide whether a token is valid. If such a function fails,
 * the request is refused.
 */
import type { Awaitable } from '../../adapters/contract.js'
import { isConfigurationError, isProblem, Unavailable } from '../../problem.js'
import { isPromise } from '../../promise.js'

/**
 * Returns the result of `call`. If `call` throws or rejects, the error becomes `Unavailable` (503),
 * because the request cannot be authenticated without the result. A problem or a
 * `ConfigurationError` is thrown unchanged.
 */
export function orUnavailable<T>(call: () => Awaitable<T>): Awaitable<T> {
  try {
    const answer = call()
    return isPromise(answer) ? answer.then(undefined, fail) : answer
  } catch (error) {
    return fail(error)
  }
}

function fail(error: unknown): never {
  throw isProblem(error) || isConfigurationError(error) ? error : new Unavailable({ cause: error })
}
