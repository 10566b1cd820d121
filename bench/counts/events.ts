/** Counts the operations that a request causes, such as adapter calls, promises and timers. */
import { createHook } from 'node:async_hooks'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import type { Counts } from './budgets.js'
import { repeat, type Work } from './repeat.js'

const tally = { adapterCalls: 0, uuids: 0, clock: 0 }

/** Wraps an adapter to count the calls of its methods. Counting allocates no memory. */
export function countCalls<A extends object>(adapter: A): A {
  const counted: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(adapter)) {
    counted[name] =
      typeof member !== 'function'
        ? member
        : (a: unknown, b: unknown, c: unknown, d: unknown) => {
            tally.adapterCalls += 1
            return member.call(adapter, a, b, c, d)
          }
  }
  return counted as A
}

/**
 * Counts calls of `randomUUID`, and makes `randomBytes` return constant bytes. The memory adapter
 * derives its version strings from random bytes. With constant bytes, these strings are the same in
 * every run. This function must be called before the library is loaded, so that the library imports
 * the replacements.
 */
export function prepareRandomness(): void {
  const { randomUUID } = crypto
  crypto.randomUUID = (options) => {
    tally.uuids += 1
    return randomUUID(options)
  }
  crypto.randomBytes = ((size: number) => Buffer.alloc(size, 7)) as typeof crypto.randomBytes
  syncBuiltinESMExports()
}

type Events = Omit<Counts, 'bytes' | 'calls' | 'code'>

/** Returns the average of each count per request. */
export async function events(work: Work, times: number): Promise<Events> {
  const sums: Record<keyof Events, number> = {
    promises: 0,
    timers: 0,
    listeners: 0,
    adapterCalls: 0,
    fields: 0,
    writes: 0,
    clock: 0,
    uuids: 0,
  }
  let looking = false
  const hook = createHook({
    init(_id, type) {
      if (!looking) return
      if (type === 'PROMISE') sums.promises += 1
      if (type === 'Timeout') sums.timers += 1
    },
  }).enable()
  const [now, dateNow] = [performance.now, Date.now]
  performance.now = () => {
    tally.clock += 1
    return now.call(performance)
  }
  Date.now = () => {
    tally.clock += 1
    return dateNow()
  }
  const listening = (): void => {
    if (looking) sums.listeners += 1
  }
  await repeat(
    work,
    times,
    {
      before(req, res) {
        Object.assign(tally, { adapterCalls: 0, uuids: 0, clock: 0 })
        looking = true
        req.on('newListener', listening)
        res.on('newListener', listening)
      },
      after() {
        looking = false
        sums.adapterCalls += tally.adapterCalls
        sums.uuids += tally.uuids
        sums.clock += tally.clock
      },
    },
    ({ fields, writes }) => {
      sums.fields += fields.length / 2
      sums.writes += writes
    },
  )
  performance.now = now
  Date.now = dateNow
  hook.disable()
  for (const name of Object.keys(sums) as (keyof Events)[]) sums[name] /= times
  return sums
}
