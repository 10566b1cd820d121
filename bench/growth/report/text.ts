/** Formats curves as text for a terminal, and as tables in Markdown. */
import { columns } from '../../report/text.js'
import { type CurveResult, type GrowthResult, type MeasuredPoint, type Series, type Unit, verdictOf } from './result.js'

/**
 * Formats a curve as a table. Each series is a row, with a column for each x and the verdict in the
 * last column.
 */
export function curveText({ title, x, series }: CurveResult): string {
  const xs = xsOf(series)
  const head = [x, ...xs.map(counted), '']
  const rows = series.map((one) => [
    nameOf(one),
    ...xs.map((at) =>
      cellOf(one, at, (point) => `${amount(point.spread.median, one.unit)}${rangeOf(point, one.unit)}`),
    ),
    verdictText(one),
  ])
  return `${title}\n${columns([head, ...rows])}`
}

/** Formats a curve as a table in Markdown, with medians only. */
export function curveTable({ x, series }: CurveResult): string {
  const xs = xsOf(series)
  const rows = series.map((one) => [
    nameOf(one),
    ...xs.map((at) => cellOf(one, at, ({ spread }) => amount(spread.median, one.unit))),
    verdictText(one),
  ])
  const lines = [[x, ...xs.map(counted), ''], [...Array(xs.length + 2)].map(() => '---'), ...rows]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/**
 * Returns the ratio of the last point to the first, as text. If `flat.from` is set, the point with
 * this index counts as the first. If the series has a limit, the text also says `flat` or `GROWS`.
 * If fewer than two points can be compared, the text is empty.
 */
export function verdictText(series: Series): string {
  const verdict = verdictOf(series)
  if (verdict === undefined) return ''
  const times = `${verdict.ratio.toFixed(2)} x`
  if (verdict.flat === undefined) return times
  if (verdict.flat) return `${times}, flat`
  return `${times}, GROWS: more than ${series.flat?.within} x from ${counted(verdict.from)} to ${counted(verdict.to)}`
}

const nameOf = ({ title, figure }: Series): string => `${title}: ${figure}`

const xsOf = (series: readonly Series[]): readonly number[] =>
  [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b)

function cellOf({ points }: Series, x: number, spelled: (point: MeasuredPoint) => string): string {
  const point = points.find((one) => one.x === x)
  return point === undefined ? '' : spelled(point)
}

const rangeOf = ({ spread: { q1, median, q3 } }: MeasuredPoint, unit: Unit): string => {
  const { step } = scaleOf(median, unit)
  return q1 === q3 ? '' : ` (${digits(q1 / step)}-${digits(q3 / step)})`
}

/** Formats a number without decimals, and with commas between thousands, such as `1,000`. */
export const counted = (value: number): string => Math.round(value).toLocaleString('en')

/** Formats a value in a readable unit with about three digits, such as `1.47 ms`. */
export function amount(value: number, unit: Unit): string {
  const { step, name } = scaleOf(value, unit)
  return `${digits(value / step)}${name}`
}

const sizes: Readonly<Record<Unit, readonly (readonly [step: number, name: string])[]>> = {
  us: [
    [1, ' us'],
    [1e3, ' ms'],
    [1e6, ' s'],
  ],
  ms: [
    [1, ' ms'],
    [1e3, ' s'],
  ],
  bytes: [
    [1, ' B'],
    [2 ** 10, ' kB'],
    [2 ** 20, ' MB'],
    [2 ** 30, ' GB'],
  ],
  calls: [[1, '']],
}

/** Returns the largest scale at which the value is at least 1, or else the smallest scale. */
function scaleOf(value: number, unit: Unit): { readonly step: number; readonly name: string } {
  const [step, name] =
    sizes[unit].findLast(([size]) => Math.abs(value) >= size) ?? (sizes[unit][0] as (typeof sizes)[Unit][0])
  return { step, name }
}

const digits = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2)

/** Describes the date, the machine and the parameters of the run. */
export function circumstances({
  date,
  node,
  machine,
  cores,
  pinned,
  load,
  rounds,
  each,
  leftOut,
}: Omit<GrowthResult, 'curves'>): string {
  const where = pinned ? 'servers and load generator on separate cores' : 'not pinned'
  const lines = [
    `${date.slice(0, 10)}, Node ${node}, ${cores} cores (${machine}), ${where}, load ${load[0].toFixed(1)} ` +
      `before and ${load[1].toFixed(1)} after`,
    `${rounds} rounds of ${each} per point, interleaved. Medians, with quartiles in parentheses. The last column is ` +
      'the ratio of the last point to the first.',
  ]
  return [...lines, ...leftOut].join('\n')
}
