/** The result of a run, which `--json` writes to a file. */
import type { ServerName } from '../servers/index.js'
import type { WorkloadName } from '../workloads/index.js'
import { type Counted, goals } from './goals.js'
import { ratioOf, type Spread, spreadOf } from './statistics.js'

/** The figures of one round of one server. */
export interface Sample {
  readonly requests: number
  /** CPU time of the server process for each request, in microseconds. */
  readonly cpu: number
  /**
   * CPU time of the PostgreSQL backends for each request, in microseconds. Absent if the workload
   * does not use PostgreSQL, or if the CPU time cannot be read.
   */
  readonly database?: number
  /** Requests per second. */
  readonly rate: number
  /** Median and 99th percentile of the response time, in milliseconds. */
  readonly median: number
  readonly p99: number
  /** Resident memory of the server process, in bytes. */
  readonly memory: number
}

export interface Row {
  /** The server's name, followed by `@against` for a server of the other checkout. */
  readonly id: string
  readonly server: ServerName
  readonly title: string
  /** Whether the server uses code of the library. */
  readonly ours: boolean
  readonly cpu: Spread
  /** CPU time of the PostgreSQL backends. Absent if a round lacks it. */
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
  /**
   * The goal, if there is one: the server `of` may need at most `max` times the CPU time of the
   * server `to`.
   */
  readonly max?: number
}

export interface WorkloadResult {
  readonly name: WorkloadName
  readonly title: string
  readonly rows: readonly Row[]
  /**
   * Each ratio is the CPU time of the server `to`, divided by the CPU time of the server `of`. If
   * the ratio is above 1, the server `of` needs less CPU time.
   */
  readonly ratios: readonly Ratio[]
}

export interface Result {
  readonly date: string
  readonly node: string
  readonly machine: string
  readonly cores: number
  /** Whether the servers and the load generator had separate cores. */
  readonly pinned: boolean
  /**
   * The load average of the last minute, at the start and at the end of the run. A value above 1 at
   * the start of the run means that other processes were active.
   */
  readonly load: readonly [before: number, after: number]
  readonly rounds: number
  /** The length of a round, such as `2 s` or `100 requests`. */
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
 * Compares every server with hand-written Express, and with the same server of the other checkout.
 * Also compares the pairs of servers that have a goal.
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

/** Returns the figure of each round, or `undefined` if a round lacks it. */
function figuresOf(samples: readonly Sample[], counts: Counted): number[] | undefined {
  const figures = samples.map(({ cpu, database = Number.NaN }) =>
    counts === 'server' ? cpu : counts === 'database' ? database : cpu + database,
  )
  return figures.length > 0 && !figures.some(Number.isNaN) ? figures : undefined
}
