/** A workload as it is counted: the same request, or one like it, again and again. */
import type { RequestListener } from 'node:http'
import type { Turn } from '../workloads/turns.js'
import type { Caller, Told, Watch } from './in-process.js'

export interface Work {
  readonly caller: Caller
  readonly handler: RequestListener
  readonly turn: Turn
  /** Header fields of each request. */
  readonly common: Readonly<Record<string, string>>
  /** The status of every answer. */
  readonly status: number
  /** That of the answer before, which the next request may go by. */
  tag?: string | undefined
}

/** Makes so many requests, and tells each answer. */
export function repeat(
  work: Work,
  times: number,
  watch: Watch = {},
  told: (answer: Told) => void = () => {},
): Promise<void> {
  const { caller, handler, turn, common, status } = work
  let left = times
  return caller.run(handler, watch, (answer) => {
    if (answer !== undefined) {
      if (answer.status !== status) throw new Error(`${answer.status} and not ${status}: ${answer.text}`)
      const at = answer.fields.findIndex((name) => name.toLowerCase() === 'etag')
      work.tag = at === -1 ? undefined : answer.fields[at + 1]
      told(answer)
    }
    if (left === 0) return undefined
    left -= 1
    const sent = turn(work.tag)
    return { ...sent, headers: { ...common, ...sent.headers } }
  })
}
