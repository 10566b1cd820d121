/**
 * Draws each curve in a panel of its own. The x axis is logarithmic. The y axis is logarithmic if
 * the values differ by more than a factor of ten.
 */
import { margin, pictureOf, text, width } from '../../report/picture.js'
import type { CurveResult, GrowthResult, Series, Unit } from './result.js'
import { amount, counted } from './text.js'

const plot = { left: 62, top: 30, width: width - 62 - 12, height: 150 } as const
const keyHeight = 15

/**
 * Colors that color-blind readers can distinguish too (Okabe and Ito), in the order of their use.
 */
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000', '#7a7a7a'] as const
const quiet = '#59636e'

/** Returns a complete SVG. Its background is white, so that it is readable on any page. */
export function growthChart(result: GrowthResult): string {
  const heading = `How the cost of a request grows. Node ${result.node}, ${result.date.slice(0, 10)}`
  return pictureOf(
    heading,
    result.curves.map((curve) => {
      const shown = shownOf(curve)
      return { height: plot.top + plot.height + 34 + shown.length * keyHeight + margin, body: panel(curve, shown) }
    }),
  )
}

/**
 * Selects the series of a panel: the first eight that have more than one point and the same unit as
 * the first series. The tables of `text.ts` contain all series.
 */
function shownOf({ series }: CurveResult): readonly Series[] {
  const unit = series[0]?.unit
  return series.filter((one) => one.unit === unit && one.points.length > 1).slice(0, colours.length)
}

function panel({ name, x: label }: CurveResult, series: readonly Series[]): string {
  const points = series.flatMap((one) => one.points)
  const unit = series[0]?.unit ?? 'us'
  const x = across([...new Set(points.map((point) => point.x))].sort((a, b) => a - b))
  const y = upwards(points.map(({ spread }) => spread.median))
  const bottom = plot.top + plot.height
  return [
    text(0, 18, `${name}: ${unit === 'bytes' ? 'memory' : 'time and CPU'} against ${label}`, 'font-weight="600"'),
    ...y.ticks.map((tick) => gridLine(y.at(tick), tick, unit)),
    ...x.ticks.map((tick) =>
      text(x.at(tick), bottom + 16, shortened(tick), `text-anchor="middle" fill="${quiet}" font-size="11"`),
    ),
    ...series.map((one, at) => line(one, colours[at] as string, x.at, y.at)),
    ...series.map((one, at) => key(one, colours[at] as string, bottom + 34 + at * keyHeight)),
  ].join('\n')
}

function line({ points }: Series, colour: string, x: (value: number) => number, y: (value: number) => number): string {
  const places = points.map((point) => ({ x: x(point.x), y: y(point.spread.median) }))
  return [
    `<polyline fill="none" stroke="${colour}" stroke-width="1.5" ` +
      `points="${places.map((place) => `${place.x},${place.y}`).join(' ')}"/>`,
    ...places.map((place) => `<circle cx="${place.x}" cy="${place.y}" r="2.5" fill="${colour}"/>`),
  ].join('\n')
}

function gridLine(at: number, value: number, unit: Unit): string {
  return [
    `<line x1="${plot.left}" x2="${plot.left + plot.width}" y1="${at}" y2="${at}" stroke="#e2e6ea"/>`,
    text(plot.left - 6, at + 4, amount(value, unit), `text-anchor="end" fill="${quiet}" font-size="11"`),
  ].join('\n')
}

function key({ title, figure }: Series, colour: string, y: number): string {
  return [
    `<line x1="${plot.left}" x2="${plot.left + 18}" y1="${y - 4}" y2="${y - 4}" stroke="${colour}" stroke-width="2"/>`,
    text(plot.left + 24, y, `${title}: ${figure}`, 'font-size="11"'),
  ].join('\n')
}

interface Axis {
  readonly at: (value: number) => number
  readonly ticks: readonly number[]
}

/**
 * Returns a logarithmic x axis. A zero, which has no logarithm, is placed to the left of the
 * smallest positive value, at the average distance between neighboring positive values.
 */
function across(values: readonly number[]): Axis {
  const positive = values.filter((value) => value > 0)
  const min = Math.log(positive[0] ?? 1)
  const max = Math.log(positive.at(-1) ?? 1)
  const zero = values[0] === 0 ? (max - min) / Math.max(1, positive.length - 1) || 1 : 0
  const span = max - min + zero || 1
  const at = (value: number): number => {
    const along = value > 0 ? Math.log(value) - min + zero : 0
    return round(plot.left + 10 + (along / span) * (plot.width - 30))
  }
  // If two labels would overlap, only the first is drawn.
  const ticks: number[] = []
  for (const value of values) if (ticks.every((other) => Math.abs(at(other) - at(value)) > 26)) ticks.push(value)
  return { at, ticks }
}

function upwards(values: readonly number[]): Axis {
  const max = Math.max(...values, 1e-9)
  const min = Math.max(Math.min(...values), 1e-9)
  if (max / min <= 10) {
    const step = niceStep(max / 4)
    const top = Math.ceil((max * 1.02) / step) * step
    const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, at) => at * step)
    return { at: (value) => round(plot.top + plot.height * (1 - value / top)), ticks }
  }
  const low = Math.floor(Math.log10(min))
  const high = Math.ceil(Math.log10(max * 1.02))
  return {
    at: (value) => round(plot.top + plot.height * (1 - (Math.log10(Math.max(value, 1e-9)) - low) / (high - low))),
    ticks: Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at)),
  }
}

/** Rounds up to 1, 2 or 5 times a power of ten. */
function niceStep(min: number): number {
  const size = 10 ** Math.floor(Math.log10(min))
  return ([1, 2, 5].find((part) => part * size >= min) ?? 10) * size
}

/** Formats 10,000 as `10k`, and 1,000,000 as `1M`. */
function shortened(value: number): string {
  if (value >= 1e6) return `${Math.round(value / 1e5) / 10}M`
  return value >= 1e4 ? `${Math.round(value / 1e3)}k` : counted(value)
}

const round = (value: number): number => Math.round(value * 10) / 10
