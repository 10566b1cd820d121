/** Formats a result as text for a terminal. */
import { otherSuffix, type Ratio, type Result, type WorkloadResult } from './result.js'
import type { Spread } from './statistics.js'

/** Describes the date, the version of Node, and the machine. */
export function circumstancesText({ date, node, machine, cores, pinned, load }: Omit<Result, 'workloads'>): string {
  const where = pinned ? 'servers and load generator on separate cores' : 'not pinned'
  return (
    `${date.slice(0, 10)}, Node ${node}, ${cores} cores (${machine}), ${where}, load ${load[0].toFixed(1)} before ` +
    `and ${load[1].toFixed(1)} after`
  )
}

export function headOf(result: Omit<Result, 'workloads'>): string {
  const { rounds, each, leftOut } = result
  const lines = [
    circumstancesText(result),
    `${rounds} rounds of ${each}, interleaved. Medians, with quartiles in parentheses. Ratios compare the CPU time ` +
      'per request, round by round. A ratio above 1 means faster. Under "Goals", a ratio below 1 means faster.',
  ]
  return [...lines, ...leftOut].join('\n')
}

export function workloadText({ title, rows, ratios }: WorkloadResult): string {
  const inDatabase = rows.some(({ database }) => database !== undefined)
  const table = rows.map(({ id, cpu, database, rate, median, p99 }) => {
    const ratio = ratios.find((one) => one.of === id && one.to === 'express' && one.counts === 'server')
    return [
      id,
      `${digits(cpu.median)} us ${range(cpu)}`,
      ...(inDatabase ? [database === undefined ? '' : `${digits(database.median)} us ${range(database)}`] : []),
      `${Math.round(rate.median)}/s`,
      `${digits(median.median)} ms, p99 ${digits(p99.median)}`,
      ratio === undefined ? '' : `${ratio.median.toFixed(2)} x ${range(ratio, 2)}`,
    ]
  })
  const head = [
    '',
    'CPU per request',
    ...(inDatabase ? ['of the database'] : []),
    'requests',
    'time',
    'against express',
  ]
  return `${title}\n${columns([head, ...table])}`
}

/**
 * Lists the goals with their state, and the differences from the other checkout. Returns an empty
 * string if there are no goals and no differences.
 */
export function verdicts(workloads: readonly WorkloadResult[]): string {
  const asked = workloads.flatMap(({ name, ratios }) => ratios.map((ratio) => ({ name, ratio })))
  const goals = asked
    .filter(({ ratio }) => ratio.max !== undefined)
    .map(({ name, ratio }) => [
      name,
      `${ratio.of} / ${ratio.to}`,
      goalOf[ratio.counts],
      spelled(costOf(ratio)),
      `at most ${(ratio.max as number).toFixed(2)}`,
      reached(ratio),
    ])
  const pairs = asked
    .filter(({ ratio }) => ratio.to.endsWith(otherSuffix))
    .map(({ name, ratio }) => [name, ratio.of, spelled(ratio), change(ratio)])
  const parts = [
    goals.length > 0 ? `Goals\n${columns(goals)}` : '',
    pairs.length > 0 ? `Against the other checkout\n${columns(pairs)}` : '',
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

const goalOf = { server: '', database: 'the database', both: 'with the database' } as const

/**
 * Inverts a ratio. A ratio above 1 means that the first server needs less CPU time. Goals limit the
 * inverse: the CPU time of the first server as a multiple of the second server's.
 */
const costOf = ({ q1, median, q3 }: Spread): Spread => ({ q1: 1 / q3, median: 1 / median, q3: 1 / q1 })

/**
 * A goal is reached if it was met in at least three quarters of the rounds. It is missed if at
 * least three quarters of the rounds exceeded it. Otherwise, the goal is open.
 */
export function reached({ max = Number.POSITIVE_INFINITY, ...ratio }: Ratio): 'reached' | 'missed' | 'open' {
  const { q1, q3 } = costOf(ratio)
  if (q3 <= max) return 'reached'
  return q1 > max ? 'missed' : 'open'
}

/**
 * A difference counts if three quarters of the rounds agree on its direction, and the median ratio
 * differs from 1 by more than three percent.
 */
export function change({ q1, median, q3 }: Spread): 'slower' | 'faster' | 'level' {
  if (q3 < 1 && median < 0.97) return 'slower'
  return q1 > 1 && median > 1.03 ? 'faster' : 'level'
}

const spelled = (ratio: Spread): string => `${ratio.median.toFixed(2)} x ${range(ratio, 2)}`
export const range = ({ q1, q3 }: Spread, places?: number): string =>
  places === undefined ? `(${digits(q1)}-${digits(q3)})` : `(${q1.toFixed(places)}-${q3.toFixed(places)})`

/** Formats a number with two decimals below 10, one decimal below 100, and none above. */
export const digits = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)

/** Aligns cells in columns. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)))
  return rows
    .map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] as number)).join('  ')}`.trimEnd())
    .join('\n')
}
