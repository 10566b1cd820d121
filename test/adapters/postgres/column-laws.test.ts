/**
 * Each type of column has one canonical form per value. GET returns this form, and PUT and filters
 * also accept other spellings of the value. Sort orders agree with comparisons (REP-4, QUERY-1,
 * QUERY-2). The tests run over HTTP, in PostgreSQL, PGlite and memory. In the databases, session
 * settings change the output format of values.
 */
import express from 'express'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../../src/adapters/memory/index.js'
import { postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { api, defineResource, mount } from '../../../src/index.js'
import { listen } from '../../clauses/fixture.js'
import { freshSchema } from '../../servers/databases.js'
import { lentPglite } from '../../servers/pglite.js'
import type { Store } from './stores.js'

interface Column {
  readonly type: string
  readonly schema: { readonly type: string; readonly format?: string }
  /** Values as GET returns them, in ascending order. */
  readonly values: readonly unknown[]
  /** Other spellings of some values. `place` is the index of the value in `values`. */
  readonly spellings?: readonly (readonly [place: number, text: string])[]
  /**
   * Values that a write must refuse: they are not values of the type, or the column cannot store
   * them.
   */
  readonly refused?: readonly unknown[]
  /** Strings that are not values of the type. A filter with such a string gets 400. */
  readonly none?: readonly string[]
}

const text = (format?: string): Column['schema'] =>
  format === undefined ? { type: 'string' } : { type: 'string', format }
const instants = [
  '0001-01-01T00:00:00.000Z',
  '2026-11-20T22:00:00.000Z',
  '2026-11-20T22:00:00.000001Z',
  '2026-11-20T22:00:00.123Z',
  '2026-11-20T22:00:00.123456Z',
  '9999-12-31T23:59:59.999Z',
]
const instantSpellings: Column['spellings'] = [
  [1, '2026-11-21T00:00:00+02:00'],
  [1, '2026-11-20t22:00:00z'],
  [1, '2026-11-20T22:00:00+00:00'],
  [1, '2026-11-20T22:00:00-00:00'],
  [1, '2026-11-20T17:00:00.000000000-05:00'],
  [2, '2026-11-21T03:30:00.0000010+05:30'],
  [4, '2026-11-20T22:00:00.1234560Z'],
  [5, '9999-12-31T23:29:59.999-00:30'],
]
const noInstants = [
  '2026-02-30T00:00:00Z',
  '2026-11-20',
  'infinity',
  'now',
  '2026-11-20T23:59:60Z',
  '0001-01-01T00:00:00+01:00',
  '2026-11-20T22:00:00',
  '0000-01-01T00:00:00Z',
]
const uuids = [
  '00000000-0000-0000-0000-000000000000',
  '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
]
const uuidSpellings: Column['spellings'] = [
  [1, '6F9619FF-8B86-4D01-B42D-00CF4FC964FF'],
  [1, 'urn:uuid:6f9619ff-8b86-4D01-b42d-00cf4fc964ff'],
]
const decimals = ['-99999999999999999999.99', '-1.5', '0', '0.01', '9', '10', '12345678901234567890.12']
const decimalSpellings: Column['spellings'] = [
  [1, '-1.50'],
  [1, '-15e-1'],
  [2, '-0'],
  [2, '0.000'],
  [5, '+10'],
  [5, '010.0'],
  [5, '1E+1'],
  [6, '12345678901234567890.120'],
]
const int64s = ['-9223372036854775808', '-1', '0', '9', '10', '9007199254740993', '9223372036854775807']
const durations = ['-P1D', 'PT0S', 'PT0.000001S', 'PT1H30M', 'P1D', 'P1M', 'P1Y2M3DT4H5M6.5S'].map((one) =>
  one.replace('-P1D', 'P-1D'),
)

const columns: readonly Column[] = [
  {
    type: 'timestamptz',
    schema: text('date-time'),
    values: instants,
    spellings: instantSpellings,
    refused: [...noInstants, '2026-11-20T22:00:00.1234567Z'],
    none: noInstants,
  },
  {
    type: 'timestamptz',
    schema: text(),
    values: instants,
    spellings: instantSpellings,
    refused: ['x', '2026-11-20T22:00:00.1234567Z'],
    none: noInstants,
  },
  {
    type: 'timestamptz(3)',
    schema: text('date-time'),
    values: ['2026-11-20T22:00:00.000Z', '2026-11-20T22:00:00.123Z'],
    refused: ['2026-11-20T22:00:00.1234Z'],
  },
  {
    type: 'timestamp',
    schema: text('local-date-time'),
    values: ['0001-01-01T00:00:00.0000000', '2026-11-20T22:00:00.0000000', '2026-11-20T22:00:00.1234560'],
    spellings: [
      [1, '2026-11-20T22:00:00'],
      [2, '2026-11-20T22:00:00.123456'],
    ],
    refused: ['2026-11-20T22:00:00.1234567'],
    none: ['2026-11-20T22:00:00Z', 'x'],
  },
  {
    type: 'timestamp',
    schema: text(),
    values: ['2026-11-20T22:00:00.0000000'],
    spellings: [[0, '2026-11-20T22:00:00']],
    refused: ['2026-11-20T22:00:00Z'],
    none: ['2026-11-20T22:00:00Z'],
  },
  {
    type: 'date',
    schema: text('date'),
    values: ['0001-01-01', '2024-02-29', '9999-12-31'],
    refused: ['2023-02-29', 'today'],
    none: ['2023-02-29', 'infinity'],
  },
  {
    type: 'time',
    schema: text('local-time'),
    values: ['00:00:00', '09:30:00', '09:30:00.5', '23:59:59.999999'],
    spellings: [
      [1, '09:30:00.000'],
      [2, '09:30:00.500'],
    ],
    refused: ['09:30:00.1234567', '09:30:00Z'],
    none: ['24:00:00', '09:30'],
  },
  {
    type: 'timetz',
    schema: text('time'),
    values: ['12:00:00+02:00', '10:30:00Z', '10:30:00.5Z', '09:30:00-05:30'],
    spellings: [
      [1, '10:30:00z'],
      [1, '10:30:00.0+00:00'],
      [0, '12:00:00+0200'],
    ],
    refused: ['10:30:00', '10:30:00.1234567Z'],
    none: ['10:30:00', 'x'],
  },
  {
    type: 'interval',
    schema: text('duration'),
    values: durations,
    spellings: [
      [3, 'PT90M'],
      [3, 'PT5400S'],
      [4, 'P0Y1D'],
      [6, 'P14M3DT4H5M6.500S'],
    ],
    refused: ['PT0.0000001S', 'P', '1 day', 'PT'],
    none: ['P', '1 day'],
  },
  {
    type: 'uuid',
    schema: text('uuid'),
    values: uuids,
    spellings: uuidSpellings,
    refused: ['x'],
    none: ['x', '{6f9619ff-8b86-4d01-b42d-00cf4fc964ff}'],
  },
  { type: 'uuid', schema: text(), values: uuids, spellings: uuidSpellings, refused: ['x'], none: ['x'] },
  {
    type: 'numeric(22,2)',
    schema: text('decimal'),
    values: decimals,
    spellings: decimalSpellings,
    refused: ['0.001', '100000000000000000000', 'NaN', '1e401', ''],
    none: ['x', 'NaN', '1.2.3'],
  },
  {
    type: 'numeric',
    schema: text('decimal'),
    values: ['-1.5', '0', '0.123456789012345678901234567890123456789', '10', `1${'0'.repeat(300)}`],
    spellings: [[4, '1e300']],
    none: ['Infinity'],
  },
  {
    type: 'numeric(3,5)',
    schema: text('decimal'),
    values: ['-0.00999', '0', '0.00001'],
    refused: ['0.01', '0.000001'],
  },
  {
    type: 'bigint',
    schema: text('int64'),
    values: int64s,
    spellings: [
      [3, '+9'],
      [3, '009'],
      [2, '-0'],
    ],
    refused: ['9223372036854775808', '1.5', ''],
    none: ['9223372036854775808', '1.0', '1e3'],
  },
  {
    type: 'integer',
    schema: text('int64'),
    values: ['-2147483648', '9', '10', '2147483647'],
    refused: ['2147483648'],
    none: ['x'],
  },
  { type: 'smallint', schema: text('int64'), values: ['-32768', '9', '10', '32767'], refused: ['32768'] },
  {
    type: 'bigint',
    schema: { type: 'integer' },
    values: [-9007199254740991, 0, 9, 10, 9007199254740991],
    none: ['9007199254740993', '1.5'],
  },
  { type: 'numeric(10,2)', schema: { type: 'number' }, values: [-1.5, 0, 9, 10.25], refused: [0.001] },
  { type: 'real', schema: { type: 'number' }, values: [-1.5, 0, 0.1, 1e10], refused: [0.1234567891] },
  { type: 'double precision', schema: { type: 'number' }, values: [-1.5, 0, 0.1, 1e300] },
  { type: 'boolean', schema: { type: 'boolean' }, values: [false, true] },
  { type: 'text COLLATE "C"', schema: text(), values: ['', 'A', 'a', '\u{1F4E6}'] },
  {
    type: 'text COLLATE "C"',
    schema: text('uuid'),
    values: uuids,
    spellings: uuidSpellings,
    refused: ['x'],
    none: ['x'],
  },
  { type: 'char(5)', schema: text(), values: ['a', 'ab', 'abcde'], refused: ['abcdef'] },
  { type: 'varchar(5)', schema: text(), values: ['a', 'ab', 'abcde'], refused: ['abcdef'] },
  {
    type: 'inet',
    schema: text(),
    values: ['10.0.0.0/8', '10.0.0.1', '::ffff:192.0.2.1', '2001:db8::1'],
    spellings: [
      [1, '10.0.0.1/32'],
      [3, '2001:DB8:0::1/128'],
    ],
    refused: ['10.0.0.256', 'x'],
    none: ['x', '10.0.0.1/33', '10.0.0'],
  },
  {
    type: 'cidr',
    schema: text(),
    values: ['10.0.0.0/8', '10.0.0.1/32', '2001:db8::/32'],
    spellings: [
      [2, '2001:DB8::/32'],
      [1, '10.0.0.1'],
    ],
    refused: ['10.0.0.1/8', '2001:db8::1/32'],
    none: ['x'],
  },
  {
    type: 'macaddr',
    schema: text(),
    values: ['08:00:2b:01:02:03', 'ff:ff:ff:ff:ff:ff'],
    spellings: [
      [0, '08-00-2B-01-02-03'],
      [0, '0800.2b01.0203'],
    ],
    refused: ['08:00:2b:01:02'],
    none: ['x'],
  },
  {
    type: 'bytea',
    schema: text('byte'),
    values: ['', 'AA==', 'aGk=', `${'/'.repeat(400)}`],
    refused: ['a', 'AB==', 'a b='],
    none: ['a'],
  },
  {
    type: 'int4range',
    schema: text(),
    values: ['empty', '[1,5)', '[2,)'],
    spellings: [
      [1, '[1,4]'],
      [1, '(0,5)'],
    ],
    refused: ['[5,1]', 'x', '[1,99999999999)'],
    none: ['x', '[2,1)'],
  },
  {
    type: 'numrange',
    schema: text(),
    values: ['(,1.5]', '[1.5,12345678901234567890.5)'],
    refused: ['[2,1]'],
    none: ['[a,b]'],
  },
  {
    type: 'daterange',
    schema: text(),
    values: ['[2026-01-01,2026-02-01)', '[2026-02-01,10000-01-01)', '[2026-03-01,)', '[10000-01-01,)'],
    spellings: [
      [0, '[2026-01-01,2026-01-31]'],
      [1, '[2026-02-01,9999-12-31]'],
    ],
    refused: ['[2026-02-30,)', '[10000-01-01,2026-01-01)'],
    none: ['[x,y]'],
  },
  {
    type: 'tstzrange',
    schema: text(),
    values: ['[2026-01-01T00:00:00.000Z,2026-02-01T00:00:00.000Z)'],
    spellings: [[0, '[2026-01-01T02:00:00+02:00,2026-02-01T00:00:00Z)']],
    none: ['[x,y]'],
  },
  { type: 'int4multirange', schema: text(), values: ['{}', '{[1,3),[5,7)}'], refused: ['{[5,1)}', 'x'], none: ['x'] },
  { type: 'estado', schema: text(), values: ['o\'dd "x", {y}', 'alta', 'Baja'], refused: ['otro'] },
  {
    type: 'importe',
    schema: text('decimal'),
    values: ['0', '1.5', '10'],
    spellings: [[1, '1.50']],
    refused: ['-1', '0.001'],
    none: ['x'],
  },
  {
    type: 'momento',
    schema: text('date-time'),
    values: instants.slice(1, 3),
    spellings: [[0, '2026-11-21T00:00:00+02:00']],
    none: ['x'],
  },
]

const types = `CREATE TYPE estado AS ENUM ('o''dd "x", {y}', 'alta', 'Baja'); CREATE DOMAIN importe AS numeric(10,2) CHECK (value >= 0);
  CREATE DOMAIN instante AS timestamptz; CREATE DOMAIN momento AS instante CHECK (value > '2000-01-01')`
/** Settings that change the output format of values. */
const settings = [
  "DateStyle = 'German, DMY'",
  'IntervalStyle = sql_standard',
  'bytea_output = escape',
  "TimeZone = 'Asia/Kolkata'",
  'extra_float_digits = 3',
]
const set = settings.map((one) => `SET ${one}`).join('; ')

async function oddPostgres(): Promise<Store> {
  const place = await freshSchema()
  const client = new pg.Pool({ connectionString: place.url, max: 4 })
  client.on('connect', (one) => void one.query(set))
  return {
    client,
    sql: (sql) => place.sql(sql),
    async close() {
      await client.end()
      await place.drop()
    },
  }
}

async function oddPglite(): Promise<Store> {
  const { client, release } = await lentPglite()
  await client.exec(set)
  return { client, sql: async (sql) => (await client.exec(sql)).at(-1)?.rows ?? [], close: release }
}

const resourceOf = (schema: Column['schema']) =>
  defineResource<{ id: number; valor: unknown }>()({
    collection: 'cosas',
    key: 'id',
    schema: {
      type: 'object',
      required: ['id', 'valor'],
      properties: { id: { type: 'integer' }, valor: schema },
    } as never,
    filters: {
      valor: { many: true },
      desde: { field: 'valor', op: 'gte' },
      hasta: { field: 'valor', op: 'lte' },
      antes: { field: 'valor', op: 'lt' },
    } as never,
    sort: ['valor'] as never,
  })

type Send = Awaited<ReturnType<typeof listen>>['send']
const query = (name: string, value: unknown): string => `${name}=${encodeURIComponent(String(value))}`

async function holdsLaws(send: Send, { values, spellings = [], refused = [], none = [] }: Column): Promise<void> {
  const ids = async (asked: string): Promise<number[]> => {
    const { status, json } = await send('GET', `/v1/cosas?limit=100&${asked}`)
    expect(status, `${asked}: ${JSON.stringify(json)}`).toBe(200)
    return (json as { id: number }[]).map(({ id }) => id)
  }
  // The keys are not in the order of the values, so that the order by key differs from the order by
  // value.
  const places = values.map((_, i) => (i * 2 + 1) % values.length).every((one, i, all) => all.indexOf(one) === i)
    ? values.map((_, i) => (i * 2 + 1) % values.length)
    : values.map((_, i) => values.length - 1 - i)
  const idOf = (place: number): number => places.indexOf(place) + 1
  for (const [i, place] of places.entries()) {
    const answer = await send('POST', '/v1/cosas', {}, { id: i + 1, valor: values[place] })
    expect(answer.status, JSON.stringify([values[place], answer.json])).toBe(201)
  }
  for (const [place, valor] of values.entries()) {
    const path = `/v1/cosas/${idOf(place)}`
    const shown = (await send('GET', path)).json
    expect(shown).toEqual({ id: idOf(place), valor })
    for (let twice = 0; twice < 2; twice++) {
      expect((await send('PUT', path, {}, shown)).json).toEqual(shown)
      expect((await send('GET', path)).json).toEqual(shown)
    }
    expect(await ids(query('valor', valor))).toEqual([idOf(place)])
    expect((await ids(query('desde', valor))).toSorted(), `from ${valor}`).toEqual(
      values
        .slice(place)
        .map((_, i) => idOf(place + i))
        .toSorted(),
    )
    expect((await ids(query('hasta', valor))).length, `to ${valor}`).toBe(place + 1)
    expect((await ids(query('antes', valor))).length, `before ${valor}`).toBe(place)
  }
  for (const [place, spelled] of spellings) {
    expect(await ids(query('valor', spelled)), spelled).toEqual([idOf(place)])
    expect(
      await ids(`${query('valor', spelled)}&${query('valor', values[(place + 1) % values.length])}`),
      spelled,
    ).toHaveLength(values.length > 1 ? 2 : 1)
    expect((await ids(query('desde', spelled))).length, spelled).toBe(values.length - place)
    const path = `/v1/cosas/${idOf(place)}`
    const put = await send('PUT', path, {}, { id: idOf(place), valor: spelled })
    expect(put.json, spelled).toEqual({ id: idOf(place), valor: values[place] })
  }
  for (const valor of refused) {
    const answer = await send('POST', '/v1/cosas', {}, { id: 99, valor })
    expect(
      [answer.status, (answer.json as { errors?: { pointer?: string }[] }).errors?.[0]?.pointer],
      JSON.stringify([valor, answer.json]),
    ).toEqual([422, '/valor'])
    expect((await send('GET', `/v1/cosas?${query('valor', valor)}`)).status, String(valor)).toBeLessThan(500)
  }
  for (const valor of none) {
    for (const name of ['valor', 'desde']) {
      const { status, json } = await send('GET', `/v1/cosas?${query(name, valor)}`)
      expect(
        [status, (json as { errors?: { parameter?: string }[] }).errors?.[0]?.parameter],
        `${name}=${valor}`,
      ).toEqual([400, name])
    }
  }
  const ascending = values.map((_, place) => idOf(place))
  expect(await ids('sort=valor')).toEqual(ascending)
  expect(await ids('sort=-valor')).toEqual(ascending.toReversed())
  const walked: number[] = []
  let next: string | undefined = '/v1/cosas?limit=1&sort=valor'
  while (next !== undefined && walked.length <= values.length) {
    const { json, headers } = await send('GET', next)
    walked.push(...(json as { id: number }[]).map(({ id }) => id))
    const link: string | undefined = /<([^>]*)>; rel="?next/.exec(String(headers.link))?.[1]
    next = link?.replace(/^https?:\/\/[^/]+/, '')
  }
  expect(walked).toEqual(ascending)
}

const nameOf = ({ type, schema }: Column): string => `${type} as ${schema.format ?? schema.type}`

describe.each([
  { name: 'PostgreSQL', open: oddPostgres },
  { name: 'PGlite', open: oddPglite },
])('columns on $name, with unusual settings', ({ open }) => {
  let store: Store
  beforeAll(async () => {
    store = await open()
    await store.sql(types)
  })
  afterAll(() => store.close())

  it.each(columns.map((column) => [nameOf(column), column] as const))(
    'QUERY-1, QUERY-2, REP-4: %s: GET returns the values, PUT accepts them and filters find them',
    async (name, column) => {
      const table = `t_${name.replace(/\W+/g, '_')}`.toLowerCase()
      await store.sql(`CREATE TABLE ${table} (id int PRIMARY KEY, valor ${column.type})`)
      const resource = resourceOf(column.schema)
      const adapter = postgresAdapter(store.client, { resource, table, onWarning: () => {} })
      const service = api({ versions: { v1: [mount(resource, adapter)] } })
      await service.ready()
      const { send, close } = await listen(express().use(service))
      try {
        await holdsLaws(send, column)
      } finally {
        await close()
      }
    },
  )
})

describe('formats in the memory adapter', () => {
  const formats = new Set<string>()
  const each = columns.filter(({ schema: { format }, type }) => {
    const isFirst =
      format !== undefined && !['date', 'byte'].includes(format) && !formats.has(format) && !type.includes('(3')
    if (isFirst) formats.add(format)
    return isFirst
  })

  it.each(each.map((column) => [column.schema.format, column] as const))(
    'QUERY-1, QUERY-2, REP-4: %s: GET returns the values, PUT accepts them and filters find them',
    async (_, column) => {
      const resource = resourceOf(column.schema)
      const service = api({ versions: { v1: [mount(resource, memoryAdapter(resource))] } })
      const { send, close } = await listen(express().use(service))
      try {
        // The memory adapter has no columns, so the limits of column types do not apply.
        await holdsLaws(send, { ...column, refused: column.none ?? [] })
      } finally {
        await close()
      }
    },
  )
})
