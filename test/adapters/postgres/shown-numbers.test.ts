/**
 * QUERY-1: a filter finds records by the values that GET shows, even if GET shows a number rounded
 * or as null.
 */
import express from 'express'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { comparedRounded, infiniteFrom } from '../../../src/adapters/postgres/values/rounded.js'
import { api, defineResource, mount } from '../../../src/index.js'
import { listen } from '../../clauses/fixture.js'
import { type Store, stores } from './stores.js'

type Cosa = { readonly id: number; readonly valor: number | string | null }

const decimals = [
  '0.12345678901234567890123',
  '0.12345678901234567890124',
  '12345678901234567890.5',
  '-12345678901234567890.5',
  '9007199254740993',
  '9007199254740995',
  '4503599627370495.75',
  '1e-400',
  '-1e-400',
  '5e-324',
  '1.7976931348623157e308',
  '0.1',
  '19.99',
  '0',
  '-3',
]
const beyond = ['1e400', '-1e400', 'NaN']
const doubles = ['0.1', '1e-300', '5e-324', '1.7976931348623157e308', '-3', '0', 'NaN', 'Infinity', '-Infinity']
const singles = [
  '0.1',
  '1e-45',
  '1.1754944e-38',
  '3.4028235e38',
  '9.8607613e-32',
  '16777216',
  '-3',
  'NaN',
  'Infinity',
  '-Infinity',
]
const wholes = [
  '9223372036854775807',
  '-9223372036854775808',
  '9007199254740993',
  '9007199254740991',
  '-9007199254740991',
  '5',
  '-3',
]
const number = { type: ['number', 'null'] }
const cases: readonly (readonly [type: string, schema: object, values: readonly string[]])[] = [
  ['numeric', number, [...decimals, ...beyond]],
  [
    'numeric(30,20)',
    number,
    ['0.12345678901234567890', '0.12345678901234567891', '1234567890.00000000000000000001', '-3', 'NaN'],
  ],
  ['numeric(12,2)', number, ['1234567890.12', '0.1', '-3', 'NaN']],
  ['numeric', { type: ['string', 'null'], format: 'decimal' }, ['0.12345678901234567890123', '1e400', '-3', 'NaN']],
  ['double precision', number, doubles],
  ['real', number, singles],
  ['bigint', { type: ['integer', 'null'] }, wholes],
]

const compares = {
  gte: (one: number, other: number) => one >= other,
  lte: (one: number, other: number) => one <= other,
  gt: (one: number, other: number) => one > other,
  lt: (one: number, other: number) => one < other,
}

describe.each(stores)('numbers that other programs wrote, in $name', ({ open }) => {
  let store: Store
  let tables = 0
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())

  it.each(cases)('QUERY-1: filters find the values that GET shows: %s, schema %j', async (type, schema, values) => {
    const table = `shown_${++tables}`
    await store.sql(
      `CREATE TABLE ${table} (id int PRIMARY KEY, valor ${type}); INSERT INTO ${table} VALUES (1000, NULL)`,
    )
    for (const [i, value] of values.entries()) await store.sql(`INSERT INTO ${table} VALUES (${i + 1}, '${value}')`)
    const filters = {
      valor: true,
      alguno: { field: 'valor', many: true },
      nada: { field: 'valor', op: 'null' },
      ...Object.fromEntries(Object.keys(compares).map((op) => [op, { field: 'valor', op }])),
    }
    const cosas = defineResource<Cosa>()({
      collection: 'cosas',
      key: 'id',
      schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, valor: schema } } as never,
      filters: filters as never,
    })
    const service = api({ versions: { v1: [mount(cosas, postgresAdapter(store.client, { resource: cosas, table }))] } })
    const { send, close } = await listen(express().use(service))
    const list = async (query: string) => {
      const { status, json } = await send('GET', `/v1/cosas?limit=100&${query}`)
      expect(status, query).toBe(200)
      return json as Cosa[]
    }
    try {
      const all = await list('')
      expect(all).toHaveLength(values.length + 1)
      const matching = (holds: (valor: NonNullable<Cosa['valor']>) => boolean) =>
        all.filter(({ valor }) => valor !== null && holds(valor))
      for (const { valor } of all) {
        if (valor === null) continue
        const text = encodeURIComponent(String(valor))
        expect(await list(`valor=${text}`), `= ${valor}`).toEqual(matching((other) => other === valor))
        expect(await list(`alguno=${text}&alguno=-3`), `in ${valor}`).toEqual(
          matching((other) => other === valor || Number(other) === -3),
        )
        if (typeof valor === 'string') continue
        for (const [op, holds] of Object.entries(compares))
          expect(await list(`${op}=${text}`), `${op} ${valor}`).toEqual(
            matching((other) => holds(other as number, valor)),
          )
      }
      expect(await list('nada=true')).toEqual(all.filter(({ valor }) => valor === null))
      expect(await list('nada=false')).toEqual(all.filter(({ valor }) => valor !== null))
    } finally {
      await close()
    }
  })

  it('QUERY-1: a filter by the shown value can use an index on a numeric column', async () => {
    await store.sql(`CREATE TABLE indexed (id int PRIMARY KEY, valor numeric);
      INSERT INTO indexed SELECT i, i / 7.0 FROM generate_series(1, 20000) i; CREATE INDEX ON indexed (valor); ANALYZE indexed`)
    const [from, to] = comparedRounded('=', 100 / 7, 'numeric') as readonly { op: string; text: string }[]
    const where = `valor ${from?.op} ${from?.text} AND valor ${to?.op} ${to?.text}`
    expect(await store.sql(`SELECT id FROM indexed WHERE ${where}`)).toMatchObject([{ id: 100 }])
    expect(JSON.stringify(await store.sql(`EXPLAIN SELECT * FROM indexed WHERE ${where}`))).toMatch(/Index/)
  })

  it('QUERY-1: numbers in jsonb are found by their shown value', async () => {
    await store.sql(`CREATE TABLE docs (id int PRIMARY KEY, doc jsonb);
      INSERT INTO docs VALUES (1, '{"n": 12345678901234567890}'), (2, '{"n": 0.12345678901234567890123}'), (3, '{"n": 19.990}'), (4, '{}')`)
    const docs = defineResource<{ id: number; doc: { n?: number } }>()({
      collection: 'docs',
      key: 'id',
      schema: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer' }, doc: { type: 'object', properties: { n: { type: 'number' } } } },
      } as never,
      filters: {
        n: { field: 'doc.n' },
        desde: { field: 'doc.n', op: 'gte' },
        hasta: { field: 'doc.n', op: 'lte' },
      } as never,
    })
    const service = api({
      versions: { v1: [mount(docs, postgresAdapter(store.client, { resource: docs, table: 'docs' }))] },
    })
    const { send, close } = await listen(express().use(service))
    const ids = async (query: string) =>
      ((await send('GET', `/v1/docs?${query}`)).json as { id: number }[]).map(({ id }) => id)
    expect(await ids('n=12345678901234567000')).toEqual([1])
    expect(await ids('n=0.12345678901234568')).toEqual([2])
    expect(await ids('n=19.99')).toEqual([3])
    expect(await ids('desde=12345678901234567000')).toEqual([1])
    expect(await ids('hasta=0.12345678901234568')).toEqual([2])
    await close()
  })
})

describe('the decimals that are shown as the same double', () => {
  it('QUERY-1: lie between two bounds. A bound is one of these decimals if and only if it is inclusive', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const ends = comparedRounded('=', value, 'numeric')
        for (const end of ends) {
          if (end === 'never') throw new Error('No decimal is shown as this double.')
          expect(Number(end.text) === value).toBe(end.op.endsWith('='))
        }
      }),
    )
    expect(Number(infiniteFrom)).toBe(Number.POSITIVE_INFINITY)
    expect(Number(infiniteFrom.replace(/.$/, (digit) => String(Number(digit) - 1)))).toBe(Number.MAX_VALUE)
  })
})
