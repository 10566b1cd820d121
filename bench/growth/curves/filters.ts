/**
 * How the cost of a page depends on the number of filters in its query. The first filter selects
 * the pieces of one branch. Every other filter matches all pieces.
 */
import assert from 'node:assert/strict'
import { piecesPath } from '../../data/addresses.js'
import type { Ask } from '../../workloads/ask.js'
import { type Curve, cpu, type Line, time } from '../curve.js'
import { branchesOf, type Extent, extentOf } from '../data/records.js'
import type { Asked } from '../load/round.js'
import { byRounds } from '../run/rounds.js'
import type { PiecesServing } from '../servers/serving.js'
import { get, listed, spread } from './responses.js'

const counts = [0, 1, 2, 4, 8]

const others = [
  'pais=Argentina',
  'fechaDesde=2025-01-01T00:00:00.0000000',
  'fechaHasta=2026-01-01T00:00:00.0000000',
  'valorDesde=0',
  'valorHasta=1000000',
  'cobroDesde=0',
  'cobroHasta=1000000',
]

export const filters: Curve = {
  title:
    'filters: a page of 25, newest first. Without a filter, all records match. With one or more filters, ' +
    '250 records match.',
  x: 'filters',
  database: true,
  async measure(environment, options) {
    const rows = Math.min(10_000, options.rows)
    const extent = extentOf(rows, Math.ceil(rows / 4))
    await environment.tables?.pieces(extent)
    const inMemory: PiecesServing = { kind: 'pieces', ...extent }
    const lines: Line[] = [
      {
        title: 'page, memory',
        figures: [cpu()],
        points: counts.map((x) => ({ x, serving: inMemory, prepare: (ask) => pages(ask, x, extent) })),
      },
    ]
    if (environment.tables !== undefined) {
      const serving = { ...inMemory, database: environment.tables.url }
      const figures = [cpu(), time()]
      const points = counts.map((x) => ({ x, serving, connections: 1, prepare: (ask: Ask) => pages(ask, x, extent) }))
      lines.push({ title: 'page, PostgreSQL', figures, points })
    }
    return byRounds(lines, environment)
  },
}

async function pages(ask: Ask, count: number, extent: Extent): Promise<readonly Asked[]> {
  const path = (branch: number): string => {
    const asked = [`sucursalDeDistribucion=${branch}`, ...others].slice(0, count)
    return `${piecesPath}?${[...asked, 'sort=-fechaDeEntrada'].join('&')}`
  }
  const branches = spread(branchesOf(extent), 10)
  const { items, total } = await listed(ask, path(branches[0] as number))
  assert.equal(total, count === 0 ? extent.rows : extent.matches)
  assert.equal(items.length, Math.min(25, total as number))
  return branches.map((branch) => get(path(branch)))
}
