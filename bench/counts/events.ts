/** Operations of a request, each with a cost of its own. */
import { createHook } from 'node:async_hooks'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import type { Counts } from './budgets.js'
import { repeat, type Work } from './repeat.js'

const tally = { adapterCalls: 0, uuids: 0, clock: 0 }

/** Counts the calls of an adapter's methods, without allocating. */
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
 * Runs before the library is loaded, because named imports keep the functions that exist then.
 * Counts random identifiers, and makes the initial versions of stores the same in every run,
 * because texts with other characters have other sizes.
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

/** The average of one request for each. */
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
