import { XMLValidator } from 'fast-xml-parser'
import { describe, expect, it } from 'vitest'
import { chartOf } from '../../bench/report/chart.js'
import { goals } from '../../bench/report/goals.js'
import { type Result, ratiosOf, rowOf, type Sample } from '../../bench/report/result.js'
import { ratioOf, spreadOf } from '../../bench/report/statistics.js'
import { change, headOf, reached, verdicts, workloadText } from '../../bench/report/text.js'
import type { ServerName } from '../../bench/servers/index.js'

const sample = (cpu: number): Sample => ({ requests: 10, cpu, rate: 1e6 / cpu, median: 1, p99: 2, memory: 1 })
const row = (id: string, ours: boolean, ...cpus: number[]) =>
  rowOf({ id, server: id.split('@')[0] as ServerName, title: `${id} & "more"`, ours }, cpus.map(sample))

const rows = [
  row('raw', false, 10, 12, 11),
  row('express', false, 100, 200, 120),
  row('mounted', true, 50, 100, 40),
  row('mounted@against', true, 40, 80, 32),
]
const workload = { name: 'item', title: 'item GET', rows, ratios: ratiosOf('item', rows) } as const
const result: Result = {
  date: '2026-01-02T03:04:05.000Z',
  node: '24.1.0',
  machine: 'a machine',
  cores: 2,
  pinned: false,
  load: [0.25, 1],
  rounds: 3,
  each: '2 s',
  leftOut: [],
  workloads: [workload],
}

describe('statistics', () => {
  it('quartiles lie between neighbours, whatever the order', () => {
    expect(spreadOf([4, 1, 3, 2])).toEqual({ q1: 1.75, median: 2.5, q3: 3.25 })
    expect(spreadOf([7])).toEqual({ q1: 7, median: 7, q3: 7 })
  })

  it('ratios are made round by round: a round that was slow for both tells nothing', () => {
    expect(ratioOf([10, 1000, 20], [20, 2000, 40])).toEqual({ q1: 2, median: 2, q3: 2 })
  })
})

describe('ratios', () => {
  it('everybody against hand-written Express, the goals of the workload, and each server against its like', () => {
    expect(workload.ratios.map(({ of, to }) => `${of} / ${to}`)).toEqual([
      'raw / express',
      'mounted / express',
      'mounted / mounted@against',
      'mounted@against / express',
    ])
    expect(workload.ratios.find(({ of, to }) => of === 'mounted' && to === 'express')).toMatchObject({ median: 2, least: 1.2 })
  })

  it('goals are told as reached, missed or open by where three quarters of the rounds lie', () => {
    const of = { of: 'a', to: 'b', least: 1 }
    expect(reached({ ...of, q1: 1, median: 1.1, q3: 1.2 })).toBe('reached')
    expect(reached({ ...of, q1: 0.8, median: 0.9, q3: 0.99 })).toBe('missed')
    expect(reached({ ...of, q1: 0.8, median: 1.2, q3: 1.3 })).toBe('open')
    expect(goals.length).toBe(21)
  })

  it('another checkout differs where the rounds agree, and by more than three in a hundred', () => {
    expect(change({ q1: 0.8, median: 0.9, q3: 0.99 })).toBe('slower')
    expect(change({ q1: 0.8, median: 0.9, q3: 1.1 })).toBe('level')
    expect(change({ q1: 0.97, median: 0.98, q3: 0.99 })).toBe('level')
    expect(change({ q1: 1.01, median: 1.2, q3: 1.3 })).toBe('faster')
  })
})

describe('the text of a result', () => {
  it('has a line for each server, and says of what the ratios are', () => {
    const text = workloadText(workload)
    expect(text).toMatch(/^item GET\n.*against express\n/)
    expect(text).toMatch(/ {2}mounted +50\.0 us \(45\.0-75\.0\) +20000\/s +1\.00 ms, p99 2\.00 +2\.00 x \(2\.00-2\.50\)/)
    expect(verdicts([workload])).toMatch(/mounted \/ express +2\.00 x \(2\.00-2\.50\) +goal 1\.20 +reached/)
    expect(verdicts([workload])).toMatch(/Against the other checkout\n {2}item {2}mounted {2}0\.80 x \(0\.80-0\.80\) {2}slower/)
    expect(headOf(result)).toContain('2026-01-02, Node 24.1.0, 2 cores (a machine), not pinned, load 0.3 before and 1.0 after')
  })
})

describe('the picture of a result', () => {
  it('is one well-formed SVG with a bar for each server', () => {
    const svg = chartOf(result)
    expect(XMLValidator.validate(svg)).toBe(true)
    expect(svg.match(/<rect x=/g)).toHaveLength(rows.length)
    expect(svg).toContain('Node 24.1.0, 2026-01-02')
  })

  it('leaves out a workload without hand-written Express, which has nothing to be compared with', () => {
    expect(chartOf({ ...result, workloads: [{ ...workload, rows: rows.slice(0, 1) }] })).not.toContain('item GET')
  })
})
