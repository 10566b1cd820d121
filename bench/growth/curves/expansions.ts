/**
 * How the cost of a page depends on the number of associations that it expands. Each expanded
 * association should cost only one adapter call for the whole page, regardless of the number of
 * items.
 */
import assert from 'node:assert/strict'
import { piecesPath } from '../../data/addresses.js'
import type { Ask } from '../../workloads/ask.js'
import { type Curve, cpu, type Figure, type Line, time } from '../curve.js'
import { branchesOf, type Extent, extentOf } from '../data/records.js'
import { linkNames } from '../data/resources.js'
import type { Asked } from '../load/round.js'
import { byRounds } from '../run/rounds.js'
import type { LinkedServing } from '../servers/serving.js'
import { get, listed, spread } from './responses.js'

const counts = [0, 1, 2, 4]
const calls: Figure = { title: 'adapter calls', unit: 'calls', of: (sample) => sample.calls }

export const expansions: Curve = {
  title: 'expansions: a page of 25 records, by the number of expanded associations (each record has four)',
  x: 'expansions',
  database: true,
  async measure(environment, options) {
    const rows = Math.min(10_000, options.rows)
    const extent = extentOf(rows, Math.ceil(rows / 4))
    await environment.tables?.linked(extent)
    const inMemory: LinkedServing = { kind: 'linked', ...extent }
    const lines: Line[] = [
      {
        title: 'page, memory',
        figures: [cpu(), calls],
        points: counts.map((x) => ({ x, serving: inMemory, prepare: (ask) => pages(ask, x, extent) })),
      },
    ]
    if (environment.tables !== undefined) {
      const serving = { ...inMemory, database: environment.tables.url }
      const points = counts.map((x) => ({ x, serving, connections: 1, prepare: (ask: Ask) => pages(ask, x, extent) }))
      lines.push({ title: 'page, PostgreSQL', figures: [cpu(), time(), calls], points })
    }
    return byRounds(lines, environment)
  },
}

async function pages(ask: Ask, count: number, extent: Extent): Promise<readonly Asked[]> {
  const expand = count === 0 ? '' : `&expand=${linkNames.slice(0, count).join(',')}`
  const path = (branch: number): string =>
    `${piecesPath}?sucursalDeDistribucion=${branch}&sort=-fechaDeEntrada${expand}`
  const branches = spread(branchesOf(extent), 10)
  const { items } = await listed(ask, path(branches[0] as number))
  assert.equal(items.length, Math.min(25, extent.matches))
  for (const [at, name] of linkNames.entries()) {
    const members = Object.keys(items[0]?.[name] as object)
    assert.equal(members.includes('descripcion'), at < count, `${name}: ${members.join(', ')}`)
  }
  return branches.map((branch) => get(path(branch)))
}
