import { XMLValidator } from 'fast-xml-parser'
import { describe, expect, it } from 'vitest'
import { chartOf } from '../../bench/report/chart.js'
import { goals } from '../../bench/report/goals.js'
import { type Result, ratiosOf, rowOf, type Sample } from '../../bench/report/result.js'
import { ratioOf, spreadOf } from '../../bench/report/statistics.js'
import { change, headOf, reached, verdicts, workloadText } from '../../bench/report/text.js'
import type { ServerName } from '../../bench/servers/index.js'
import { workloadOf } from '../../bench/workloads/index.js'

const sample = (cpu: number, database?: number): Sample => {
  const backends = database === undefined ? {} : { database }
  return { requests: 10, cpu, ...backends, rate: 1e6 / cpu, median: 1, p99: 2, memory: 1 }
}
const row = (id: string, ours: boolean, ...cpus: number[]) =>
  rowOf(
    { id, server: id.split('@')[0] as ServerName, title: `${id} & "more"`, ours },
    cpus.map((cpu) => sample(cpu)),
  )

const rows = [
  row('raw', false, 10, 12, 11),
  row('express', false, 100, 200, 120),
  row('mounted', true, 50, 100, 40),
  row('mounted@against', true, 40, 80, 32),
]
const workload = { name: 'item', title: 'item GET', rows, ratios: ratiosOf('item', rows) } as const
const helpers = [
  rowOf({ id: 'express-helper', server: 'express-helper', title: '', ours: false }, [
    sample(100, 50),
    sample(200, 100),
  ]),
  rowOf({ id: 'mounted-helper', server: 'mounted-helper', title: '', ours: true }, [sample(80, 75), sample(170, 125)]),
]
const inDatabase = {
  name: 'pg-item',
  title: 'item GET, in PostgreSQL',
  rows: helpers,
  ratios: ratiosOf('pg-item', helpers),
} as const
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
  it('interpolate quartiles between neighbors, whatever the order of the values', () => {
    expect(spreadOf([4, 1, 3, 2])).toEqual({ q1: 1.75, median: 2.5, q3: 3.25 })
    expect(spreadOf([7])).toEqual({ q1: 7, median: 7, q3: 7 })
  })

  it('compute ratios per round, so a round that is slow for both servers has no effect', () => {
    expect(ratioOf([10, 1000, 20], [20, 2000, 40])).toEqual({ q1: 2, median: 2, q3: 2 })
  })
})

describe('ratios', () => {
  it('compare each server with express, with the servers in its goals, and with the other checkout', () => {
    expect(workload.ratios.map(({ of, to }) => `${of} / ${to}`)).toEqual([
      'raw / express',
      'mounted / express',
      'mounted / mounted@against',
      'mounted@against / express',
    ])
    expect(workload.ratios.find(({ of, to }) => of === 'mounted' && to === 'express')).toMatchObject({
      counts: 'server',
      median: 2,
    })
  })

  it('compare the CPU of the server, of the database backends, and of both together, if PostgreSQL is used', () => {
    const ratios = inDatabase.ratios.map(({ of, to, counts, max, median }) => [
      `${of} / ${to}`,
      counts,
      max,
      1 / median,
    ])
    expect(ratios).toEqual([
      ['mounted-helper / express-helper', 'server', 0.9, expect.closeTo(0.825, 2)],
      ['mounted-helper / express-helper', 'database', 1.3, expect.closeTo(1.36, 2)],
      ['mounted-helper / express-helper', 'both', 1, expect.closeTo(1.01, 2)],
    ])
  })

  it('omit the database backends if their CPU time could not be read in a round', () => {
    const [byHand, ours] = helpers as [(typeof helpers)[0], (typeof helpers)[0]]
    const unread = rowOf({ ...ours }, [...ours.samples.slice(1), sample(80)])
    expect(unread.database).toBeUndefined()
    expect(ratiosOf('pg-item', [byHand, unread]).map(({ counts }) => counts)).toEqual(['server'])
  })

  it('reach or miss a goal only if three quarters of the rounds agree; otherwise the goal stays open', () => {
    const of = { of: 'a', to: 'b', counts: 'server', max: 0.5 } as const
    expect(reached({ ...of, q1: 2, median: 2.1, q3: 2.2 })).toBe('reached')
    expect(reached({ ...of, q1: 1.8, median: 1.9, q3: 1.99 })).toBe('missed')
    expect(reached({ ...of, q1: 1.8, median: 2.2, q3: 2.3 })).toBe('open')
    expect(goals.filter(({ counts }) => counts === 'server')).toHaveLength(34)
    for (const { workload, of, to } of goals)
      for (const server of [of, to]) expect(workloadOf(workload).servers ?? [server]).toContain(server)
  })

  it('show a checkout as faster or slower only if the rounds agree and the difference exceeds three percent', () => {
    expect(change({ q1: 0.8, median: 0.9, q3: 0.99 })).toBe('slower')
    expect(change({ q1: 0.8, median: 0.9, q3: 1.1 })).toBe('level')
    expect(change({ q1: 0.97, median: 0.98, q3: 0.99 })).toBe('level')
    expect(change({ q1: 1.01, median: 1.2, q3: 1.3 })).toBe('faster')
  })
})

describe('the text report of a result', () => {
  it('has a line for each server, and says what the ratios are relative to', () => {
    const text = workloadText(workload)
    expect(text).toMatch(/^item GET\n.*against express\n/)
    expect(text).toMatch(
      / {2}mounted +50\.0 us \(45\.0-75\.0\) +20000\/s +1\.00 ms, p99 2\.00 +2\.00 x \(2\.00-2\.50\)/,
    )
    expect(text).not.toContain('of the database')
    expect(workloadText(inDatabase)).toMatch(
      /CPU per request +of the database.*\n.*express-helper +150 us \(125-175\) +75\.0 us \(62\.5-87\.5\)/,
    )
    expect(verdicts([workload])).toMatch(
      /Against the other checkout\n {2}item {2}mounted {2}0\.80 x \(0\.80-0\.80\) {2}slower/,
    )
    const verdict = verdicts([inDatabase])
    expect(verdict).toMatch(/mounted-helper \/ express-helper +0\.82 x \(0\.81-0\.84\) +at most 0\.90 +reached/)
    expect(verdict).toMatch(
      /mounted-helper \/ express-helper +the database +1\.36 x \(1\.30-1\.43\) +at most 1\.30 +missed/,
    )
    expect(headOf(result)).toContain(
      '2026-01-02, Node 24.1.0, 2 cores (a machine), not pinned, load 0.3 before and 1.0 after',
    )
  })
})

describe('the chart of a result', () => {
  it('is a well-formed SVG with a bar for each server', () => {
    const svg = chartOf(result)
    expect(XMLValidator.validate(svg)).toBe(true)
    expect(svg.match(/<rect x=/g)).toHaveLength(rows.length)
    expect(svg).toContain('Node 24.1.0, 2026-01-02')
  })

  it('omits a workload that was not measured with express, because each bar is a ratio to express', () => {
    expect(chartOf({ ...result, workloads: [{ ...workload, rows: rows.slice(0, 1) }] })).not.toContain('item GET')
  })
})
