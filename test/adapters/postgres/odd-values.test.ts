/**
 * Other programs can store values that JSON, or the format in the schema, cannot represent (HDR-8,
 * REP-4). GET shows each value in a canonical form or as null. On PGlite, the tests use unusual
 * session settings.
 */
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { api, defineResource, mount } from '../../../src/index.js'
import { listen } from '../../clauses/fixture.js'
import { type Store, stores } from './stores.js'

interface Case {
  readonly type: string
  readonly schema: object
  /** Each value as SQL, and as GET shows it. */
  readonly rows: readonly (readonly [sql: string, shown: unknown])[]
  /** Each value of the filter, with the ids of the records that the filter finds. */
  readonly finds?: readonly (readonly [value: string, ids: readonly number[]])[]
}

const list = (items: object) => ({ type: ['array', 'null'], items })
const text = (format?: string) => ({ type: ['string', 'null'], ...(format === undefined ? {} : { format }) })
const item = (format: string) => ({ type: 'string', format })
const uuid = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'

const cases: readonly Case[] = [
  {
    type: 'numeric(10,2)[]',
    schema: list({ type: 'number' }),
    rows: [
      ["'{1.50,2}'", [1.5, 2]],
      [
        "'{{1,2},{3,4}}'",
        [
          [1, 2],
          [3, 4],
        ],
      ],
    ],
    finds: [['1.50', [1]]],
  },
  {
    type: 'numeric[]',
    schema: list(item('decimal')),
    rows: [
      ["'{1.50,12345678901234567890.10}'", ['1.5', '12345678901234567890.1']],
      [
        "'{{1,2},{3,4}}'",
        [
          ['1', '2'],
          ['3', '4'],
        ],
      ],
      [
        "'{{{1},{2}},{{3},{NULL}}}'",
        [
          [['1'], ['2']],
          [['3'], [null]],
        ],
      ],
      ["'[5:6]={7,8}'", ['7', '8']],
      ["'{}'", []],
      ['NULL', null],
    ],
    finds: [
      ['1.500', [1]],
      ['12345678901234567890.1', [1]],
    ],
  },
  {
    type: 'bigint[]',
    schema: list(item('int64')),
    rows: [["'{9007199254740993}'", ['9007199254740993']]],
    finds: [
      ['9007199254740993', [1]],
      ['9007199254740992', []],
    ],
  },
  { type: 'bigint[]', schema: list({ type: 'integer' }), rows: [["'{9007199254740993,5}'", [null, 5]]] },
  {
    type: 'uuid[]',
    schema: list(item('uuid')),
    rows: [
      [`'{${uuid.toUpperCase()}}'`, [uuid]],
      [`'{{${uuid}}}'`, [[uuid]]],
    ],
    finds: [[uuid.toUpperCase(), [1, 2]]],
  },
  {
    type: 'timestamptz[]',
    schema: list(item('date-time')),
    rows: [
      ["'{2026-11-21T00:00:00+02:00}'", ['2026-11-20T22:00:00.000Z']],
      ["'{{2026-11-21T00:00:00+02:00},{infinity}}'", [['2026-11-20T22:00:00.000Z'], ['infinity']]],
    ],
    finds: [['2026-11-20T17:00:00-05:00', [1, 2]]],
  },
  {
    type: 'interval[]',
    schema: list(item('duration')),
    rows: [["'{90 minutes,1 mon}'", ['PT1H30M', 'P1M']]],
    finds: [['PT90M', [1]]],
  },
  {
    type: 'estado[]',
    schema: list({ type: 'string' }),
    rows: [["'{alta,baja}'", ['alta', 'baja']]],
    finds: [
      ['alta', [1]],
      ['otro', []],
    ],
  },
  { type: 'importe[]', schema: list(item('decimal')), rows: [["'{1.50,2}'", ['1.5', '2']]], finds: [['1.50', [1]]] },
  {
    type: 'situacion[]',
    schema: list({ type: 'string' }),
    rows: [["'{alta}'", ['alta']]],
    finds: [
      ['alta', [1]],
      ['baja', []],
    ],
  },
  { type: 'etiquetas', schema: list({ type: 'string' }), rows: [["'{a,b}'", ['a', 'b']]], finds: [['b', [1]]] },
  {
    type: 'date',
    schema: text('date'),
    rows: [
      ["'infinity'", 'infinity'],
      ["'-infinity'", '-infinity'],
      ["'0044-03-15 BC'", '0044-03-15 BC'],
      ["'12345-01-02'", '12345-01-02'],
      ["'2026-01-31'", '2026-01-31'],
    ],
  },
  {
    type: 'timestamp',
    schema: text('local-date-time'),
    rows: [
      ["'infinity'", 'infinity'],
      ["'0044-03-15 10:00 BC'", '0044-03-15T10:00:00.0000000 BC'],
      ["'12345-01-02 10:00'", '12345-01-02T10:00:00.0000000'],
    ],
  },
  {
    type: 'timestamptz',
    schema: text('date-time'),
    rows: [
      ["'infinity'", 'infinity'],
      ["'0044-03-15 10:00 UTC BC'", '0044-03-15T10:00:00.000Z BC'],
      ["'0001-01-01 00:00:00.000001+00'", '0001-01-01T00:00:00.000001Z'],
      ["'12345-01-02 10:00Z'", '12345-01-02T10:00:00.000Z'],
    ],
  },
  { type: 'daterange', schema: text(), rows: [["'[0044-03-15 BC,infinity)'", '[0044-03-15 BC,infinity)']] },
  {
    type: 'bigint',
    schema: { type: ['integer', 'null'] },
    rows: [
      ['9007199254740993', null],
      ['9007199254740991', 9_007_199_254_740_991],
      ['-9007199254740993', null],
    ],
  },
]

const settings = "SET DateStyle = 'German, DMY'; SET TimeZone = 'Asia/Kolkata'; SET IntervalStyle = sql_standard"
const types = `CREATE TYPE estado AS ENUM ('alta', 'baja'); CREATE DOMAIN importe AS numeric(10,2) CHECK (value >= 0);
  CREATE DOMAIN situacion AS estado; CREATE DOMAIN etiquetas AS text[]`

describe.each(stores)('values that other programs wrote, in $name', ({ name, open }) => {
  let store: Store
  let tables = 0
  beforeAll(async () => {
    store = await open()
    await store.sql(types)
    if (name === 'PGlite') await store.sql(settings)
  })
  afterAll(() => store.close())

  it.each(cases.map((one) => [`${one.type} as ${JSON.stringify(one.schema)}`, one] as const))(
    'REP-4, QUERY-1: %s: GET shows the expected values, a PATCH of another member keeps them, and filters find them',
    async (_, { type, schema, rows, finds = [] }) => {
      const table = `odd_${++tables}`
      await store.sql(`CREATE TABLE ${table} (id int PRIMARY KEY, valor ${type}, otro int)`)
      for (const [i, [sql]] of rows.entries()) await store.sql(`INSERT INTO ${table} VALUES (${i + 1}, ${sql})`)
      const isList = (schema as { type: readonly string[] }).type.includes('array')
      const cosas = defineResource<{ id: number; valor: unknown; otro: number | null }>()({
        collection: 'cosas',
        key: 'id',
        schema: {
          type: 'object',
          required: ['id'],
          properties: { id: { type: 'integer' }, valor: schema, otro: { type: ['integer', 'null'] } },
        } as never,
        filters: { tiene: isList ? { field: 'valor', op: 'contains' } : { field: 'valor', op: 'eq' } } as never,
      })
      const service = api({
        versions: { v1: [mount(cosas, postgresAdapter(store.client, { resource: cosas, table }))] },
      })
      await service.ready()
      const { send, close } = await listen(express().use(service))
      try {
        for (const [i, [sql, shown]] of rows.entries()) {
          expect((await send('GET', `/v1/cosas/${i + 1}`)).json, sql).toEqual({ id: i + 1, valor: shown, otro: null })
          const { status, json } = await send(
            'PATCH',
            `/v1/cosas/${i + 1}`,
            { 'content-type': 'application/merge-patch+json' },
            { otro: 1 },
          )
          expect([status, json], sql).toEqual([200, { id: i + 1, valor: shown, otro: 1 }])
          const same = sql === 'NULL' ? 'valor IS NULL' : `valor = ${sql}::${type}`
          expect(await store.sql(`SELECT id FROM ${table} WHERE id = ${i + 1} AND ${same}`), sql).toHaveLength(1)
        }
        for (const [value, ids] of finds) {
          const { status, json } = await send('GET', `/v1/cosas?tiene=${encodeURIComponent(value)}`)
          expect([status, (json as { id: number }[]).map(({ id }) => id)], value).toEqual([200, ids])
        }
      } finally {
        await close()
      }
    },
  )
})
