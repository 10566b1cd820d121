/**
 * How the cost of a page depends on its depth in the list. A page is requested by its number, or
 * with the cursor in the `rel="next"` link of the previous page.
 */
import assert from 'node:assert/strict'
import { piecesPath } from '../../data/addresses.js'
import type { Ask } from '../../workloads/ask.js'
import { type Curve, cpu, type Line, steps, time } from '../curve.js'
import { extentOf } from '../data/records.js'
import type { Asked } from '../load/round.js'
import { byRounds } from '../run/rounds.js'
import type { PiecesServing } from '../servers/serving.js'
import { get, listed } from './responses.js'

const size = 10

export const depth: Curve = {
  title: `depth: a page of ${size} records of the whole list, newest first; in PostgreSQL, without a total`,
  x: 'page',
  database: true,
  async measure(environment, { rows }) {
    // The deepest measured page is the last page of the list in memory.
    const inMemory: PiecesServing = { kind: 'pieces', ...extentOf(Math.max(size * 10, Math.floor(rows / 10))) }
    const extent = extentOf(rows)
    await environment.tables?.pieces(extent)
    const database = environment.tables?.url
    const last = Math.floor(inMemory.rows / size)
    const pages = steps(1, ...[1000, 100, 10, 1].map((part) => last / part))
    const flat = { within: 1.25 }
    const lines: Line[] = [
      {
        title: 'by number, memory',
        figures: [cpu({ flat })],
        points: pages.map((x) => ({ x, serving: inMemory, prepare: (ask) => byNumber(ask, x) })),
      },
      {
        title: 'by cursor, memory',
        figures: [cpu({ flat })],
        points: pages.slice(1).map((x) => ({ x, serving: inMemory, prepare: (ask) => byCursor(ask, x) })),
      },
    ]
    if (database !== undefined) {
      // These lists have no total, because the cost of counting is the same at every depth. The
      // curve `rows` includes the cost of counting.
      const serving: PiecesServing = { kind: 'pieces', ...extent, database, count: 'none' }
      lines.push(
        {
          title: 'by number, PostgreSQL',
          figures: [time()],
          points: pages.map((x) => ({ x, serving, connections: 1, prepare: (ask) => byNumber(ask, x) })),
        },
        {
          title: 'by cursor, PostgreSQL',
          figures: [cpu({ flat }), time({ flat })],
          points: pages.slice(1).map((x) => ({ x, serving, connections: 1, prepare: (ask) => byCursor(ask, x) })),
        },
      )
    }
    return byRounds(lines, environment)
  },
}

const pathOf = (page: number): string => `${piecesPath}?sort=-fechaDeEntrada&limit=${size}&offest=${page}`

async function byNumber(ask: Ask, page: number): Promise<readonly Asked[]> {
  const { items } = await listed(ask, pathOf(page))
  assert.equal(items.length, size)
  return [get(pathOf(page))]
}

/**
 * Gets the cursor from the link of the previous page. A client that follows all links from the
 * first page gets the same cursor.
 */
async function byCursor(ask: Ask, page: number): Promise<readonly Asked[]> {
  const { next = '' } = await listed(ask, pathOf(page - 1))
  assert.match(next, /[?&]after=/, 'the link to the next page has a cursor')
  const [followed, numbered] = [await listed(ask, next), await listed(ask, pathOf(page))]
  assert.deepEqual(followed.items, numbered.items)
  return [get(next)]
}
