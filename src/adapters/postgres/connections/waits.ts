/** Time limits for waiting for a connection, a turn or a result. */
import { longestTimer, withTimeout } from '../../../timeout.js'
import type { Wait } from './client.js'
import { Cancelled, Exhausted } from './failures.js'

/**
 * The share of the caller's remaining time that a statement may take. The rest is left for
 * reporting the outcome.
 */
export const statementShare = 0.9
/**
 * The share of the caller's remaining time after which the caller gets an error if the outcome is
 * still unknown.
 */
export const answerShare = 0.97
export const answerTime = (wait: Wait): number => wait.left() * answerShare
/**
 * How long to wait for a response of the server after a cancel, in milliseconds. After that, the
 * connection is given up.
 */
export const gracePeriod = 5_000

export const timerFor = (milliseconds: number): number => Math.min(Math.max(0, milliseconds), longestTimer)

export const callAbandoned = (): Cancelled => new Cancelled('The time is up, or the caller no longer waits.')

export const tooLate = (): Cancelled => new Cancelled('The time was up before anything was committed.')

const leaving = new WeakMap<AbortSignal, { readonly all: Set<() => void>; readonly listener: () => void }>()

/**
 * Calls `leave` when the signal aborts. Returns a function that removes the callback. All
 * statements with the same signal share one listener, which is removed when all of them are over.
 */
function onAbort(signal: AbortSignal | undefined, leave: () => void): () => void {
  if (signal === undefined) return () => {}
  let shared = leaving.get(signal)
  if (shared === undefined) {
    const all = new Set<() => void>()
    shared = {
      all,
      listener: () => {
        for (const one of all) one()
      },
    }
    leaving.set(signal, shared)
    signal.addEventListener('abort', shared.listener)
  }
  const { all, listener } = shared
  all.add(leave)
  return () => {
    if (!all.delete(leave) || all.size > 0) return
    signal.removeEventListener('abort', listener)
    leaving.delete(signal)
  }
}

/**
 * The time after which an operation reads the caller's signal and listens to it, in milliseconds.
 * The first access to the signal creates the signal, which costs as much as a small statement. Most
 * operations end earlier, so they avoid this cost.
 */
const signalDelay = 20

/**
 * Calls `late` after `limit` milliseconds, and `abandoned` when the caller no longer waits. The
 * signal of the caller is read only after `signalDelay`, so it is not read if `limit` is not longer
 * than `signalDelay`. Returns a function that prevents both calls.
 */
export function whenTooLong(wait: Wait, limit: number, late: () => void, abandoned: () => void): () => void {
  if (limit <= signalDelay) {
    const timer = setTimeout(late, timerFor(limit))
    return () => clearTimeout(timer)
  }
  const until = performance.now() + limit
  let stopListening: (() => void) | undefined
  let timer = setTimeout(() => {
    timer = setTimeout(late, timerFor(until - performance.now()))
    const { signal } = wait
    if (signal?.aborted) abandoned()
    else stopListening = onAbort(signal, abandoned)
  }, signalDelay)
  return () => {
    clearTimeout(timer)
    stopListening?.()
  }
}

/**
 * Waits for the promise that `begin` returns. Rejects with `Exhausted` after `limit` milliseconds.
 * Rejects with `Cancelled` if the caller no longer waits, or if `limit` is not positive. A value
 * that arrives after a rejection is passed to `discard`. `begin` receives a function that returns
 * whether the result is still awaited.
 */
export function within<T>(
  wait: Wait,
  limit: number,
  begin: (waits: () => boolean) => Promise<T>,
  discard?: (value: T) => void,
): Promise<T> {
  if (wait.gone || limit <= 0) return Promise.reject(callAbandoned())
  return new Promise((resolve, reject) => {
    let waits = true
    const end = (settle: () => void): void => {
      if (!waits) return
      waits = false
      stopWaiting()
      settle()
    }
    const stopWaiting = whenTooLong(
      wait,
      limit,
      () => end(() => reject(new Exhausted(`No connection was free within ${Math.round(limit)} ms.`))),
      () => end(() => reject(callAbandoned())),
    )
    begin(() => waits).then(
      (value) => (waits ? end(() => resolve(value)) : discard?.(value)),
      (error) => end(() => reject(error)),
    )
  })
}

/**
 * Settles as `result` does. If `result` takes too long, rejects with the error that `late` returns.
 */
export function answered<T>(result: Promise<T>, wait: Wait, late: () => Error): Promise<T> {
  return withTimeout(result, answerTime(wait), late)
}
