import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Created, Stored } from '../../../src/adapters/contract.js'
import { type PostgresAdapter, postgresAdapter } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { call, listRequest } from '../memory/requests.js'
import { type Store, stores, tableOf } from './stores.js'

const piezas = defineResource({
  collection: 'piezas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'string' },
      texto: { type: ['string', 'null'] },
      cuenta: { type: 'integer' },
      peso: { type: 'number' },
      activo: { type: 'boolean' },
      fecha: { type: 'string', format: 'local-date-time' },
      lista: { type: 'array', items: { type: 'string' } },
      dentro: {
        type: 'object',
        additionalProperties: true,
        properties: { nombre: { type: 'string' }, edad: { type: 'number' }, alta: { type: 'boolean' } },
      },
    },
  },
  filters: {
    texto: true,
    cuenta: true,
    cuentaMin: { field: 'cuenta', op: 'gte' },
    peso: true,
    activo: true,
    fecha: true,
    fechaDesde: { field: 'fecha', op: 'gte' },
    fechaAntes: { field: 'fecha', op: 'lt' },
    lista: { op: 'contains' },
    'dentro.nombre': true,
    'dentro.edad': true,
    'dentro.alta': true,
  },
  sort: ['texto', 'cuenta', 'peso', 'activo', 'fecha', 'dentro.nombre', 'dentro.edad', 'dentro.alta'],
})
type Pieza = typeof piezas extends { readonly types?: { readonly record: infer T } } ? T : never

const made = (result: Created<Pieza, string>): Stored<Pieza> => {
  if (!('created' in result)) throw new Error(JSON.stringify(result))
  return result.created
}
const where = (field: string, value: unknown, op = 'eq') =>
  listRequest({ sort: 'id', where: [{ field, op, value } as never] })

describe.each(stores)('stored values, on $name', ({ open }) => {
  let store: Store
  let adapter: PostgresAdapter<Pieza, string>
  beforeAll(async () => {
    store = await open()
    adapter = await tableOf(store, piezas, { table: 'piezas', version: { column: 'version' } })
  })
  afterAll(() => store.close())

  let count = 0
  const kept = async (value: Omit<Pieza, 'id'>): Promise<Pieza | undefined> => {
    const id = `k${++count}`
    made(await adapter.create({ id, ...value }, call))
    return (await adapter.read([id], call))[0]?.value
  }
  const ids = async (field: string, value: unknown, op?: string) =>
    (await adapter.list(where(field, value, op), call)).items.map((item) => item.value.id)

  it('REP-4: all seven fractional digits of a time are stored and compared', async () => {
    const dates = [
      '0001-01-01T00:00:00.0000001',
      '2024-02-29T23:59:59.1234567',
      '2024-02-29T23:59:59.9999999',
      '9999-12-31T23:59:59.9999999',
    ]
    for (const fecha of dates) expect(await kept({ fecha })).toMatchObject({ fecha })
    expect(await ids('fecha', dates[1])).toHaveLength(1)
    expect(await ids('fecha', dates[2], 'gte')).toHaveLength(2)
    expect(await ids('fecha', dates[2], 'lt')).toHaveLength(2)
  })

  it('doubles, and integers from -(2^53-1) to 2^53-1, are stored unchanged, and filters find them', async () => {
    for (const peso of [0.1, 5e-324, 1.7976931348623157e308, 123456789.12345679, -1e-7, 1 / 3]) {
      expect(await kept({ peso })).toMatchObject({ peso })
      expect(await ids('peso', peso)).toContain(`k${count}`)
    }
    for (const cuenta of [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0]) {
      expect(await kept({ cuenta })).toMatchObject({ cuenta })
      expect(await ids('cuenta', cuenta)).toContain(`k${count}`)
    }
  })

  it('any Unicode text is stored unchanged, in columns and in JSON', async () => {
    for (const texto of [
      '',
      ' ',
      '\u00e9\u4e2d\ud83d\ude80\u200d',
      `'"\\;--$1{},()`,
      '%_*',
      '\n\r\t\u0001\u007f',
      'NULL',
      'x'.repeat(100_000),
    ]) {
      expect(await kept({ texto, lista: [texto, ''], dentro: { nombre: texto, [texto]: [texto] } })).toMatchObject({
        texto,
        lista: [texto, ''],
        dentro: { nombre: texto, [texto]: [texto] },
      })
      expect(await ids('texto', texto)).toContain(`k${count}`)
      expect(await ids('lista', texto, 'contains')).toContain(`k${count}`)
      expect(await ids('dentro.nombre', texto)).toContain(`k${count}`)
    }
  })

  it('random members are stored unchanged (property)', async () => {
    const text = fc.string({ unit: 'grapheme' }).filter((one) => !/\0|\p{Surrogate}/u.test(one))
    const record = fc.record(
      {
        texto: fc.option(text),
        cuenta: fc.maxSafeInteger(),
        peso: fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
        activo: fc.boolean(),
        lista: fc.array(text),
        dentro: fc.dictionary(text, fc.jsonValue({ stringUnit: 'grapheme' })),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(record, async (value) => {
        const plain = JSON.parse(JSON.stringify(value))
        if (/\\u0000/.test(JSON.stringify(plain))) return
        // A column does not distinguish an absent member from null, so an absent nullable member is
        // read as null.
        expect(await kept(plain)).toEqual({ id: `k${count}`, texto: null, ...plain })
      }),
      { numRuns: 60 },
    )
  })

  it('text that PostgreSQL cannot store is refused in records, filters and searches, and matches no key', async () => {
    for (const bad of ['a\0b', '\ud800', 'x\udc00y']) {
      for (const [value, member] of [
        [{ texto: bad }, 'texto'],
        [{ lista: ['a', bad] }, 'lista'],
        [{ dentro: { nombre: bad } }, 'dentro.nombre'],
        [{ dentro: { otro: { [bad]: 1 } } }, 'dentro.otro'],
      ] as const) {
        expect(await adapter.create({ id: 'bad', ...value } as never, call)).toMatchObject({
          refused: 'rule',
          members: [expect.stringContaining(member)],
        })
      }
      expect(await adapter.create({ id: bad }, call)).toMatchObject({ refused: 'rule', members: ['id'] })
      expect(await adapter.read([bad, 'none'], call)).toEqual([undefined, undefined])
      expect(await adapter.replace(bad, { id: bad }, undefined, call)).toBe('absent')
      expect(await adapter.remove(bad, undefined, call)).toBe('absent')
      for (const field of ['texto', 'dentro.nombre']) {
        expect(await adapter.list(where(field, bad), call)).toMatchObject({ items: [], refused: { members: [field] } })
      }
      expect(await adapter.list({ ...listRequest({ sort: 'id' }), search: bad }, call)).toMatchObject({
        items: [],
        refused: { members: [] },
      })
    }
    expect(await adapter.read(['bad'], call)).toEqual([undefined])
  })

  it('member values, filter values and keys are never executed as SQL', async () => {
    const evil = `'); DROP TABLE piezas; --`
    expect(await kept({ texto: evil })).toMatchObject({ texto: evil })
    expect(await ids('texto', evil)).toHaveLength(1)
    expect(await ids('texto', `' OR '1'='1`)).toEqual([])
    expect((await adapter.read([`k1' OR true --`], call))[0]).toBeUndefined()
    expect((await adapter.list(listRequest({ sort: 'id' }), call)).total).toBeGreaterThan(0)
  })

  it('values in JSON are filtered and sorted by their type: 9 comes before 10, and "10" comes before "9"', async () => {
    made(await adapter.create({ id: 'j1', dentro: { nombre: '10', edad: 10, alta: true } }, call))
    made(await adapter.create({ id: 'j2', dentro: { nombre: '9', edad: 9, alta: false } }, call))
    made(await adapter.create({ id: 'j3', dentro: {} }, call))
    expect(await ids('dentro.edad', 10)).toContain('j1')
    expect(await ids('dentro.alta', false)).toContain('j2')
    expect(await ids('dentro.edad', 9, 'gt')).toContain('j1')
    expect(await ids('dentro.edad', 9, 'gt')).not.toContain('j2')
    const sorted = async (sort: string) =>
      (await adapter.list(listRequest({ sort, size: 1000 }), call)).items
        .map((item) => item.value.id)
        .filter((id) => /^j\d$/.test(id))
    expect(await sorted('dentro.edad,id')).toEqual(['j2', 'j1', 'j3'])
    expect(await sorted('-dentro.edad,-id')).toEqual(['j3', 'j1', 'j2'])
    expect(await sorted('dentro.nombre,id')).toEqual(['j1', 'j2', 'j3'])
  })
})

/** Types of columns, each with values that it stores and values that it refuses. */
const columns: readonly (readonly [
  type: string,
  schema: object,
  keeps: readonly unknown[],
  refuses: readonly unknown[],
])[] = [
  ['smallint', { type: 'integer' }, [0, 32767, -32768], [32768, 1e10, 1.5]],
  ['integer', { type: 'number' }, [2147483647, -2147483648], [2147483648, 0.5]],
  ['bigint', { type: 'integer' }, [9007199254740991, -9007199254740991], []],
  ['numeric(6,2)', { type: 'number' }, [1234.56, 0.01, -9999.99, 10, 1e3], [0.001, 10000, 1e-7, 1e21]],
  ['numeric', { type: 'number' }, [0.1, 1e21, 1e-7, 5e-324], []],
  ['real', { type: 'number' }, [0.1, 1.5, 16777216, 1e-40], [0.1234567891, 16777217, 1e300]],
  ['double precision', { type: 'number' }, [0.1234567891, 16777217, 1e300], []],
  ['boolean', { type: 'boolean' }, [true, false], []],
  ['varchar(3)', { type: 'string' }, ['abc', '', '\ud83d\ude80\ud83d\ude80\ud83d\ude80', 'a '], ['abcd']],
  ['char(3)', { type: 'string' }, ['abc', 'a'], ['abcd', 'a ', ' ']],
  [
    'uuid',
    { type: 'string' },
    ['6f9619ff-8b86-4d01-b42d-00cf4fc964ff'],
    ['x', '{6f9619ff-8b86-4d01-b42d-00cf4fc964ff}'],
  ],
  [
    'date',
    { type: 'string' },
    ['2024-02-29', '0001-01-01'],
    ['2023-02-29', '2024-2-29', 'today', 'infinity', '0000-01-01'],
  ],
  ['time', { type: 'string' }, ['00:00:00', '23:59:59.123456'], ['24:00:00', '23:59:59.1234567', '1:00', '10:00:00Z']],
  [
    'timestamp',
    { type: 'string', format: 'local-date-time' },
    ['2024-02-29T23:59:59.1234560', '0001-01-01T00:00:00.0000000', '9999-12-31T23:59:59.9999990'],
    ['2024-02-29T23:59:59.1234567', '0000-01-01T00:00:00.0000000'],
  ],
  [
    'timestamp(3)',
    { type: 'string', format: 'local-date-time' },
    ['2024-02-29T23:59:59.1230000'],
    ['2024-02-29T23:59:59.1234000'],
  ],
  [
    'timestamptz',
    { type: 'string', format: 'date-time' },
    ['2024-02-29T23:59:59.000Z', '2024-02-29T23:59:59.500Z', '2024-02-29T23:59:59.123456Z'],
    ['2024-02-29T23:59:59', '2024-02-29T23:59:59.1234567Z', '2024-02-30T00:00:00Z'],
  ],
  ['estado', { type: 'string' }, ['alta', 'ba ja'], ['otro', '']],
  ['text[]', { type: 'array', items: { type: 'string' } }, [[], ['a', 'b,"c\\}', '', 'NULL', null]], [['\0']]],
  ['integer[]', { type: 'array', items: { type: 'integer' } }, [[1, 2, -3]], [[1.5], ['a'], [1e12]]],
  ['jsonb', {}, ['x', 1, true, [1, null], { a: { b: 1.5 } }], ['\0']],
  ['json', { type: 'object' }, [{ a: 1 }], []],
  ['positivo', { type: 'integer' }, [1], []],
]

describe.each(stores)('columns of many types, on $name', ({ open }) => {
  let store: Store
  beforeAll(async () => {
    store = await open()
    await store.sql(`CREATE TYPE estado AS ENUM ('alta', 'ba ja'); CREATE DOMAIN positivo AS integer CHECK (value > 0)`)
  })
  afterAll(() => store.close())

  it.each(columns)(
    'a column of type %s stores a value unchanged, or refuses it',
    async (type, schema, keeps, refuses) => {
      const table = `t_${type.replace(/\W+/g, '_')}`
      await store.sql(`CREATE TABLE ${table} (id int PRIMARY KEY, valor ${type})`)
      const resource = defineResource<{ id: number; valor?: unknown }>()({
        collection: 'cosas',
        key: 'id',
        schema: { type: 'object', properties: { id: { type: 'integer' }, valor: schema } },
      })
      const adapter = postgresAdapter(store.client, { resource, table })
      await adapter.ready()
      let id = 0
      for (const valor of keeps) {
        expect(await adapter.create({ id: ++id, valor }, call), JSON.stringify(valor)).toMatchObject({
          created: { value: { valor } },
        })
        expect((await adapter.read([id], call))[0]?.value).toEqual({ id, valor })
        if (typeof valor !== 'object' && type !== 'jsonb') {
          const found = await adapter.list(
            listRequest({ sort: 'id', where: [{ field: 'valor', op: 'eq', value: valor } as never] }),
            call,
          )
          expect(found.items.map((item) => item.value.id)).toEqual([id])
        }
      }
      for (const valor of refuses) {
        expect(await adapter.create({ id: 99, valor }, call), JSON.stringify(valor)).toMatchObject({
          refused: 'rule',
          members: ['valor'],
        })
        if (typeof valor === 'object') continue
        // If no row can have the value, an `eq` filter finds nothing. With the other operators, the
        // list may have any items, but must not fail.
        for (const op of ['eq', 'gt', 'gte', 'lt', 'lte']) {
          const found = await adapter.list(
            listRequest({ sort: 'id', where: [{ field: 'valor', op, value: valor } as never] }),
            call,
          )
          if (op === 'eq') expect(found.items).toEqual([])
        }
      }
      expect(await adapter.read([99], call)).toEqual([undefined])
    },
  )

  it('REP-4: a range filter compares all digits of its value, even if the column stores fewer digits', async () => {
    await store.sql(`CREATE TABLE momentos (id int PRIMARY KEY, fecha timestamp)`)
    const resource = defineResource({
      collection: 'momentos',
      key: 'id',
      schema: {
        type: 'object',
        properties: { id: { type: 'integer' }, fecha: { type: 'string', format: 'local-date-time' } },
      },
    })
    const adapter = postgresAdapter(store.client, { resource, table: 'momentos' })
    for (const [id, digits] of [1234560, 1234570, 1234580].entries())
      await adapter.create({ id, fecha: `2024-01-01T00:00:00.${digits}` }, call)
    const ids = async (op: string, digits: string) =>
      (
        await adapter.list(
          listRequest({ sort: 'id', where: [{ field: 'fecha', op, value: `2024-01-01T00:00:00.${digits}` } as never] }),
          call,
        )
      ).items.map((item) => item.value.id)
    expect(await ids('gte', '1234565')).toEqual([1, 2])
    expect(await ids('gt', '1234565')).toEqual([1, 2])
    expect(await ids('lte', '1234575')).toEqual([0, 1])
    expect(await ids('lt', '1234570')).toEqual([0])
    expect(await ids('eq', '1234565')).toEqual([])
    expect(await ids('eq', '1234570')).toEqual([1])
  })
})
