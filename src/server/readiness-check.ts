/** The readiness check: shared by concurrent calls, and cached. */
import { notify } from '../notify.js'
import { abortedAfter } from '../timeout.js'

/** What is checked, and how often. Times are in milliseconds. */
interface CheckOptions {
  readonly check: (signal: AbortSignal) => unknown
  readonly maxAge: number
  readonly timeout: number
  readonly onFailure: (error: unknown) => void
}

/**
 * Returns a function that resolves with whether `check` succeeds. Calls while it runs share its
 * result, which is used again for `maxAge`. Never rejects.
 */
export function readinessCheck({ check, maxAge, timeout, onFailure }: CheckOptions): () => Promise<boolean> {
  let result: Promise<boolean> | undefined
  let expires = Number.POSITIVE_INFINITY
  const report = (error: unknown): false => {
    notify(onFailure, () => error)
    return false
  }
  return () => {
    if (result === undefined || performance.now() >= expires) {
      expires = Number.POSITIVE_INFINITY
      result = abortedAfter(check, timeout, () => new Error(`The readiness check took longer than ${timeout} ms.`))
        .then(() => true, report)
        .finally(() => {
          expires = performance.now() + maxAge
        })
    }
    return result
  }
}
