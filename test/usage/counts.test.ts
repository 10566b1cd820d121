/** The counts in a process: the sums are exact, and the number of names is bounded. */
import { describe, expect, it } from 'vitest'
import { Counts, dayLength } from '../../src/usage/counts.js'

const now = Date.UTC(2026, 5, 1)

function totals(counts: Counts): Map<string, number> {
  counts.touchAll()
  const sums = new Map<string, number>()
  for (const cell of counts.take().cells) {
    const amount = cell.days().reduce((sum, [, one]) => sum + one, 0)
    sums.set(cell.labels.client, (sums.get(cell.labels.client) ?? 0) + amount)
  }
  return sums
}

const sumOf = (sums: Map<string, number>): number => [...sums.values()].reduce((a, b) => a + b, 0)

describe('Counts', () => {
  it('bounds the number of clients, loses no count, and keeps the most active client', () => {
    const counts = new Counts('calls', 10)
    for (let at = 0; at < 10_000; at++) {
      counts.count('v1', 'GET', '/orders', '', `stranger ${at}`, now, 1)
      if (at % 10 === 0) counts.count('v1', 'GET', '/orders', '', 'billing', now, 1)
    }
    const sums = totals(counts)
    expect(sums.size).toBeLessThanOrEqual(21)
    expect(sums.get('billing')).toBe(1000)
    expect(sumOf(sums)).toBe(11_000)
  })

  it('bounds the number of details, routes, methods and clauses, and loses no count', () => {
    const counts = new Counts('would_break', 10)
    for (let at = 0; at < 30_000; at++)
      counts.count(`C-${at % 300}`, `M${at}`, `/r${at % 2000}`, `p${at}`, `c${at % 30}`, now, 1)
    expect(sumOf(totals(counts))).toBe(30_000)
    counts.touchAll()
    const { cells } = counts.take()
    expect(cells.length).toBeLessThan(25_000)
    expect(new Set(cells.map(({ labels }) => labels.subject)).size).toBeLessThanOrEqual(201)
    expect(new Set(cells.map(({ labels }) => labels.route)).size).toBeLessThanOrEqual(1001)
    expect(new Set(cells.map(({ labels }) => labels.method))).toEqual(new Set(['(other)']))
  })

  it('truncates long names', () => {
    const counts = new Counts('would_break', 10)
    const long = 'x'.repeat(10_000)
    const labels = counts.count(long, 'GET', long, long, long, now, 1)
    expect(Object.values(labels).map((text) => text.length > 200)).not.toContain(true)
    expect(counts.count(long, 'GET', long, long, long, now, 1)).toBe(labels)
  })

  it('counts by day, and loses no count if the clock is set back', () => {
    const counts = new Counts('calls', 10)
    for (const time of [now, now + dayLength, now, now + 3 * dayLength]) counts.count('v1', 'GET', '/', '', '', time, 1)
    const [cell] = counts.take().cells
    const day = now / dayLength
    expect(cell?.days()).toEqual([
      [day, 1],
      [day + 1, 2],
      [day + 3, 1],
    ])
    expect(JSON.parse(cell?.text(day + 1) ?? '')).toEqual([
      now,
      now + 3 * dayLength,
      [
        [day + 1, 2],
        [day + 3, 1],
      ],
    ])
  })

  it('take() returns counts again after putBack(), together with newer counts', () => {
    const counts = new Counts('calls', 1)
    counts.count('v1', 'GET', '/', '', 'a', now, 1)
    const changes = counts.take()
    expect(counts.take().cells).toEqual([])
    counts.count('v1', 'GET', '/', '', 'a', now, 1)
    counts.putBack(changes)
    const again = counts.take()
    expect(again.cells.map((cell) => cell.days())).toEqual([[[now / dayLength, 2]]])
  })
})
