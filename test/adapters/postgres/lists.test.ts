import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page, Scalar } from '../../../src/adapters/contract.js'
import {
  type PostgresAdapter,
  type PostgresAdapterOptions,
  postgresAdapter,
  type SqlClient,
  tableDdl,
} from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { call, callOf, listRequest, type RequestParts } from '../memory/requests.js'
import { type Store, stores } from './stores.js'

interface Pieza {
  numero: number
  lote?: string
  peso?: number | null
  notas?: readonly string[]
  titulo?: string
}

const piezas = defineResource<Pieza>()({
  collection: 'piezas',
  key: 'numero',
  schema: {
    type: 'object',
    properties: {
      numero: { type: 'integer' },
      lote: { type: 'string' },
      peso: { type: ['number', 'null'] },
      notas: { type: 'array', items: { type: 'string' } },
      titulo: { type: 'string' },
    },
  },
  filters: { lote: true, sinPeso: { field: 'peso', op: 'null' }, nota: { field: 'notas', op: 'contains' } },
  sort: ['lote', 'peso', 'numero'],
  search: ['titulo', 'lote'],
})

describe.each(stores)('lists on $name', ({ open }) => {
  let store: Store
  let adapter: PostgresAdapter<Pieza, number>
  const over = (options: Partial<PostgresAdapterOptions<Pieza, number>>): PostgresAdapter<Pieza, number> =>
    postgresAdapter(store.client, { resource: piezas, table: 'piezas', version: { column: 'version' }, ...options })
  beforeAll(async () => {
    store = await open()
    await store.sql(tableDdl(piezas, { table: 'piezas', version: { column: 'version' } }))
    adapter = over({})
    await adapter.ready()
    await store.sql(`
      INSERT INTO piezas (numero, lote, peso, notas, titulo)
      SELECT i, 'L' || i % 4, CASE WHEN i % 5 = 0 THEN NULL ELSE i % 7 END, jsonb_build_array('n' || i % 3), 'pieza ' || CASE WHEN i % 10 = 0 THEN 'urgente urgente' ELSE 'urgente comun' END
      FROM generate_series(1, 60) i`)
  })
  afterAll(() => store.close())

  const numbers = ({ items }: Page<Pieza>): number[] => items.map(({ value }) => value.numero)
  const list = async (parts: RequestParts, on = adapter) => on.list(listRequest(parts), call)

  /**
   * Reads page after page, like a client that follows the links. Each page continues from the
   * position where the previous page ended. `meanwhile` runs between pages.
   */
  async function walk(
    sort: string,
    backwards: boolean,
    size: number,
    meanwhile: (page: number) => Promise<unknown> = async () => undefined,
  ): Promise<number[]> {
    const request = listRequest({ sort, size })
    const seen: number[] = []
    let values: readonly (Scalar | null)[] | undefined = backwards
      ? request.sort.map(({ descending, field }) =>
          field === 'numero' ? (descending ? -1 : 1e9) : descending ? '' : null,
        )
      : undefined
    for (let page = 1; page < 100; page++) {
      const found: Page<Pieza> = await adapter.list(
        { ...request, ...(values === undefined ? {} : { seek: { values, backwards } }) },
        call,
      )
      expect(found.seekable).toBe(true)
      const edge = backwards ? found.items[0] : found.items.at(-1)
      seen.push(...(backwards ? numbers(found).toReversed() : numbers(found)))
      if (edge === undefined || !found.more) break
      values = request.sort.map(({ field }) => (edge.value[field as keyof Pieza] as Scalar | null | undefined) ?? null)
      await meanwhile(page)
    }
    return seen
  }

  it.each([
    'numero',
    '-numero',
    'peso,numero',
    '-peso,-numero',
    'lote,-peso,-numero',
    '-lote,peso,numero',
    'peso,lote,numero',
  ])('QUERY-7: pagination by %s neither repeats nor skips rows', async (sort) => {
    const all = numbers(await list({ sort, size: 100 }))
    expect(all).toHaveLength(60)
    for (const size of [1, 7, 25]) expect(await walk(sort, false, size)).toEqual(all)
    const pages = [1, 2, 3].map(async (page) => numbers(await list({ sort, page, size: 25 })))
    expect((await Promise.all(pages)).flat()).toEqual(all)
    if (sort.startsWith('peso') || sort === 'numero') expect(await walk(sort, true, 7)).toEqual(all.toReversed())
  })

  it('QUERY-7: pagination neither repeats nor skips rows while other rows are inserted and deleted', async () => {
    const all = numbers(await list({ sort: '-peso,-numero', size: 100 }))
    const added: number[] = []
    const seen = await walk('-peso,-numero', false, 7, async (page) => {
      const numero = 1000 + page
      added.push(numero)
      await adapter.create({ numero, peso: page % 7 }, call)
      if (page > 1) await adapter.remove(numero - 1, undefined, call)
    })
    expect(seen.filter((numero) => numero < 1000)).toEqual(all)
    expect(new Set(seen).size).toBe(seen.length)
    for (const numero of added) await adapter.remove(numero, undefined, call)
  })

  it('a page past the end of a list, or a page without matches, has no items, and its total is correct', async () => {
    expect(await list({ sort: 'numero', page: 9 })).toEqual({ items: [], total: 60, seekable: true, more: false })
    expect(await list({ sort: 'numero', where: [{ field: 'lote', op: 'eq', value: 'none' }] })).toMatchObject({
      items: [],
      total: 0,
      more: false,
    })
    expect(
      await adapter.list({ ...listRequest({ sort: 'numero' }), offset: Number.MAX_SAFE_INTEGER - 25 }, call),
    ).toMatchObject({
      items: [],
      total: 60,
    })
  })

  it('QUERY-3: q is parsed by websearch_to_tsquery, and the results are sorted by rank and then by key', async () => {
    const found = await list({ search: 'urgente', size: 8 })
    expect(found.total).toBe(60)
    expect(numbers(found)).toEqual([10, 20, 30, 40, 50, 60, 1, 2])
    expect(found.seekable).toBeUndefined()
    expect(await list({ search: '"pieza urgente" -comun' })).toMatchObject({ total: 6 })
    expect(await list({ search: 'comun or L0' })).toMatchObject({ total: 57 })
    expect(await list({ search: 'nothing' })).toMatchObject({ total: 0, items: [] })
    expect(
      numbers(
        await list({ search: 'urgente', sort: '-numero', size: 2, where: [{ field: 'lote', op: 'eq', value: 'L3' }] }),
      ),
    ).toEqual([59, 55])
    for (const search of ['', '  ', "'", '"', '((', '!', '&|', ':*', 'a'.repeat(50_000), '\ud83d\ude80', '-'])
      expect((await list({ search })).total).toBeGreaterThanOrEqual(0)
    expect((await list({ search: ' ' })).total).toBe(60)
    // PostgreSQL fails on these search texts. The adapter must refuse them instead of reporting an
    // error of the service.
    for (const search of [`${'-'.repeat(33)}a`, `${'-('.repeat(40)}a`, `${'- '.repeat(3_000)}a`])
      expect((await list({ search })).refused).toEqual({
        refused: 'rule',
        members: [],
        why: expect.stringMatching(/operators/),
      })
    expect((await list({ search: `${'-'.repeat(32)}a` })).refused).toBeUndefined()
  })

  it("QUERY-3: if the service's search function does not return a list, the error names the function", async () => {
    const engine = over({ search: (async () => undefined) as never })
    await expect(engine.list(listRequest({ search: 'x' }), call)).rejects.toThrow(
      /^The function "search" of "\S+" returned undefined\. Return a list of keys/,
    )
  })

  it("QUERY-3: the service's search function gets q unchanged, and the results keep the order of the returned keys", async () => {
    const searches: unknown[] = []
    const engine = over({
      search: (q, request, { principal }) => {
        searches.push([q, request.size, principal])
        return [7, 3, 999, 3, 12, 50]
      },
    })
    const found = await engine.list(
      { ...listRequest({ search: ' as it* is ', size: 3 }) },
      callOf({ principal: 'ana' }),
    )
    expect(searches).toEqual([[' as it* is ', 3, 'ana']])
    expect(numbers(found)).toEqual([7, 3, 12])
    expect(found).toMatchObject({ total: 4, more: true })
    expect(numbers(await engine.list(listRequest({ search: 'x', page: 2, size: 3 }), call))).toEqual([50])
    expect(numbers(await engine.list(listRequest({ search: 'x', sort: '-numero' }), call))).toEqual([50, 12, 7, 3])
    expect(
      numbers(await engine.list(listRequest({ search: 'x', where: [{ field: 'lote', op: 'eq', value: 'L3' }] }), call)),
    ).toEqual([7, 3])
    expect(numbers(await engine.list(listRequest({ search: 'x' }), callOf({ scope: { lote: 'L0' } })))).toEqual([12])
    expect(await over({ search: () => [] }).list(listRequest({ search: 'x' }), call)).toMatchObject({
      items: [],
      total: 0,
    })
  })

  it('QUERY-7: the total is exact, bounded, estimated or absent, depending on the options', async () => {
    await store.sql('ANALYZE piezas')
    expect(await list({ sort: 'numero' }, over({ count: 'none' }))).not.toHaveProperty('total')
    expect(await list({ sort: 'numero' }, over({ count: 'bounded', countBound: 20 }))).toMatchObject({
      total: 20,
      exact: false,
      more: true,
    })
    expect(await list({ sort: 'numero' }, over({ count: 'bounded', countBound: 60 }))).toMatchObject({ total: 60 })
    const estimated = over({ count: 'estimated', countBound: 20 })
    const all = await list({ sort: 'numero', page: 2, size: 7 }, estimated)
    expect(all).toMatchObject({ exact: false, more: true })
    expect(all.total).toBe(60)
    expect(await list({ sort: 'numero', where: [{ field: 'lote', op: 'eq', value: 'L1' }] }, estimated)).toEqual(
      expect.objectContaining({ total: 15 }),
    )
    expect(
      (
        await list(
          { sort: 'numero', where: [{ field: 'lote', op: 'eq', value: 'L1' }] },
          over({ count: 'estimated', countBound: 3 }),
        )
      ).total,
    ).toBeGreaterThan(3)
    expect(
      await list({ search: 'urgente' }, over({ count: 'estimated', countBound: 3, search: { config: 'simple' } })),
    ).toMatchObject({
      exact: false,
    })
  })

  it('a page takes one query, and so does a read of many keys', async () => {
    const asked: string[] = []
    const client = store.client as SqlClient
    const spy = {
      query(text: string, values?: unknown[]) {
        asked.push(text)
        return client.query(text, values)
      },
    }
    const watched = postgresAdapter(spy, { resource: piezas, table: 'piezas', version: { column: 'version' } })
    await watched.ready()
    asked.length = 0
    await watched.list(
      listRequest({
        sort: 'peso,numero',
        page: 2,
        where: [{ field: 'lote', op: 'in', value: ['L1', 'L2'] }],
        search: 'urgente',
      }),
      call,
    )
    expect(asked).toHaveLength(1)
    asked.length = 0
    await watched.read(
      Array.from({ length: 100 }, (_, i) => i),
      call,
    )
    expect(asked).toHaveLength(1)
  })
})
