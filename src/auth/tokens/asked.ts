/** Questions to a team's own code on which a token's validity hangs: where there is no answer, nobody passes. */
import type { Answer } from '../../adapters/contract.js'
import { ConfigurationError, HttpProblem, Unavailable } from '../../problem.js'
import { isPromise } from '../../promise.js'

/** The answer of `ask`. What it throws becomes `Unavailable` (503): without the answer the service can't tell who asks. Problems and `ConfigurationError` stay. */
export function asked<T>(ask: () => Answer<T>): Answer<T> {
  try {
    const answer = ask()
    return isPromise(answer) ? answer.then(undefined, fail) : answer
  } catch (error) {
    return fail(error)
  }
}

function fail(error: unknown): never {
  throw error instanceof HttpProblem || error instanceof ConfigurationError ? error : new Unavailable({ cause: error })
}
