/** Measures the bytes that a request allocates on V8's heap. */
import v8 from 'node:v8'
import type { Received } from './in-process.js'
import { repeat, type Work } from './repeat.js'

/**
 * Returns the bytes that a request usually allocates, minus the bytes that Node allocates to write
 * the same response. Figures are comparable only if V8 optimizes nothing (`--no-opt`) and no
 * garbage collection runs during the measurement (`--min-semi-space-size`).
 */
export async function allocated(work: Work, times: number): Promise<number> {
  const [whole, written] = [await perRequest(work, times), await perRequest(await replay(work), times)]
  return Math.round(middle(whole) - middle(written))
}

async function perRequest(work: Work, times: number): Promise<number[]> {
  const found: number[] = []
  let before = 0
  await repeat(work, times, {
    before() {
      before = v8.getHeapStatistics().used_heap_size
    },
    after() {
      found.push(v8.getHeapStatistics().used_heap_size - before)
    },
  })
  return found
}

/** Returns a workload that sends the response of `work` with only `writeHead` and `end`. */
async function replay(work: Work): Promise<Work> {
  let answer: Received | undefined
  await repeat(work, 1, {}, (received) => {
    answer = received
  })
  const { status, fields, text } = answer as Received
  const own = fields.filter((_, at) => !/^(?:connection|keep-alive)$/i.test(fields[at - (at % 2)] as string))
  const sent = work.turn(work.tag)
  const body = text === '' ? undefined : text
  return {
    ...work,
    turn: () => sent,
    handler(_req, res) {
      res.writeHead(status, own)
      res.end(body)
    },
  }
}

/**
 * Returns the mean of the middle half of the values. This excludes occasional allocations, such as
 * those for a growing cache or for a batch of random numbers.
 */
function middle(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.slice(sorted.length >> 2, sorted.length - (sorted.length >> 2))
  return half.reduce((sum, value) => sum + value, 0) / half.length
}
