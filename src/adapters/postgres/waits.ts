/** How long somebody waits: for a connection, a turn, an answer. */
import type { Wait } from './client.js'
import { Busy, Cancelled } from './failures.js'

/** The part of the time that is left which a statement may take, so that the request hears how it ended. */
export const statementShare = 0.9
/** The part after which the request is told that nobody knows. */
const answerShare = 0.97
export const answerTime = (wait: Wait): number => wait.left() * answerShare
/** After a cancel, a server that still says nothing is taken for dead. Milliseconds. */
export const graceful = 5_000

/** What a timer of Node can hold. */
const longestTimer = 2 ** 31 - 1
export const timerFor = (milliseconds: number): number => Math.min(Math.max(0, milliseconds), longestTimer)

export const nobodyWaits = (): Cancelled => new Cancelled('The time is up, or nobody waits any more.')

export const tooLate = (): Cancelled => new Cancelled('The time was up before anything was committed.')

const leaving = new WeakMap<AbortSignal, { readonly all: Set<() => void>; readonly listener: () => void }>()

/** Calls back when nobody waits any more; gives what ends that. However many statements share a signal, it has one listener of ours, and none when they are over. */
export function onAbort(signal: AbortSignal | undefined, leave: () => void): () => void {
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
 * Waits for what `begin` promises, for `limit` milliseconds and as long as anybody does. Throws `Busy` or `Cancelled` where it comes too late; `begin` learns by its argument
 * whether it does.
 */
export function within<T>({ signal }: Wait, limit: number, begin: (waits: () => boolean) => Promise<T>): Promise<T> {
  if (signal?.aborted || limit <= 0) return Promise.reject(nobodyWaits())
  return new Promise((resolve, reject) => {
    let waits = true
    const end = (settle: () => void): void => {
      if (!waits) return
      waits = false
      clearTimeout(timer)
      stay()
      settle()
    }
    const leave = (): void => end(() => reject(nobodyWaits()))
    const timer = setTimeout(() => end(() => reject(new Busy(`No connection was free within ${Math.round(limit)} ms.`))), timerFor(limit))
    const stay = onAbort(signal, leave)
    begin(() => waits).then(
      (value) => end(() => resolve(value)),
      (error) => end(() => reject(error)),
    )
  })
}

/** The result, or what `late` makes when it does not come in time. */
export function answered<T>(result: Promise<T>, wait: Wait, late: () => Error): Promise<T> {
  const limit = answerTime(wait)
  if (limit === Number.POSITIVE_INFINITY) return result
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), timerFor(limit))
    result.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
