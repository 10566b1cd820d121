/** The adapter's optimized paths through `pg` give the same results as the general paths. */
import { deepStrictEqual } from 'node:assert'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AdapterCall, ListRequest } from '../../../src/adapters/contract.js'
import { postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { freshSchema, type Place } from '../../servers/databases.js'
import { call, callOf, listRequest } from '../memory/requests.js'
import { refusedWith, until } from './bultos.js'

const rarezas = defineResource({
  collection: 'rarezas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'seguro'],
    properties: {
      id: { type: 'string' },
      seguro: { type: 'integer' },
      grande: { type: ['integer', 'null'] },
      exacto: { type: ['number', 'null'] },
      doble: { type: ['number', 'null'] },
      dia: { type: ['string', 'null'], format: 'date' },
      momento: { type: ['string', 'null'], format: 'local-date-time' },
      instante: { type: ['string', 'null'], format: 'date-time' },
      lista: { type: ['array', 'null'], items: { type: ['string', 'null'] } },
      dentro: { type: ['object', 'null'] },
      duenyo: { type: ['string', 'null'] },
      constructor: { type: ['string', 'null'] },
    },
    additionalProperties: true,
  },
  filters: { duenyo: true },
  sort: ['seguro', 'grande'],
})

const ddl = `
  CREATE TABLE rarezas (id text COLLATE "C" PRIMARY KEY, seguro integer, grande bigint, exacto numeric, doble double precision, dia date, momento timestamp,
    instante timestamptz, lista text[], dentro jsonb, duenyo text, constructor text, resto jsonb NOT NULL DEFAULT '{}', version uuid NOT NULL DEFAULT gen_random_uuid());
  CREATE FUNCTION lento(segundos integer) RETURNS integer LANGUAGE plpgsql VOLATILE AS $$ BEGIN PERFORM pg_sleep(segundos); RETURN segundos; END $$;
  CREATE VIEW lentas AS SELECT id, lento(seguro) AS seguro, grande, exacto, doble, dia, momento, instante, lista, dentro, duenyo, constructor, resto, version FROM rarezas`

let place: Place
let pool: pg.Pool
beforeAll(async () => {
  place = await freshSchema()
  await place.sql(ddl)
  pool = new pg.Pool({ connectionString: `${place.url}&application_name=${place.name}`, max: 4 })
})
afterAll(() => pool.end().then(() => place.drop()))

const over = (client: Parameters<typeof postgresAdapter>[0], more = {}) =>
  postgresAdapter(client, {
    resource: rarezas,
    table: 'rarezas',
    version: { column: 'version' },
    rest: 'resto',
    ...more,
  })
/** An adapter that reads columns by name, because there are no optimizations for its client. */
const plain = () => over({ query: (text: string, values?: unknown[]) => pool.query(text, values) })

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const one of Object.values(Object.freeze(value))) frozen(one)
  return value
}

/** Compares records as plain objects, because some records are instances of a class. */
const same = (one: Records, other: Records) => deepStrictEqual(one.map(plainly), other.map(plainly))
const plainly = (stored: Records[number]) => stored && { value: stored.value, version: stored.version }
type Records = readonly ({ readonly value: unknown; readonly version: string } | undefined)[]

const maybe = fc.option
const text = fc.string({ unit: 'grapheme' }).filter((one) => !/\0|\p{Surrogate}/u.test(one))
const json = fc.oneof(
  fc.jsonValue().filter((value) => !/\\u0000|\\ud/i.test(JSON.stringify(value))),
  fc.constant(JSON.parse('{"__proto__":{"toString":1},"a":[null]}')),
)
const rows = fc.array(
  fc.record({
    seguro: maybe(fc.integer()),
    grande: maybe(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    exacto: maybe(fc.constantFrom('1.10', '-0.000000000000000001', '123456789012345678901234567890.5', 'NaN')),
    doble: maybe(fc.constantFrom('-0', '1e300', 'NaN', 'Infinity', '0.1')),
    dia: maybe(fc.constantFrom('2026-01-31', 'infinity', '0044-03-15 BC')),
    momento: maybe(fc.constantFrom('2026-01-31T09:30:00.123456', '-infinity')),
    instante: maybe(fc.constantFrom('2026-01-31T09:30:00.5+03', '20000-01-01T00:00:00Z')),
    lista: maybe(fc.array(maybe(text))),
    dentro: maybe(json),
    duenyo: fc.constantFrom('uno', 'dos', null),
    constructor: maybe(text),
    resto: fc.dictionary(fc.constantFrom('__proto__', 'a', 'id', 'toString'), fc.integer()),
  }),
  { minLength: 1, maxLength: 6 },
)

describe('the optimized paths through `pg`', () => {
  it('return the same results as a client that reads columns by name (property)', async () => {
    const [short, long] = [over(pool), plain()]
    const request = frozen(
      listRequest({ sort: 'seguro,grande,id', where: [{ field: 'duenyo', op: 'eq', value: 'uno' }] }),
    )
    const all = frozen(listRequest({ sort: '-grande,-id' }))
    await fc.assert(
      fc.asyncProperty(rows, async (given) => {
        await pool.query('TRUNCATE rarezas')
        for (const [
          i,
          { seguro, grande, exacto, doble, dia, momento, instante, lista, dentro, duenyo, constructor: own, resto },
        ] of given.entries())
          await pool.query('INSERT INTO rarezas VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)', [
            `r${i}`,
            seguro,
            grande,
            exacto,
            doble,
            dia,
            momento,
            instante,
            lista,
            JSON.stringify(dentro),
            duenyo,
            own,
            JSON.stringify(resto),
          ])
        const keys = [...given.map((_, i) => `r${i}`), 'none', 'r0']
        same(await short.read(keys, call), await long.read(keys, call))
        same(await short.read(['r0'], call), await long.read(['r0'], call))
        for (const asked of [request, all]) {
          const [one, other] = [await short.list(asked, call), await long.list({ ...asked }, call)]
          same(one.items, other.items)
          deepStrictEqual({ ...one, items: [] }, { ...other, items: [] })
        }
        const [record] = await short.read(['r0'], call)
        const next = { ...record?.value, id: 'r0', seguro: 7 }
        const written = await short.replace('r0', next as never, record?.version, call)
        if (typeof written === 'object' && 'value' in written) same([written], await long.read(['r0'], call))
        else deepStrictEqual(await long.replace('r0', next as never, record?.version, call), written)
      }),
      { numRuns: 40 },
    )
  })

  it('do not break reads through a client with the option "pipeline"', async () => {
    await pool.query(`TRUNCATE rarezas; INSERT INTO rarezas (id, seguro) VALUES ('a', 1)`)
    const client = new pg.Client({ connectionString: place.url, pipeline: true } as pg.ClientConfig)
    await client.connect()
    const store = over(client)
    for (let i = 0; i < 3; i++)
      expect(await store.read(['a', 'b'], call)).toMatchObject([{ value: { id: 'a', seguro: 1 } }, undefined])
    await client.end()
  })

  it('stay visible to tracers, which wrap a query and its callback', async () => {
    await pool.query(`TRUNCATE rarezas; INSERT INTO rarezas (id, seguro) VALUES ('a', 1)`)
    const seen: string[] = []
    let answered = 0
    class Traced extends pg.Client {
      // biome-ignore lint/suspicious/noExplicitAny: tracers override the method like this
      override query(given: any, ...more: any[]): any {
        if (typeof given?.submit !== 'function') return super.query(given, ...more)
        seen.push(given.text)
        const query = Object.create(given)
        query.callback = (...answer: unknown[]) => {
          answered++
          given.callback(...answer)
        }
        return super.query(query, ...more)
      }
    }
    const traced = new pg.Pool({ connectionString: place.url, max: 1, Client: Traced } as pg.PoolConfig)
    const store = over(traced)
    for (let i = 0; i < 3; i++) expect(await store.read(['a'], call)).toMatchObject([{ value: { id: 'a', seguro: 1 } }])
    await traced.end()
    expect(seen).toEqual([expect.stringContaining('"rarezas"'), seen[0], seen[0]])
    expect(answered).toBe(3)
  })

  it('are disabled if the service has replaced the query method of each client to inspect results', async () => {
    await pool.query(`TRUNCATE rarezas; INSERT INTO rarezas (id, seguro) VALUES ('a', 1)`)
    const watched = new pg.Pool({ connectionString: place.url, max: 1 })
    let rows = 0
    watched.on('connect', (client) => {
      const query = client.query.bind(client) as (...given: unknown[]) => Promise<pg.QueryResult>
      Object.assign(client, {
        query: async (...given: unknown[]) => {
          const result = await query(...given)
          rows += result.rows.length
          return result
        },
      })
    })
    const store = over(watched)
    for (let i = 0; i < 3; i++) expect(await store.read(['a'], call)).toMatchObject([{ value: { id: 'a', seguro: 1 } }])
    await watched.end()
    expect(rows).toBeGreaterThanOrEqual(3)
  })

  it('fail, and do not hang, if a function that wraps queries throws', async () => {
    class Failing extends pg.Client {
      // biome-ignore lint/suspicious/noExplicitAny: wrappers override the method like this
      override async query(given: any, ...more: any[]): Promise<any> {
        if (typeof given?.submit === 'function') throw new Error('The wrapper failed.')
        return super.query(given, ...more)
      }
    }
    const failing = new pg.Pool({ connectionString: place.url, max: 1, Client: Failing } as pg.PoolConfig)
    await expect(over(failing).read(['a'], call)).rejects.toThrow('again')
    await failing.end()
  })
})

describe('a repeated list request', () => {
  const ids = async (request: ListRequest, one: AdapterCall = call) =>
    (await over(pool).list(request, one)).items.map(({ value }) => value.id)

  it('finds current records, and for each caller only those in its scope', async () => {
    await pool.query(
      `TRUNCATE rarezas; INSERT INTO rarezas (id, seguro, duenyo) VALUES ('a', 1, 'uno'), ('b', 2, 'dos')`,
    )
    const store = over(pool)
    const request = frozen(listRequest({ sort: 'seguro,id' }))
    const seen = async (scope = {}) => (await store.list(request, callOf({ scope }))).items.map(({ value }) => value.id)
    for (let i = 0; i < 4; i++) {
      expect(await seen({ duenyo: 'dos' })).toEqual(['b'])
      expect(await seen()).toEqual(['a', 'b'])
      expect(await seen({ duenyo: 'uno' })).toEqual(['a'])
    }
    await pool.query(`INSERT INTO rarezas (id, seguro, duenyo) VALUES ('c', 0, 'dos')`)
    expect(await seen()).toEqual(['c', 'a', 'b'])
    expect(await seen({ duenyo: 'dos' })).toEqual(['c', 'b'])
    await pool.query('ALTER TABLE rarezas ADD COLUMN nueva text')
    expect(await seen()).toEqual(['c', 'a', 'b'])
  })

  it('is compiled again if the request object is not deeply frozen', async () => {
    await pool.query(
      `TRUNCATE rarezas; INSERT INTO rarezas (id, seguro, duenyo) VALUES ('a', 1, 'uno'), ('b', 2, 'dos')`,
    )
    const store = over(pool)
    const found = async (request: ListRequest) => (await store.list(request, call)).items.map(({ value }) => value.id)
    const where = [{ field: 'duenyo', path: ['duenyo'], op: 'eq' as const, value: 'uno' }]
    // Only the outermost object is frozen.
    const request = Object.freeze({ ...listRequest({ sort: 'id' }), where })
    let owner = 'uno'
    const turning = Object.freeze({
      ...listRequest({ sort: 'id' }),
      get where() {
        return frozen([{ field: 'duenyo', path: ['duenyo'], op: 'eq' as const, value: owner }])
      },
    })
    for (let i = 0; i < 3; i++) expect([await found(request), await found(turning)]).toEqual([['a'], ['a']])
    where[0] = { ...where[0], value: 'dos' } as never
    owner = 'dos'
    expect([await found(request), await found(turning)]).toEqual([['b'], ['b']])
    expect(await ids(request)).toEqual(['b'])
  })
})

describe('a signal that is created lazily', () => {
  it('is not created for quick statements, and cancels slow ones', async () => {
    await pool.query(`TRUNCATE rarezas; INSERT INTO rarezas (id, seguro) VALUES ('quick', 0), ('slow', 60)`)
    const leaving = new AbortController()
    let asked = 0
    class Made implements AdapterCall {
      readonly principal = undefined
      readonly scope = {}
      readonly requestId = 'r'
      get signal() {
        asked++
        return leaving.signal
      }
    }
    const store = over(pool, { readFrom: 'lentas' })
    await store.ready()
    // On a busy machine, a few of these reads take long and therefore create the signal.
    for (let i = 0; i < 100; i++) await store.read(['quick'], new Made())
    expect(asked).toBeLessThan(100)
    const left = refusedWith(store.read(['slow'], new Made()))
    const running = `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND application_name = $1`
    await until(() => place.sql(running, [place.name]).then(({ length }) => length)).toBe(1)
    leaving.abort()
    await left
    await until(() => place.sql(running, [place.name]).then(({ length }) => length)).toBe(0)
  })
})
