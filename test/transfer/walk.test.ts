/**
 * Exports of a large table in PostgreSQL. An export contains each unchanged row exactly once. If
 * the client stops reading, the export stops reading from the table.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresAdapter, tableDdl } from '../../src/adapters/postgres/index.js'
import { type Adapter, api, defineResource, type ErrorEvent, type ListRequest, mount } from '../../src/index.js'
import { csv, ndjson } from '../../src/transfer/index.js'
import { openPostgres } from '../adapters/postgres/stores.js'
import { listen } from '../clauses/fixture.js'
import { begin, end } from './fixture.js'

const filas = defineResource({
  collection: 'filas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'texto'],
    properties: { id: { type: 'integer' }, texto: { type: 'string' }, n: { type: ['integer', 'null'] } },
  },
  sort: ['n'],
  page: { max: 500 },
})
type Fila = { id: number; texto: string; n?: number | null }
const count = 100_000

describe('exports of 100,000 rows', () => {
  let store: Awaited<ReturnType<typeof openPostgres>>
  let adapter: Adapter<Fila, number>
  const requests: ListRequest[] = []
  let meanwhile: (page: number) => Promise<unknown> = async () => undefined
  beforeAll(async () => {
    store = await openPostgres()
    const table = { table: 'filas', version: { column: 'version' } } as const
    await store.sql(tableDdl(filas, table))
    // Rows with even ids always exist. Rows with odd ids are created and deleted during an export.
    await store.sql(
      `INSERT INTO filas (id, texto, n) SELECT i * 2, repeat('x', 200), i % 7 FROM generate_series(1, ${count}) i`,
    )
    const inner = postgresAdapter(store.client, { ...table, resource: filas })
    await inner.ready()
    adapter = {
      read: (keys, call) => inner.read(keys, call),
      list: async (request, call) => {
        requests.push(request)
        await meanwhile(requests.length)
        return inner.list(request, call)
      },
    } as Adapter<Fila, number>
  })
  afterAll(() => store.close())
  const serve = (exports: object = {}, onError: (event: ErrorEvent) => void = () => {}) =>
    listen(
      api({
        onError,
        versions: { v1: [mount(filas, adapter, { exports: { formats: [csv(), ndjson()], ...exports } })] },
      }) as never,
    )

  it.each(['', '?sort=-n'])(
    'QUERY-2: an export has each unchanged row exactly once while other rows are created and deleted: %j',
    async (query) => {
      requests.length = 0
      meanwhile = (page) =>
        page % 20 === 0
          ? store.sql(
              'DELETE FROM filas WHERE id % 2 = 1; INSERT INTO filas (id, texto, n) SELECT i * 2000 + ' +
                `${page * 10 + 1}, 'new', 3 FROM generate_series(1, 90) i`,
            )
          : Promise.resolve()
      const served = await serve()
      try {
        const found = await end(await begin(served.port, `/v1/filas${query}`, 'application/x-ndjson'))
        expect(found.whole).toBe(true)
        const ids = found.text
          .split('\n')
          .slice(0, -1)
          .map((line) => (JSON.parse(line) as Fila).id)
        const even = ids.filter((id) => id % 2 === 0)
        expect(even).toHaveLength(count)
        expect(new Set(even).size).toBe(count)
        expect(new Set(ids).size).toBe(ids.length)
        expect(requests.slice(1).every(({ seek, count: counted }) => seek !== undefined && counted === false)).toBe(
          true,
        )
      } finally {
        meanwhile = async () => undefined
        await store.sql('DELETE FROM filas WHERE id % 2 = 1')
        await served.close()
      }
    },
  )

  it('VERB-1: an export reads no more rows if the client stops reading', async () => {
    requests.length = 0
    let cut = (): void => {}
    const stalled = new Promise<void>((resolve) => {
      cut = resolve
    })
    const served = await serve({ stallTimeout: 300 }, () => cut())
    try {
      await begin(served.port, '/v1/filas', 'text/csv')
      await stalled
      // The 200 pages have 21 MB in total. The socket buffers hold less than half of them.
      expect(requests.length).toBeLessThan(100)
      expect(
        (
          await store.sql(
            'SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND state = ' +
              "'active' AND query LIKE '%filas%' AND pid <> pg_backend_pid()",
          )
        )[0],
      ).toEqual({ n: 0 })
    } finally {
      await served.close()
    }
  })
})
