/**
 * Calls to a service's functions on which a token's validity depends. If such a call fails, the
 * request is refused.
 */
import type { Awaitable } from '../../adapters/contract.js'
import { isConfigurationError, isProblem, Unavailable } from '../../problem.js'
import { isPromise } from '../../promise.js'

/**
 * The result of `call`. Its exceptions become `Unavailable` (503), since the request can't be
 * authenticated without the result. Problems and `ConfigurationError` are passed on unchanged.
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
