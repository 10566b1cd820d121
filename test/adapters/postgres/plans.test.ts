/**
 * The cost of lists for the database. The tests measure this cost by the blocks (of 8 KB) and the
 * rows in the query plans, never by time.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ListRequest, Page, Scalar } from '../../../src/adapters/contract.js'
import {
  type PostgresAdapter,
  type PostgresAdapterOptions,
  postgresAdapter,
  tableDdl,
} from '../../../src/adapters/postgres/index.js'
import { get } from '../../../src/definition/json.js'
import { defineResource } from '../../../src/definition/resource.js'
import { freshDatabase, type Place } from '../../servers/databases.js'
import { call, listRequest, type RequestParts } from '../memory/requests.js'

const piezas = defineResource({
  collection: 'piezas',
  key: 'numero',
  schema: {
    type: 'object',
    required: ['numero', 'lote', 'fecha', 'detalle'],
    properties: {
      numero: { type: 'integer' },
      lote: { type: 'string' },
      fecha: { type: 'string', format: 'local-date-time' },
      sucursal: { type: ['integer', 'null'] },
      detalle: {
        type: 'object',
        required: ['ciudad', 'texto'],
        properties: { ciudad: { type: 'string' }, texto: { type: 'string' } },
      },
    },
  },
  filters: { lote: true, fechaDesde: { field: 'fecha', op: 'gte' }, sucursal: { many: true } },
  sort: ['fecha', 'sucursal', 'lote', 'detalle.ciudad'],
  search: ['detalle.texto'],
})

type Pieza = NonNullable<(typeof piezas)['types']>['record']

interface Node {
  readonly 'Node Type': string
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly 'Actual Rows': number
  readonly Plans?: readonly Node[]
}

const rows = 40_000

describe('QUERY-7: the cost of a page', () => {
  let place: Place
  let pool: pg.Pool
  let last: { readonly text: string; readonly values: unknown[] }
  beforeAll(async () => {
    // The tests use a separate database, because open transactions of other tests in the same
    // database would keep VACUUM from marking pages as all-visible.
    place = await freshDatabase()
    pool = new pg.Pool({ connectionString: place.url })
    for (const table of ['piezas', 'pocas'])
      await place.sql(tableDdl(piezas, { table, version: { column: 'version' } }))
    for (const [table, count] of [
      ['piezas', rows],
      ['pocas', rows / 10],
    ] as const) {
      await place.sql(`
        INSERT INTO ${table} (numero, lote, fecha, sucursal, detalle)
        SELECT i, 'L' || (i * 7919) % ${count / 100}, to_char(timestamp '2020-01-01' + ((i * 7919) % ${count}) * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS".0000000"'),
          CASE WHEN i % 10 = 0 THEN NULL ELSE i % 200 END,
          jsonb_build_object('ciudad', 'C' || i % 500, 'texto', repeat('palabra ', 40) || 'unica' || i)
        FROM generate_series(1, ${count}) i`)
      await place.sql(`VACUUM ANALYZE ${table}`)
    }
  }, 120_000)
  afterAll(async () => {
    await pool.end()
    await place.drop()
  })

  const spy = {
    query(text: string, values?: unknown[]) {
      last = { text, values: values ?? [] }
      return pool.query(text, values)
    },
  }
  const over = (options: Partial<PostgresAdapterOptions<Pieza, number>> = {}): PostgresAdapter<Pieza, number> =>
    postgresAdapter(spy, {
      resource: piezas,
      table: 'piezas',
      version: { column: 'version' },
      count: 'none',
      ...options,
    })

  async function costOf(
    request: ListRequest,
    adapter = over(),
  ): Promise<{ readonly page: Page<Pieza>; readonly blocks: number; readonly nodes: readonly Node[] }> {
    await adapter.list(request, call)
    const page = await adapter.list(request, call)
    const { rows: found } = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${last.text}`, last.values)
    const { Plan } = found[0]['QUERY PLAN'][0] as { Plan: Node }
    return { page, blocks: Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'], nodes: nodesOf(Plan) }
  }
  const nodesOf = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
  const request = (parts: RequestParts): ListRequest => listRequest(parts)
  const placeOf = (asked: ListRequest, { items }: Page<Pieza>, at: number): readonly (Scalar | null)[] =>
    asked.sort.map(({ path }) => (get(items.at(at)?.value, path) as Scalar | null | undefined) ?? null)

  it.each([
    'numero',
    '-numero',
    'fecha,numero',
    '-fecha,-numero',
    'sucursal,numero',
    '-sucursal,-numero',
    'lote,numero',
    'detalle.ciudad,numero',
    '-detalle.ciudad,-numero',
  ])(
    'sorted by %s, the next and previous pages at four depths read at most 2n + 12 blocks if page 1 reads n',
    async (sort) => {
      const asked = request({ sort })
      const first = await costOf(asked)
      for (const depth of [0.1, 0.5, 0.9, 0.999]) {
        const deep = await over().list({ ...asked, offset: Math.floor(rows * depth) }, call)
        for (const backwards of [false, true]) {
          const { page, blocks, nodes } = await costOf({
            ...asked,
            seek: { values: placeOf(asked, deep, backwards ? 0 : -1), backwards },
          })
          expect(page.items.length).toBeGreaterThan(0)
          // The condition for the rows after (or before) a position has several parts. Each part
          // needs an index lookup. The index has three levels, so a lookup reads a few blocks.
          expect(blocks).toBeLessThanOrEqual(2 * first.blocks + 12)
          expect(
            nodes.filter((node) => /Scan/.test(node['Node Type'])).reduce((sum, node) => sum + node['Actual Rows'], 0),
          ).toBeLessThanOrEqual(3 * 26)
        }
      }
    },
  )

  it('a jump to a deep page of wide rows reads only the keys of the skipped rows, if an index covers the keys', async () => {
    const asked = { ...request({ sort: 'fecha,numero' }), offset: Math.floor(rows * 0.8) }
    const jump = await costOf(asked)
    expect(jump.nodes.map((node) => node['Node Type'])).toContain('Index Only Scan')
    const plain = await costOf({ ...request({ sort: 'detalle.ciudad,numero' }), offset: asked.offset })
    expect(jump.blocks).toBeLessThan(plain.blocks / 5)
    expect(jump.page.items).toHaveLength(25)
    const wide = await over().list({ ...asked, size: 1000, offset: asked.offset - 500 }, call)
    expect(jump.page.items).toEqual(wide.items.slice(500, 525))
  })

  it('a jump to one of the last pages reads the index from its end, and returns exactly the rows of the page', async () => {
    const counting = over({ count: 'exact' })
    for (const sort of ['detalle.ciudad,numero', '-fecha,-numero', '-sucursal,-numero']) {
      for (const page of [rows / 25, rows / 25 - 1, rows / 25 + 1, Math.ceil(rows / 50) + 1]) {
        const asked = request({ sort, page })
        const { page: found, nodes } = await costOf(asked, counting)
        const plain = await over().list(asked, call)
        expect(found.items).toEqual(plain.items)
        expect(found).toMatchObject({ total: rows, more: plain.more })
        if (page >= rows / 25 - 1) {
          const scans = nodes
            .filter((node) => node['Node Type'] === 'Limit')
            .flatMap(nodesOf)
            .filter((node) => /^Index/.test(node['Node Type']))
          expect(scans).toHaveLength(1)
          expect(scans[0]?.['Actual Rows']).toBeLessThanOrEqual(50)
        }
      }
    }
    const odd = await counting.list({ ...request({ sort: 'numero' }), offset: rows - 7 }, call)
    expect(odd.items.map(({ value }) => value.numero)).toEqual([
      rows - 6,
      rows - 5,
      rows - 4,
      rows - 3,
      rows - 2,
      rows - 1,
      rows,
    ])
    expect(odd.more).toBe(false)
  })

  it('a jump does not read the keys in a separate scan if no index covers the filters', async () => {
    const { page, nodes } = await costOf({
      ...request({ sort: 'fecha,numero', where: [{ field: 'detalle.ciudad', op: 'gt', value: 'C1' }] }),
      offset: 600,
    })
    expect(page.items).toHaveLength(25)
    // A separate scan of the keys would add a join with the rows to the plan.
    expect(nodes.map((node) => node['Node Type']).join()).not.toMatch(/Index Only Scan|Join|Nested Loop/)
  })

  it.each<[string, RequestParts]>([
    ['sorted', { sort: '-fecha,-numero' }],
    [
      'filtered and sorted',
      { sort: 'fecha,numero', where: [{ field: 'fecha', op: 'gte', value: '2020-01-02T00:00:00.0000000' }] },
    ],
    ['filtered', { sort: 'numero', where: [{ field: 'lote', op: 'eq', value: 'L7' }] }],
    ['found by q', { search: 'unica77' }],
  ])(
    'a page (%s) causes no sequential scan, and reads at most 2n + 6 blocks if a ten times smaller table needs n',
    async (_, parts) => {
      const large = await costOf(request(parts))
      const small = await costOf(request(parts), over({ table: 'pocas' }))
      expect(large.page.items.length).toBe(small.page.items.length)
      expect(large.blocks).toBeLessThanOrEqual(2 * small.blocks + 6)
      expect(large.nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan')
    },
  )

  it('a bounded count stops at its limit', async () => {
    const { nodes } = await costOf(request({ sort: 'numero' }), over({ count: 'bounded', countBound: 100 }))
    expect(Math.max(...nodes.map((node) => node['Actual Rows']))).toBeLessThanOrEqual(101)
  })
})
