/** Repeats the same request, or similar requests, while the cost of a request is counted. */
import type { RequestListener } from 'node:http'
import type { Turn } from '../workloads/turns.js'
import type { Caller, Received, Watch } from './in-process.js'

export interface Work {
  readonly caller: Caller
  readonly handler: RequestListener
  readonly turn: Turn
  /** Header fields of every request. */
  readonly common: Readonly<Record<string, string>>
  /** The expected status of every response. */
  readonly status: number
  /** The entity tag of the previous response, which the next request may use. */
  tag?: string | undefined
}

/** Sends `times` requests, and passes each response to `received`. */
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
