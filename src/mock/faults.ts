/**
 * Random delays and failures of a mock. With the same seed and options, the nth request always gets
 * the same delay and the same failure. OPTIONS requests are not counted.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpProblem, problemKinds, Unavailable } from '../problem.js'
import { Random } from '../random.js'
import { header } from '../wire.js'

/** The delay of responses, from `min` to `max` milliseconds. */
export interface MockDelay {
  readonly min: number
  readonly max: number
}

/** A status, and the share of requests (from 0 to 1) that fail with this status. */
export interface MockFailure {
  readonly share: number
  readonly status: number
}

/** The delay and the failure of one request. */
export interface Outcome {
  /** The delay in milliseconds. */
  readonly delay: number
  readonly failure: HttpProblem | undefined
}

/** Determines the delay and the failure of each request, in order. */
export class Outcomes {
  readonly #random: Random
  readonly #delay: MockDelay
  readonly #failures: readonly MockFailure[]

  constructor(seed: number, delay: MockDelay = { min: 0, max: 0 }, failures: readonly MockFailure[] = []) {
    this.#random = Random.of(seed, 'requests')
    this.#delay = delay
    this.#failures = failures
  }

  next(): Outcome {
    const { min, max } = this.#delay
    // Both random numbers are drawn for each request, so that a change of one option does not
    // change the results of the other.
    const delay = this.#random.between(min, max)
    let remaining = this.#random.next()
    const failure = this.#failures.find(({ share }) => {
      const isHit = remaining < share
      remaining -= share
      return isHit
    })
    return { delay, failure: failure && problemOf(failure.status) }
  }
}

/** Waits until the delay has passed or the client disconnects. */
export async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0) await sleep(milliseconds, undefined, { signal }).catch(() => {})
}

const detail = 'The mock is configured to let some requests fail.'

function problemOf(status: number): HttpProblem {
  if (status === 503) return new Unavailable({ detail })
  if (status === 429) return new HttpProblem('too-many-requests', { detail, headers: { [header.retryAfter]: '1' } })
  const known = (Object.keys(problemKinds) as (keyof typeof problemKinds)[]).find(
    (code) => problemKinds[code].status === status,
  )
  return known === undefined
    ? new HttpProblem({ code: `status-${status}`, status, title: 'The request failed' }, { detail })
    : new HttpProblem(known, { detail })
}
