/**
 * Imports accept exports. If the imported records are exported again, the second export has the
 * same bytes as the first.
 */
import fc from 'fast-check'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { postgresAdapter, tableDdl } from '../../src/adapters/postgres/index.js'
import { type Adapter, api, defineResource, mount } from '../../src/index.js'
import { csv, imports, ndjson, type Transaction } from '../../src/transfer/index.js'
import { openPostgres } from '../adapters/postgres/stores.js'
import { listen } from '../clauses/fixture.js'

const text = { type: 'string' } as const

const cosas = defineResource({
  collection: 'cosas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'texto', 'lugar'],
    properties: {
      id: { type: 'integer' },
      texto: text,
      nota: { type: ['string', 'null'] },
      'a.b': { type: ['string', 'null'] },
      peso: { type: ['number', 'null'] },
      entero: { type: ['integer', 'null'] },
      activa: { type: ['boolean', 'null'] },
      dia: { type: ['string', 'null'], format: 'date' },
      marcas: { type: ['array', 'null'], items: text },
      lugar: { type: 'object', properties: { calle: { type: ['string', 'null'] }, n: { type: ['integer', 'null'] } } },
      sitio: {
        type: ['object', 'null'],
        required: ['calle'],
        properties: { calle: text, n: { type: ['integer', 'null'] } },
      },
      vago: { type: ['object', 'null'], properties: { x: { type: ['string', 'null'] } } },
    },
  },
})

/**
 * Strings that CSV or spreadsheets treat specially, and random strings. PostgreSQL cannot store
 * U+0000 or lone surrogates, so the strings contain neither.
 */
const odd = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    "'",
    '=1+1',
    '+1',
    '-1',
    '@x',
    '\t',
    '\r',
    '\n',
    '\r\n',
    "'=1",
    "''=1",
    '"',
    '""',
    ',',
    ';',
    'null',
    'true',
    '1',
    '\uFEFFx',
    'x\uFEFF',
    '＝1',
    'año 😀',
    '\\',
    '\\N',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }).map((one) => one.replaceAll('\0', '')),
)
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const whole = fc.integer({ min: -1_000_000, max: 1_000_000 })

const cosa = fc.record({
  texto: odd,
  nota: orNull(odd),
  'a.b': orNull(odd),
  peso: orNull(
    fc.oneof(
      whole,
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map((n) => (Object.is(n, -0) ? 0 : n)),
    ),
  ),
  entero: orNull(whole),
  activa: orNull(fc.boolean()),
  dia: orNull(fc.constantFrom('2024-02-29', '0001-01-01', '9999-12-31')),
  marcas: orNull(fc.array(odd, { maxLength: 3 })),
  lugar: fc.record({ calle: orNull(odd), n: orNull(whole) }),
  sitio: orNull(fc.record({ calle: odd, n: orNull(whole) })),
  vago: orNull(fc.record({ x: orNull(odd) })),
})

interface Store {
  readonly adapter: Adapter<never, never>
  readonly transaction: Transaction | 'none'
  readonly clear: () => Promise<unknown>
}

const inMemory = async (): Promise<Store & { close(): Promise<void> }> => {
  const adapter = memoryAdapter(cosas)
  const call = { principal: undefined, scope: {}, requestId: 'x', signal: new AbortController().signal }
  return {
    adapter: adapter as never,
    transaction: 'none',
    async clear() {
      const where: never[] = []
      const sort = [{ field: 'id', path: ['id'], descending: false }]
      const { items } = await adapter.list({ where, sort, page: 1, size: 1000, offset: 0 }, call)
      for (const { value } of items) await adapter.remove?.((value as { id: number }).id as never, undefined, call)
    },
    close: async () => {},
  }
}

const inPostgres = async (): Promise<Store & { close(): Promise<void> }> => {
  const store = await openPostgres()
  const table = { table: 'cosas', version: { column: 'version' } } as const
  await store.sql(tableDdl(cosas, table))
  const adapter = postgresAdapter(store.client, { ...table, resource: cosas })
  await adapter.ready()
  return {
    adapter: adapter as never,
    transaction: transactionOf(store.client),
    clear: () => store.sql('DELETE FROM cosas'),
    close: () => store.close(),
  }
}

/** Works like the function `transaction` of docs/transfer.md. */
const transactionOf =
  (pool: pg.Pool): Transaction =>
  async (run) => {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      const result = await run(client)
      await client.query('COMMIT')
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      throw error
    } finally {
      client.release()
    }
  }

describe.each([
  ['memory', inMemory],
  ['PostgreSQL', inPostgres],
])('transfers over %s', (_, open) => {
  let store: Awaited<ReturnType<typeof inMemory>>
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())

  it.each([
    ['CSV', csv()],
    ['CSV for spreadsheets', csv({ separator: ';', escapeFormulas: true, bom: true })],
    ['NDJSON', ndjson()],
  ])('REP-7: an import of %s accepts an export, and the next export has the same bytes', async (__, format) => {
    const options = { description: 'x', formats: [format], transaction: store.transaction }
    const served = await listen(
      api({
        versions: {
          v1: [
            mount(cosas, store.adapter as never, { exports: { formats: [format] } }),
            imports('cargas', cosas, options),
          ],
        },
      }) as never,
    )
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(cosa, { minLength: 1, maxLength: 8 }), async (given) => {
          await store.clear()
          const records = given.map((one, i) => ({ id: i + 1, ...one }))
          const type = { 'content-type': format.mediaType }
          // The records are created by POSTs of JSON, so that the first export has exactly the
          // values that were sent.
          for (const record of records)
            expect((await served.send('POST', '/v1/cosas', {}, JSON.stringify(record))).status).toBe(201)
          const first = await served.send('GET', '/v1/cosas', { accept: format.mediaType })
          await store.clear()
          const taken = await served.send('POST', '/v1/cargas', type, first.text)
          expect(taken.json).toEqual({ rows: records.length, created: records.length, dryRun: false })
          const second = await served.send('GET', '/v1/cosas', { accept: format.mediaType })
          expect(second.text).toBe(first.text)
          expect((await served.send('GET', '/v1/cosas?limit=100')).json).toEqual(records)
        }),
        { numRuns: 15 },
      )
    } finally {
      await served.close()
    }
  })
})

describe('imports over PostgreSQL', () => {
  let store: Awaited<ReturnType<typeof inPostgres>>
  beforeAll(async () => {
    store = await inPostgres()
  })
  afterAll(() => store.close())
  const serve = (adapter: unknown = store.adapter) =>
    listen(
      api({
        onError: () => {},
        versions: {
          v1: [
            mount(cosas, adapter as never, { exports: { formats: [csv()] } }),
            imports('cargas', cosas, { description: 'x', formats: [csv()], transaction: store.transaction }),
          ],
        },
      }) as never,
    )
  const rows = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => `${from + i},x,y\r\n`).join('')

  it('ERR-2: a dry run writes no row; an import writes no row if only the last of 1,000 rows is invalid', async () => {
    const served = await serve()
    try {
      const refused = await served.send(
        'POST',
        '/v1/cargas',
        { 'content-type': 'text/csv' },
        `id,texto,lugar.calle\r\n${rows(1, 999)}1000,,y\r\n`,
      )
      expect(refused.status).toBe(422)
      expect(refused.json.errors.at(-1).pointer).toMatch(/^\/999\//)
      expect((await served.send('GET', '/v1/cosas')).headers['x-total-count']).toBe('0')
      const dry = await served.send(
        'POST',
        '/v1/cargas?dryRun=true',
        { 'content-type': 'text/csv' },
        `id,texto,lugar.calle\r\n${rows(1, 1000)}`,
      )
      expect([dry.status, dry.text]).toEqual([200, '{"rows":1000,"created":0,"dryRun":true}'])
      expect((await served.send('GET', '/v1/cosas')).headers['x-total-count']).toBe('0')
    } finally {
      await served.close()
    }
  })
})
