/** The result of a run, as in the file of `--json`. */
import type { ServerName } from '../servers/index.js'
import type { WorkloadName } from '../workloads/index.js'
import { type Counted, goals } from './goals.js'
import { ratioOf, type Spread, spreadOf } from './statistics.js'

/** One round of one server. */
export interface Sample {
  readonly requests: number
  /** Microseconds of the server process for each request. */
  readonly cpu: number
  /**
   * Microseconds of the PostgreSQL backends for each request; absent if there are none, or if they
   * cannot be read.
   */
  readonly database?: number
  /** Requests per second. */
  readonly rate: number
  /** Milliseconds of the median request, and of the slowest hundredth. */
  readonly median: number
  readonly p99: number
  /** The memory of the server process in bytes. */
  readonly memory: number
}

export interface Row {
  /** The server's name, with `@against` for the other checkout. */
  readonly id: string
  readonly server: ServerName
  readonly title: string
  /** It is, or uses, the library. */
  readonly ours: boolean
  readonly cpu: Spread
  /** The CPU of the backends. Absent if a round has none. */
  readonly database?: Spread
  readonly rate: Spread
  readonly median: Spread
  readonly p99: Spread
  readonly samples: readonly Sample[]
}

export interface Ratio extends Spread {
  readonly of: string
  readonly to: string
  readonly counts: Counted
  /** The goal, if any: at most this many times the CPU of the other. */
  readonly max?: number
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
  /** Whether servers and load had separate cores. */
  readonly pinned: boolean
  /**
   * The number of runnable processes at the start and at the end: above 1, other processes were
   * active.
   */
  readonly load: readonly [before: number, after: number]
  readonly rounds: number
  /** Seconds or requests of a round. */
  readonly each: string
  readonly leftOut: readonly string[]
  readonly workloads: readonly WorkloadResult[]
}

export const otherSuffix = '@against'

export function rowOf(
  { id, server, title, ours }: Pick<Row, 'id' | 'server' | 'title' | 'ours'>,
  samples: readonly Sample[],
): Row {
  const of = (name: 'cpu' | 'rate' | 'median' | 'p99'): Spread => spreadOf(samples.map((sample) => sample[name]))
  const database = figuresOf(samples, 'database')
  return {
    id,
    server,
    title,
    ours,
    cpu: of('cpu'),
    ...(database === undefined ? {} : { database: spreadOf(database) }),
    rate: of('rate'),
    median: of('median'),
    p99: of('p99'),
    samples,
  }
}

/**
 * Compares every server with hand-written Express, the pairs of the goals, and each server with the
 * other checkout.
 */
export function ratiosOf(workload: WorkloadName, rows: readonly Row[]): Ratio[] {
  const pairs = new Map<string, Pick<Ratio, 'of' | 'to' | 'counts' | 'max'>>()
  const counts = 'server'
  for (const { id } of rows) {
    if (id !== 'express') pairs.set(`${id} express ${counts}`, { of: id, to: 'express', counts })
    pairs.set(`${id} ${id}${otherSuffix} ${counts}`, { of: id, to: `${id}${otherSuffix}`, counts })
  }
  for (const { of, to, counts, max } of goals.filter((goal) => goal.workload === workload))
    pairs.set(`${of} ${to} ${counts}`, { of, to, counts, max })
  return [...pairs.values()].flatMap((pair) => {
    const [own, other] = [pair.of, pair.to].map((id) =>
      figuresOf(rows.find((row) => row.id === id)?.samples ?? [], pair.counts),
    )
    return own === undefined || other === undefined ? [] : [{ ...pair, ...ratioOf(own, other) }]
  })
}

/** The figure of each round; `undefined` if a round has none. */
function figuresOf(samples: readonly Sample[], counts: Counted): number[] | undefined {
  const figures = samples.map(({ cpu, database = Number.NaN }) =>
    counts === 'server' ? cpu : counts === 'database' ? database : cpu + database,
  )
  return figures.length > 0 && !figures.some(Number.isNaN) ? figures : undefined
}
