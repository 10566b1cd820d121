/** Questions to a team's own code on which a token's validity hangs: where there is no answer, nobody passes. */
import type { Awaitable } from '../../adapters/contract.js'
import { isConfigurationError, isProblem, Unavailable } from '../../problem.js'
import { isPromise } from '../../promise.js'

/** The answer of `ask`. What it throws becomes `Unavailable` (503): without the answer the service can't authenticate the request. Problems and `ConfigurationError` stay. */
export function asked<T>(ask: () => Awaitable<T>): Awaitable<T> {
  try {
    const answer = ask()
    return isPromise(answer) ? answer.then(undefined, fail) : answer
  } catch (error) {
    return fail(error)
  }
}

function fail(error: unknown): never {
  throw isProblem(error) || isConfigurationError(error) ? error : new Unavailable({ cause: error })
}
