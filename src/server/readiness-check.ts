/** One check for all who ask whether the service is ready. */

/** When and how often the check runs. Times are in milliseconds. */
interface CheckOptions {
  readonly check: (signal: AbortSignal) => unknown
  readonly maxAge: number
  readonly timeout: number
  readonly onFailure: (error: unknown) => void
}

/**
 * A function that resolves with whether `check` succeeds. Whoever asks while it runs shares its
 * result, which then holds for `maxAge`. Never rejects.
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

/** What `work` comes to. Rejects where that takes longer, and fires the signal. */
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
    // Immediates run after the event loop has read what arrived while it was held up.
    const timer = setTimeout(() => setImmediate(expire), timeout)
    const settle = (): void => {
      settled = true
      clearTimeout(timer)
    }
    new Promise((begin) => begin(work(controller.signal))).finally(settle).then(resolve, reject)
  })
}
