/**
 * How the cost of a page and of an item depends on the number of rows. At each point, the filter of
 * the page matches the same number of rows (by default 250). If the cost still grows, the cause is
 * the size of the store, not the number of matches.
 */
import assert from 'node:assert/strict'
import { pageSize, piecesPath } from '../../data/addresses.js'
import type { Ask } from '../../workloads/ask.js'
import { type Curve, cpu, type Line, type Point, steps, time } from '../curve.js'
import { branchesOf, branchOf, type Extent, extentOf } from '../data/records.js'
import type { Asked } from '../load/round.js'
import type { Options } from '../options.js'
import { byRounds } from '../run/rounds.js'
import type { PiecesServing } from '../servers/serving.js'
import { get, items, listed, spread } from './responses.js'

export const rows: Curve = {
  title: 'rows: an item, and a page of 25 of the 250 records that match a filter, newest first',
  x: 'rows',
  database: true,
  async measure(environment, options) {
    const extents = extentsOf(options)
    for (const extent of environment.tables === undefined ? [] : extents) await environment.tables?.pieces(extent)
    return byRounds(linesOf(extents, environment.tables?.url), environment)
  },
}

/** Returns extents with a hundredth, a tenth and all of the maximum number of rows. */
const extentsOf = ({ rows: max }: Options): readonly Extent[] => {
  const sizes = steps(max / 100, max / 10, max)
  return sizes.map((size) => extentOf(size, sizes[0]))
}

function linesOf(extents: readonly Extent[], database: string | undefined): readonly Line[] {
  const points = (make: (extent: Extent) => Omit<Point, 'x'>): readonly Point[] =>
    extents.map((extent) => ({ x: extent.rows, ...make(extent) }))
  const inMemory = (extent: Extent): PiecesServing => ({ kind: 'pieces', ...extent })
  const flat = { within: 1.25 }
  const lines: Line[] = [
    {
      title: 'page, memory',
      figures: [
        cpu({ flat }),
        { title: 'heap per row', unit: 'bytes', of: ({ setUp }, x) => setUp.heap / x },
        { title: 'CPU of the set-up', unit: 'ms', of: ({ setUp }) => setUp.cpu },
      ],
      points: points((extent) => ({ serving: inMemory(extent), prepare: (ask) => pages(ask, extent) })),
    },
    {
      title: 'item, memory',
      figures: [cpu({ flat })],
      points: points((extent) => ({
        serving: inMemory(extent),
        prepare: (ask) => items(ask, spread(extent.rows, 200)),
      })),
    },
  ]
  if (database === undefined) return lines
  // There is only one connection. The time of a request therefore includes the database and the
  // network, but no wait in a queue.
  const inDatabase = (extent: Extent) => ({ serving: { ...inMemory(extent), database }, connections: 1 })
  const figures = [cpu({ flat }), time({ flat })]
  return [
    ...lines,
    {
      title: 'page, PostgreSQL',
      figures,
      points: points((extent) => ({ ...inDatabase(extent), prepare: (ask) => pages(ask, extent) })),
    },
    {
      title: 'item, PostgreSQL',
      figures,
      points: points((extent) => ({ ...inDatabase(extent), prepare: (ask) => items(ask, spread(extent.rows, 200)) })),
    },
    {
      title: 'first page of all rows with its total, PostgreSQL',
      figures: [time()],
      points: points((extent) => ({ ...inDatabase(extent), prepare: (ask) => firstOfAll(ask, extent) })),
    },
  ]
}

/**
 * Checks one page. Returns the requests of the measurement: for at most ten branches, at most ten
 * pages of each.
 */
async function pages(ask: Ask, extent: Extent): Promise<readonly Asked[]> {
  const branches = spread(branchesOf(extent), 10)
  const path = (branch: number, page: number) =>
    `${piecesPath}?sucursalDeDistribucion=${branch}&sort=-fechaDeEntrada&offest=${page}`
  const expected = branchOf(branches[0] as number, extent)
  const { items: found, total } = await listed(ask, path(branches[0] as number, 1))
  assert.equal(total, extent.matches)
  assert.deepEqual(
    found.map(({ numero, fechaDeEntrada, destinatario }) => ({ numero, fechaDeEntrada, destinatario })),
    expected
      .slice(0, pageSize)
      .map(({ numero, fechaDeEntrada, destinatario }) => ({ numero, fechaDeEntrada, destinatario })),
  )
  const last = Math.min(10, Math.ceil(extent.matches / pageSize))
  return branches.flatMap((branch) => Array.from({ length: last }, (_, page) => get(path(branch, page + 1))))
}

async function firstOfAll(ask: Ask, extent: Extent): Promise<readonly Asked[]> {
  const path = `${piecesPath}?sort=-fechaDeEntrada`
  const { items: found, total } = await listed(ask, path)
  assert.deepEqual({ total, found: found.length }, { total: extent.rows, found: Math.min(pageSize, extent.rows) })
  return [get(path)]
}
