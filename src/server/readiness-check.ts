/** The readiness check: shared by concurrent calls, and cached. */

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
    try {
      onFailure(error)
    } catch (failure) {
      console.error('onFailure of probes() threw:', failure)
    }
    return false
  }
  return () => {
    if (result === undefined || performance.now() >= expires) {
      expires = Number.POSITIVE_INFINITY
      result = bounded(check, timeout)
        .then(() => true, report)
        .finally(() => {
          expires = performance.now() + maxAge
        })
    }
    return result
  }
}

/** The result of `work`. Rejects after `timeout` milliseconds, and fires the signal. */
function bounded(work: (signal: AbortSignal) => unknown, timeout: number): Promise<unknown> {
  const controller = new AbortController()
  return new Promise((resolve, reject) => {
    let settled = false
    const expire = (): void => {
      if (settled) return
      const late = new Error(`The readiness check took longer than ${timeout} ms.`)
      reject(late)
      controller.abort(late)
    }
    // Immediates run after the event loop has read what arrived while it was blocked.
    const timer = setTimeout(() => setImmediate(expire), timeout)
    const settle = (): void => {
      settled = true
      clearTimeout(timer)
    }
    new Promise((begin) => begin(work(controller.signal))).finally(settle).then(resolve, reject)
  })
}
