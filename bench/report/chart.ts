/**
 * Draws a picture of a result. For each workload, the picture compares the CPU time per request of
 * each server with that of hand-written Express. A bar with the label `2.00 x` means that
 * hand-written Express needs twice as much CPU time as the server.
 */
import { pictureOf, text, width } from './picture.js'
import type { Ratio, Result, Row, WorkloadResult } from './result.js'

const left = 112
const right = 96
const rowHeight = 17
const titleHeight = 30

const colours = { ours: '#2563a8', others: '#9aa5b1', baseline: '#444b54', text: '#1f2328', quiet: '#59636e' } as const

interface Bar {
  readonly name: string
  readonly ours: boolean
  readonly ratio: Pick<Ratio, 'q1' | 'median' | 'q3'>
  readonly cpu: number
}

/**
 * Returns a complete SVG. Its background is white, so that it is readable on any page. Workloads
 * without hand-written Express are omitted.
 */
export function chartOf(result: Result): string {
  const groups = result.workloads.flatMap((workload) => {
    const bars = barsOf(workload)
    return bars.length === 0 ? [] : [{ title: workload.title, bars }]
  })
  const max = Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ ratio }) => ratio.q3)))
  const heading =
    'Requests per CPU second, compared with hand-written Express 5 (1 x). A longer bar is better. ' +
    `Node ${result.node}, ${result.date.slice(0, 10)}`
  return pictureOf(
    heading,
    groups.map(({ title, bars }) => ({
      height: titleHeight + bars.length * rowHeight,
      body: group(title, bars, max),
    })),
  )
}

/**
 * Draws the panel of one workload. Its coordinates start at its own top left corner. All panels
 * have the same scale.
 */
function group(title: string, bars: readonly Bar[], max: number): string {
  const x = (ratio: number): number => round(left + (ratio / max) * (width - left - right))
  const end = titleHeight + bars.length * rowHeight
  return [
    text(0, 20, title, 'font-weight="600"'),
    ...bars.map((bar, at) => drawn(bar, titleHeight + at * rowHeight, x)),
    `<line x1="${x(1)}" x2="${x(1)}" y1="${titleHeight}" y2="${end}" stroke="${colours.baseline}" ` +
      'stroke-dasharray="3 2"/>',
  ].join('\n')
}

function barsOf({ rows, ratios }: WorkloadResult): Bar[] {
  if (!rows.some(({ id }) => id === 'express')) return []
  return rows.flatMap((row: Row) => {
    const ratio =
      row.id === 'express'
        ? { q1: 1, median: 1, q3: 1 }
        : ratios.find(({ of, to, counts }) => of === row.id && to === 'express' && counts === 'server')
    return ratio === undefined ? [] : [{ name: row.id, ours: row.ours, ratio, cpu: row.cpu.median }]
  })
}

function drawn({ name, ours, ratio, cpu }: Bar, y: number, x: (ratio: number) => number): string {
  const middle = y + rowHeight / 2
  const fill = ours ? colours.ours : colours.others
  const parts = [
    text(left - 8, middle + 4, name, `text-anchor="end" fill="${ours ? colours.text : colours.quiet}"`),
    `<rect x="${left}" y="${y + 3}" width="${round(x(ratio.median) - left)}" height="${rowHeight - 6}" ` +
      `fill="${fill}"/>`,
    text(
      round(x(ratio.q3)) + 6,
      middle + 4,
      `${ratio.median.toFixed(2)} x, ${cpu.toFixed(0)} us`,
      `fill="${colours.quiet}" font-size="11"`,
    ),
  ]
  if (ratio.q1 < ratio.q3)
    parts.push(
      `<line x1="${x(ratio.q1)}" x2="${x(ratio.q3)}" y1="${middle}" y2="${middle}" stroke="${colours.text}" ` +
        'stroke-width="1.5"/>',
    )
  return parts.join('\n')
}

const round = (value: number): number => Math.round(value * 10) / 10
