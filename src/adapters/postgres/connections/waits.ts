/** How long somebody waits: for a connection, a turn, an answer. */
import { longestTimer, withTimeout } from '../../../timeout.js'
import type { Wait } from './client.js'
import { Cancelled, Exhausted } from './failures.js'

/** The part of the time that is left which a statement may take, so that the request hears how it ended. */
export const statementShare = 0.9
/** The part after which the request is told that nobody knows. */
export const answerShare = 0.97
export const answerTime = (wait: Wait): number => wait.left() * answerShare
/** After a cancel, a server that still says nothing is taken for dead. Milliseconds. */
export const graceful = 5_000

export const timerFor = (milliseconds: number): number => Math.min(Math.max(0, milliseconds), longestTimer)

export const nobodyWaits = (): Cancelled => new Cancelled('The time is up, or nobody waits any more.')

export const tooLate = (): Cancelled => new Cancelled('The time was up before anything was committed.')

const leaving = new WeakMap<AbortSignal, { readonly all: Set<() => void>; readonly listener: () => void }>()

/** Calls back when nobody waits any more; gives what ends that. However many statements share a signal, it has one listener of ours, and none when they are over. */
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

/** Milliseconds within which most things end. Only what takes longer asks for a signal, and listens to it: to have one made costs as much as a small statement. */
const briefly = 20

/** Calls back when the time is up, or, after a moment, when nobody waits any more; gives what ends that. `limit` in milliseconds. */
export function whenTooLong(wait: Wait, limit: number, late: () => void, left: () => void): () => void {
  if (limit <= briefly) {
    const timer = setTimeout(late, timerFor(limit))
    return () => clearTimeout(timer)
  }
  const until = performance.now() + limit
  let stay: (() => void) | undefined
  let timer = setTimeout(() => {
    timer = setTimeout(late, timerFor(until - performance.now()))
    const { signal } = wait
    if (signal?.aborted) left()
    else stay = onAbort(signal, left)
  }, briefly)
  return () => {
    clearTimeout(timer)
    stay?.()
  }
}

/**
 * Waits for what `begin` promises, for `limit` milliseconds and as long as the caller does. Throws
 * `Busy` or `Cancelled` where it comes too late; the argument of `begin` tells whether it does. A
 * value that comes too late goes to `discard`.
 */
export function within<T>(
  wait: Wait,
  limit: number,
  begin: (waits: () => boolean) => Promise<T>,
  discard?: (value: T) => void,
): Promise<T> {
  if (wait.gone || limit <= 0) return Promise.reject(nobodyWaits())
  return new Promise((resolve, reject) => {
    let waits = true
    const end = (settle: () => void): void => {
      if (!waits) return
      waits = false
      stay()
      settle()
    }
    const stay = whenTooLong(
      wait,
      limit,
      () => end(() => reject(new Exhausted(`No connection was free within ${Math.round(limit)} ms.`))),
      () => end(() => reject(nobodyWaits())),
    )
    begin(() => waits).then(
      (value) => (waits ? end(() => resolve(value)) : discard?.(value)),
      (error) => end(() => reject(error)),
    )
  })
}

/** The result, or what `late` makes when it does not come in time. */
export function answered<T>(result: Promise<T>, wait: Wait, late: () => Error): Promise<T> {
  return withTimeout(result, answerTime(wait), late)
}
