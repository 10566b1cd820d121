/**
 * An open loop sends requests at a fixed rate, whether or not earlier requests have a response. If
 * the server pauses, further requests become due and wait, as the requests of real clients do. A
 * closed loop, which waits for a response before each further request, would not send them.
 */
import type { Connection } from './connection.js'
import { type Kind, kinds, type Mix } from './mix.js'

export interface OpenRan {
  /** The time that each request took, in milliseconds, by kind of request. */
  readonly times: Readonly<Record<Kind, readonly number[]>>
  /** The delay of the load generator's own timer in milliseconds (99th percentile). */
  readonly late: number
}

interface Due {
  readonly since: number
  readonly asked: ReturnType<Mix>
}

/**
 * Sends requests at a fixed rate. The time of a request starts when the load generator finds that
 * the request is due. This time includes the wait for a free connection. It excludes the delay of
 * the load generator's own timer, which no server causes.
 */
export function open(
  connections: readonly Connection[],
  mix: Mix,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<OpenRan> {
  const times = Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Record<Kind, number[]>
  const late: number[] = []
  const free = [...connections]
  const waiting: Due[] = []
  const count = Math.round(rate * seconds)
  return new Promise((resolve, reject) => {
    const start = performance.now()
    let sent = 0
    let answered = 0
    let failed = false
    const fail = (error: unknown): void => {
      failed = true
      reject(error)
    }
    const send = (connection: Connection, { since, asked }: Due): void => {
      connection
        .send(asked.sent, false)
        .then((reply) => {
          times[asked.kind].push(performance.now() - since)
          asked.settle(reply)
          answered += 1
          const next = waiting.shift()
          if (next === undefined) free.push(connection)
          else send(connection, next)
          if (answered === count) resolve({ times, late: percentile(late, 0.99) })
        }, fail)
        .catch(fail)
    }
    const tick = (): void => {
      if (failed) return
      const now = performance.now()
      for (; sent < count && start + (sent * 1000) / rate <= now; sent++) {
        late.push(now - start - (sent * 1000) / rate)
        const due = { since: now, asked: mix() }
        const connection = free.pop()
        if (connection === undefined) waiting.push(due)
        else send(connection, due)
      }
      if (sent < count) setTimeout(() => attempt(tick, fail), 1)
    }
    attempt(tick, fail)
  })
}

function attempt(work: () => void, fail: (error: unknown) => void): void {
  try {
    work()
  } catch (error) {
    fail(error)
  }
}

/** Returns a percentile of the values. For p99, `share` is 0.99. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}
