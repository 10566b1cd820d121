/** What a run measured, as it is written to the file of `--json`. */
import type { ServerName } from '../servers/index.js'
import type { WorkloadName } from '../workloads/index.js'
import { goals } from './goals.js'
import { ratioOf, type Spread, spreadOf } from './statistics.js'

/** One round of one server. */
export interface Sample {
  readonly requests: number
  /** Microseconds of the server process, a request. */
  readonly cpu: number
  /** Requests a second. */
  readonly rate: number
  /** Milliseconds that the median request took, and the slowest hundredth. */
  readonly median: number
  readonly p99: number
  /** Bytes that the server process holds. */
  readonly memory: number
}

export interface Row {
  /** The server's name, with `@against` where it is that of the other checkout. */
  readonly id: string
  readonly server: ServerName
  readonly title: string
  /** It is, or stands on, the library. */
  readonly ours: boolean
  readonly cpu: Spread
  readonly rate: Spread
  readonly median: Spread
  readonly p99: Spread
  readonly samples: readonly Sample[]
}

export interface Ratio extends Spread {
  readonly of: string
  readonly to: string
  /** The goal, where there is one. */
  readonly least?: number
}

export interface WorkloadResult {
  readonly name: WorkloadName
  readonly title: string
  readonly rows: readonly Row[]
  /** Above 1, `of` needs less CPU than `to`. */
  readonly ratios: readonly Ratio[]
}

export interface Result {
  readonly date: string
  readonly node: string
  readonly machine: string
  readonly cores: number
  /** Whether servers and load had cores of their own. */
  readonly pinned: boolean
  /** How many processes wanted to run when it began and when it ended: above 1 somebody else was at work. */
  readonly load: readonly [before: number, after: number]
  readonly rounds: number
  /** Seconds or requests of a round. */
  readonly each: string
  readonly leftOut: readonly string[]
  readonly workloads: readonly WorkloadResult[]
}

export const otherSuffix = '@against'

export function rowOf({ id, server, title, ours }: Pick<Row, 'id' | 'server' | 'title' | 'ours'>, samples: readonly Sample[]): Row {
  const of = (name: 'cpu' | 'rate' | 'median' | 'p99'): Spread => spreadOf(samples.map((sample) => sample[name]))
  return { id, server, title, ours, cpu: of('cpu'), rate: of('rate'), median: of('median'), p99: of('p99'), samples }
}

/** Everybody against hand-written Express, the goals' pairs, and each server against itself in the other checkout. */
export function ratiosOf(workload: WorkloadName, rows: readonly Row[]): Ratio[] {
  const pairs = new Map<string, { of: string; to: string; least?: number }>()
  for (const { id } of rows) {
    if (id !== 'express') pairs.set(`${id} express`, { of: id, to: 'express' })
    pairs.set(`${id} ${id}${otherSuffix}`, { of: id, to: `${id}${otherSuffix}` })
  }
  for (const goal of goals) if (goal.workload === workload) pairs.set(`${goal.of} ${goal.to}`, goal)
  const cpu = (id: string): number[] | undefined => rows.find((row) => row.id === id)?.samples.map((sample) => sample.cpu)
  return [...pairs.values()].flatMap(({ of, to, least }) => {
    const [own, other] = [cpu(of), cpu(to)]
    if (own === undefined || other === undefined) return []
    return [{ of, to, ...(least === undefined ? {} : { least }), ...ratioOf(own, other) }]
  })
}
