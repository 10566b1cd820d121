/** A counted workload: the same request, or a similar one, repeatedly. */
import type { RequestListener } from 'node:http'
import type { Turn } from '../workloads/turns.js'
import type { Caller, Received, Watch } from './in-process.js'

export interface Work {
  readonly caller: Caller
  readonly handler: RequestListener
  readonly turn: Turn
  /** Header fields of each request. */
  readonly common: Readonly<Record<string, string>>
  /** The status of every response. */
  readonly status: number
  /** The tag of the previous response, which the next request may use. */
  tag?: string | undefined
}

/** Sends this many requests, and passes on each response. */
export function repeat(
  work: Work,
  times: number,
  watch: Watch = {},
  received: (answer: Received) => void = () => {},
): Promise<void> {
  const { caller, handler, turn, common, status } = work
  let left = times
  return caller.run(handler, watch, (answer) => {
    if (answer !== undefined) {
      if (answer.status !== status) throw new Error(`Status ${answer.status} instead of ${status}: ${answer.text}`)
      const at = answer.fields.findIndex((name) => name.toLowerCase() === 'etag')
      work.tag = at === -1 ? undefined : answer.fields[at + 1]
      received(answer)
    }
    if (left === 0) return undefined
    left -= 1
    const sent = turn(work.tag)
    return { ...sent, headers: { ...common, ...sent.headers } }
  })
}
