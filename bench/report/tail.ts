/** What a run of `--tail` found, and as a reader sees it. */
import { type Kind, kinds } from '../load/mix.js'
import { percentile } from '../load/open.js'
import type { Result } from './result.js'
import { type Spread, spreadOf } from './statistics.js'
import { columns, digits, range } from './text.js'

/** Milliseconds from when a request was due. */
export interface TailFigures {
  readonly requests: number
  /** Of the requests of all rounds together. */
  readonly p50: number
  readonly p99: number
  readonly p999: number
  /** Of each round's own: how far rounds lie apart. */
  readonly p99OfRounds: Spread
}

export interface TailServer {
  readonly id: string
  /** Requests a second where ten connections ask as soon as they are answered. */
  readonly capacity: number
  /** Milliseconds by which the load sent its latest hundredth too late, in the worst round. */
  readonly late: number
  readonly kinds: Readonly<Record<Kind, TailFigures>>
}

export interface Tail {
  /** Requests a second. */
  readonly rate: number
  readonly servers: readonly TailServer[]
}

export interface TailResult extends Omit<Result, 'workloads'> {
  readonly tail: Tail
}

/** Of the times of each round. */
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
    `Tail in PostgreSQL: ${rate} requests a second of all kinds, whatever is answered; ${rounds} rounds of ${each}, in turns`,
    columns([['', '', 'requests', 'p50 ms', 'p99 ms (of rounds)', 'p99.9 ms'], ...table]),
    `As fast as they answer: ${capacities}. The load itself was late by p99 ${digits(late)} ms, which is not counted.`,
  ].join('\n')
}
