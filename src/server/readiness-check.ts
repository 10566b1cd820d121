/**
 * Runs a readiness check with a timeout. Concurrent requests share one run, its result is cached,
 * and failures are reported.
 */
import { causeText } from '../failures/line.js'
import { loggableError } from '../failures/loggable.js'
import { notify } from '../notify.js'
import { abortedAfter } from '../timeout.js'
import type { NamedCheck, ResolvedHealth } from './health-options.js'

/** The result of a check. */
export interface CheckResult {
  readonly works: boolean
  /** How long the check took, in milliseconds. */
  readonly duration: number
}

/**
 * Returns a function that runs the check and never rejects. Concurrent calls share one run, whose
 * result is cached for `maxAge` milliseconds.
 */
export function readinessCheck(
  { name, check }: NamedCheck,
  { maxAge, timeout, onFailure }: Pick<ResolvedHealth, 'maxAge' | 'timeout' | 'onFailure'>,
): () => Promise<CheckResult> {
  let result: Promise<CheckResult> | undefined
  let expires = Number.POSITIVE_INFINITY
  const log = outageLog(name)
  const run = async (): Promise<CheckResult> => {
    const began = performance.now()
    const ended = (works: boolean): CheckResult => ({ works, duration: Math.round(performance.now() - began) })
    try {
      await abortedAfter(check, timeout, () => loggableError(`The readiness check took longer than ${timeout} ms.`))
    } catch (error) {
      const failed = ended(false)
      if (onFailure === undefined) log.failed(error)
      else notify(onFailure, () => error, name)
      return failed
    }
    if (onFailure === undefined) log.worked()
    return ended(true)
  }
  return () => {
    if (result === undefined || performance.now() >= expires) {
      expires = Number.POSITIVE_INFINITY
      result = run().finally(() => {
        expires = performance.now() + maxAge
      })
    }
    return result
  }
}

/** Logs one line when a check begins to fail, and one when it works again. */
function outageLog(name: string) {
  let since: number | undefined
  return {
    failed(error: unknown): void {
      if (since !== undefined) return
      since = performance.now()
      console.error(`The readiness check "${name}" failed: ${causeText(error)}.`)
    },
    worked(): void {
      if (since === undefined) return
      console.error(
        `The readiness check "${name}" works again, after ${Math.round((performance.now() - since) / 1000)} seconds.`,
      )
      since = undefined
    },
  }
}
