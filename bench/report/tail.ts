/** The result of a run with `--tail`, and a function that formats it for a terminal. */
import { type Kind, kinds } from '../load/mix.js'
import { percentile } from '../load/open.js'
import type { Result } from './result.js'
import { type Spread, spreadOf } from './statistics.js'
import { columns, digits, range } from './text.js'

/**
 * Times of requests in milliseconds. The time of a request starts when the load generator finds
 * that the request is due.
 */
export interface TailFigures {
  readonly requests: number
  /** Percentiles over the requests of all rounds. */
  readonly p50: number
  readonly p99: number
  readonly p999: number
  /** The median and the quartiles of the p99s of the rounds. */
  readonly p99OfRounds: Spread
}

export interface TailServer {
  readonly id: string
  /** Responses per second if ten connections send requests without a pause. */
  readonly capacity: number
  /**
   * The delay of the load generator's own timer in milliseconds: the highest 99th percentile of any
   * round.
   */
  readonly late: number
  readonly kinds: Readonly<Record<Kind, TailFigures>>
}

export interface Tail {
  /** Requests per second, the same for every server. */
  readonly rate: number
  readonly servers: readonly TailServer[]
}

export interface TailResult extends Omit<Result, 'workloads'> {
  readonly tail: Tail
}

/** Computes percentiles over all rounds. `rounds` has the times of the requests of each round. */
export function tailFigures(rounds: readonly (readonly number[])[]): TailFigures {
  const all = rounds.flat()
  const [p50, p99, p999] = [0.5, 0.99, 0.999].map((share) => percentile(all, share)) as [number, number, number]
  return { requests: all.length, p50, p99, p999, p99OfRounds: spreadOf(rounds.map((times) => percentile(times, 0.99))) }
}

export function tailText({ tail: { rate, servers }, rounds, each }: TailResult): string {
  const capacities = servers.map(({ id, capacity }) => `${id} ${Math.round(capacity)}/s`).join(', ')
  const late = Math.max(...servers.map((server) => server.late))
  const table = kinds.flatMap((kind) =>
    servers.map(({ id, kinds: of }, at) => {
      const { requests, p50, p99, p999, p99OfRounds } = of[kind]
      return [
        at === 0 ? kind : '',
        id,
        String(requests),
        digits(p50),
        `${digits(p99)} ${range(p99OfRounds)}`,
        digits(p999),
      ]
    }),
  )
  return [
    `Tail in PostgreSQL: ${rate} requests per second for every server, all kinds mixed; ${rounds} rounds of ` +
      `${each}, in turns`,
    columns([['', '', 'requests', 'p50 ms', 'p99 ms (quartiles of rounds)', 'p99.9 ms'], ...table]),
    `Maximum rates: ${capacities}. Not counted: the delay of the load generator's timer (p99 ${digits(late)} ms).`,
  ].join('\n')
}
