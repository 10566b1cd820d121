import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresAdapterOptions, postgresAdapter, tableDdl } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { api, mount } from '../../../src/index.js'
import { ConfigurationError, Unavailable } from '../../../src/problem.js'
import { freshSchema } from '../../servers/databases.js'
import { call, listRequest } from '../memory/requests.js'
import { openPostgres, type Store, stores } from './stores.js'

const piezas = defineResource({
  collection: 'piezas',
  key: 'numero',
  schema: {
    type: 'object',
    required: ['numero'],
    properties: {
      numero: { type: 'integer' },
      numeroDeEnvio: { type: 'string' },
      fecha: { type: 'string', format: 'local-date-time' },
    },
  },
  search: ['numeroDeEnvio'],
  attachedTo: [{ of: 'rutas' }],
})
const attached = { piezas: { table: 'en_ruta', parent: 'ruta', key: 'pieza' } }

describe('ready()', () => {
  let store: Store
  beforeAll(async () => {
    store = await openPostgres()
    await store.sql(`CREATE TABLE en_ruta (ruta text, pieza bigint)`)
  })
  afterAll(() => store.close())

  it.each<[string, string, Partial<PostgresAdapterOptions>, RegExp]>([
    ['no table', '', {}, /there is no table "t".*tableDdl/],
    [
      'no column (the error suggests the closest name)',
      'numero bigint PRIMARY KEY, numero_de_envios text, fecha text',
      {},
      /"numeroDeEnvio" has no column "numero_de_envio"\. Did you mean "numero_de_envios"\?/,
    ],
    [
      'a column whose type does not fit the member',
      'numero bigint PRIMARY KEY, numero_de_envio integer, fecha text',
      {},
      /"numeroDeEnvio" may be a string, but its column "numero_de_envio" has the type integer/,
    ],
    [
      'a column with a time zone for a local date-time',
      'numero bigint PRIMARY KEY, numero_de_envio text, fecha timestamptz',
      {},
      /"fecha" has the format "local-date-time", but its column "fecha" has the type timestamp with time zone.*declare the format "date-time", or make the column timestamp/,
    ],
    [
      'a column type without a JSON form',
      'numero bigint PRIMARY KEY, numero_de_envio point, fecha text',
      {},
      /which has no JSON form/,
    ],
    ['no unique key', 'numero bigint, numero_de_envio text, fecha text', {}, /CREATE UNIQUE INDEX ON "t" \("numero"\)/],
    [
      'no version column',
      'numero bigint PRIMARY KEY, numero_de_envio text, fecha text',
      { version: { column: 'v' } },
      /no column "v" for versions.*gen_random_uuid/,
    ],
    [
      'a version column without a default',
      'numero bigint PRIMARY KEY, numero_de_envio text, fecha text, v int',
      { version: { column: 'v' } },
      /"v" has no default/,
    ],
    [
      'a version that can repeat',
      'numero bigint PRIMARY KEY, numero_de_envio text, fecha text, v timestamptz DEFAULT now()',
      { version: { column: 'v' } },
      /may repeat/,
    ],
    [
      'an expression that is not SQL',
      'numero bigint PRIMARY KEY, numero_de_envio text, fecha text',
      { columns: { fecha: { expression: 'nonsense(' } } },
      /^postgresAdapter\(\) of "piezas": the database refuses the expression of "fecha" in "columns": syntax error/,
    ],
    [
      'an expression with a misspelt column (the error names only the expression)',
      'numero bigint PRIMARY KEY, numero_de_envio text',
      { columns: { fecha: { expression: 'lower(numero_de_envoi)' } } },
      /^postgresAdapter\(\) of "piezas": the database refuses the expression of "fecha" in "columns": column "numero_de_envoi" does not exist[^;]*\. Correct the expression\. \[/,
    ],
    [
      'an expression for versions that is not SQL',
      'numero bigint PRIMARY KEY, numero_de_envio text, fecha text',
      { version: { expression: 'nonsense(numero)' } },
      /refuses the expression of "version": function nonsense\(bigint\) does not exist/,
    ],
    [
      'an expression for a misspelt member',
      'numero bigint PRIMARY KEY, numero_de_envio text, fecha text',
      { columns: { feca: { expression: 'lower(fecha)' } } },
      /"columns" names "feca", which is not a member of the schema\. Did you mean "fecha"\? Correct the name/,
    ],
    [
      'a query over a missing table',
      'numero bigint PRIMARY KEY, numero_de_envio text, fecha text',
      { readFrom: 'SELECT * FROM missing', version: { expression: 'numero::text' } },
      /^postgresAdapter\(\) of "piezas": the database refuses a temporary view of the query in "readFrom": relation "missing" does not exist\. Correct the query/,
    ],
    [
      'a query that is not SQL',
      'numero bigint PRIMARY KEY, numero_de_envio text, fecha text',
      { readFrom: 'SELECT FROM FROM t', version: { expression: 'numero::text' } },
      /the query in "readFrom": syntax error/,
    ],
    [
      'a naming function that returns undefined or an empty string',
      'numero bigint PRIMARY KEY, numero_de_envio text, fecha text',
      { naming: (member: string) => ({ numero: 'numero', fecha: '' })[member] as string },
      /^postgresAdapter\(\) of "piezas": the function "naming" returns a value of type undefined for "numeroDeEnvio", an empty string for "fecha"\. Return the name/,
    ],
    [
      'two members in one column',
      'numero bigint PRIMARY KEY, numero_de_envio text, fecha text',
      { columns: { fecha: 'numero_de_envio' } },
      /"numeroDeEnvio" and "fecha" would both be stored in the column "numero_de_envio"/,
    ],
    [
      'no soft-delete column',
      'numero bigint PRIMARY KEY, numero_de_envio text, fecha text',
      { softDelete: 'gone' },
      /no column "gone"/,
    ],
    [
      'an option "rest" that names no jsonb column',
      'numero bigint PRIMARY KEY, numero_de_envio text, fecha text',
      { rest: 'doc' },
      /"rest" must name a jsonb column/,
    ],
    [
      'an association without a table',
      'numero bigint PRIMARY KEY, numero_de_envio text, fecha text',
      { attached: {} },
      /attached: \{ "piezas": \{ table, parent, key \} \}/,
    ],
    [
      'an association whose table lacks a column',
      'numero bigint PRIMARY KEY, numero_de_envio text, fecha text',
      { attached: { piezas: { table: 'en_ruta', parent: 'x', key: 'pieza' } } },
      /has no column "x"/,
    ],
  ])('throws an error that describes the fault: %s', async (_, columns, options, message) => {
    await store.sql(`DROP TABLE IF EXISTS t; ${columns === '' ? '' : `CREATE TABLE t (${columns})`}`)
    const adapter = postgresAdapter(store.client, { resource: piezas, table: 't', attached, ...options } as never) as {
      ready(): Promise<void>
    }
    const error = await adapter.ready().catch((reason) => reason)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error.message).toMatch(message)
  })

  it('postgresAdapter() throws for a misspelt option, and for a wrong client', () => {
    expect(() => postgresAdapter(store.client, { table: 't', colums: {} } as never)).toThrow(/Did you mean "columns"\?/)
    expect(() => postgresAdapter({} as never, { table: 't' })).toThrow(
      /needs a client as its first argument: a Pool or Client/,
    )
  })

  it('checks again after a fix, and tolerates a column that is added later', async () => {
    await store.sql('DROP TABLE IF EXISTS t')
    const adapter = postgresAdapter(store.client, { resource: piezas, table: 't', attached })
    await expect(adapter.ready()).rejects.toThrow(/no table/)
    await store.sql('CREATE TABLE t (numero bigint PRIMARY KEY, numero_de_envio text, fecha text)')
    await adapter.ready()
    await adapter.create({ numero: 1, numeroDeEnvio: 'a' }, call)
    await store.sql('ALTER TABLE t ADD COLUMN otra int; ALTER TABLE t ALTER COLUMN numero_de_envio TYPE varchar(40)')
    for (let i = 0; i < 4; i++)
      expect(await adapter.list(listRequest({ sort: 'numero' }), call)).toMatchObject({ total: 1 })
    expect(await adapter.replace(1, { numero: 1, numeroDeEnvio: 'b' }, undefined, call)).toMatchObject({
      value: { numeroDeEnvio: 'b' },
    })
  })

  it('throws an error with the host and the reason if the server cannot be reached; clients get neither', async () => {
    for (const [address, reason] of [
      ['postgres://ana:secreta@127.0.0.1:1/db', /ECONNREFUSED 127\.0\.0\.1:1\b/],
      ['postgres://ana:secreta@localhost:1/db', /ECONNREFUSED .*:1\b/],
      ['postgres://ana:secreta@no.such.host.invalid:1/db', /(?:ENOTFOUND|EAI_AGAIN) no\.such\.host\.invalid/],
    ] as const) {
      const pool = new pg.Pool({ connectionString: address })
      const adapter = postgresAdapter(pool, { resource: piezas, table: 'piezas', attached, onWarning: () => {} })
      const error = (await adapter.ready().catch((reason: unknown) => reason)) as Unavailable
      await pool.end()
      expect(error).toBeInstanceOf(Unavailable)
      expect(error.message).toMatch(reason)
      expect(error.message).not.toMatch(/secreta|ana/)
      expect(error.detail).not.toMatch(/ECONN|ENOTFOUND|127/)
    }
  })

  it('warns if each list request would count many rows', async () => {
    await store.sql(
      'CREATE TABLE muchas (numero bigint PRIMARY KEY, numero_de_envio text, fecha text); INSERT INTO muchas ' +
        'SELECT i FROM generate_series(1, 100500) i; ANALYZE muchas',
    )
    const warnings: string[] = []
    const onWarning = (message: string) => void (message.includes('bigint') || warnings.push(message))
    await postgresAdapter(store.client, { resource: piezas, table: 'muchas', attached, onWarning }).ready()
    expect(warnings).toEqual([
      expect.stringMatching(/"piezas" has about 100500 rows.*"bounded", "estimated" or "none"/),
    ])
    await postgresAdapter(store.client, {
      resource: piezas,
      table: 'muchas',
      attached,
      onWarning,
      count: 'bounded',
    }).ready()
    expect(warnings).toHaveLength(1)
  })

  it('throws if a member is a list, and its expression cannot be cast to jsonb', async () => {
    await store.sql('CREATE TABLE listas (id int PRIMARY KEY, letras text[])')
    const listas = defineResource({
      collection: 'listas',
      key: 'id',
      schema: {
        type: 'object',
        properties: { id: { type: 'integer' }, todas: { type: ['array', 'null'], items: {}, readOnly: true } },
      },
    })
    const ready = (expression: string) =>
      postgresAdapter(store.client, { resource: listas, table: 'listas', columns: { todas: { expression } } }).ready()
    await expect(ready('letras')).rejects.toThrow(/cannot cast type text\[\] to jsonb/)
    await ready('to_jsonb(letras)')
  })

  it('accepts a database with standard_conforming_strings = off', async () => {
    await using place = await freshSchema()
    await place.sql('CREATE TABLE notas (id int PRIMARY KEY, texto text)')
    const url = new URL(place.url)
    url.searchParams.set('options', `${url.searchParams.get('options')} -c standard_conforming_strings=off`)
    const pool = new pg.Pool({ connectionString: url.href })
    const notas = defineResource({
      collection: 'notas',
      key: 'id',
      schema: { type: 'object', properties: { id: { type: 'integer' }, texto: { type: 'string' } } },
    })
    try {
      const adapter = postgresAdapter(pool, { resource: notas, table: 'notas' })
      await adapter.ready()
      const value = { id: 1, texto: String.raw`a\b\000'` }
      expect(await adapter.create(value as never, call)).toMatchObject({ created: { value } })
    } finally {
      await pool.end()
    }
  })

  it('warns if a column of the key may hold NULL', async () => {
    await store.sql('CREATE TABLE anulables (id int UNIQUE); CREATE TABLE plenas (id int PRIMARY KEY)')
    const cosas = defineResource({
      collection: 'cosas',
      key: 'id',
      schema: { type: 'object', properties: { id: { type: 'integer' } } },
    })
    const warnings: string[] = []
    const onWarning = (message: string) => void warnings.push(message)
    for (const table of ['anulables', 'plenas'])
      await postgresAdapter(store.client, { resource: cosas, table, onWarning }).ready()
    expect(warnings).toEqual([expect.stringMatching(/ALTER TABLE "anulables" ALTER COLUMN "id" SET NOT NULL\.$/)])
  })

  it('checks an adapter that gets its resource from mount()', async () => {
    const cosas = defineResource({
      collection: 'cosas',
      key: 'id',
      schema: { type: 'object', properties: { id: { type: 'integer' } } },
    })
    const service = api({ versions: { v1: [mount(cosas, postgresAdapter(store.client, { table: 'nowhere' }))] } })
    await expect(service.ready()).rejects.toThrow(/there is no table "nowhere"/)
  })
})

describe.each(stores)('tableDdl on $name', ({ open }) => {
  let store: Store
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())

  it('returns the DDL of all tables in the options, whatever their names, and the adapter accepts the tables', async () => {
    await store.sql('CREATE SCHEMA "El ""correo"""')
    const options = {
      table: { schema: 'El "correo"', name: "pie'zas" },
      version: { column: 'versión' },
      softDelete: 'borrado en',
      naming: 'same',
      attached: { piezas: { table: 'en ruta', parent: 'ruta', key: 'pieza' } },
      search: { config: 'spanish' },
    } as const
    await store.sql(tableDdl(piezas, options))
    const adapter = postgresAdapter(store.client, { ...options, resource: piezas })
    await adapter.ready()
    expect(
      await adapter.create({ numero: 1, numeroDeEnvio: 'caminos', fecha: '2024-01-01T00:00:00.1234567' }, call),
    ).toMatchObject({
      created: { value: { fecha: '2024-01-01T00:00:00.1234567' } },
    })
    expect(await adapter.list(listRequest({ search: 'camino' }), call)).toMatchObject({ total: 1 })
    const to = { collection: 'rutas', key: 'r', as: 'piezas' }
    expect(await adapter.attach(to, 1, undefined, call)).toBe('attached')
    expect(await adapter.list(listRequest({ sort: 'numero', parent: to }), call)).toMatchObject({ total: 1 })
    // A change by another session also changes the version.
    const { version } = (await adapter.read([1], call))[0] as { version: string }
    await store.sql(`UPDATE "El ""correo"""."pie'zas" SET "numeroDeEnvio" = 'x'`)
    expect(await adapter.replace(1, { numero: 1 }, version, call)).toBe('stale')
    expect(await adapter.remove(1, undefined, call)).toBe('removed')
    expect(await store.sql('SELECT count(*)::int AS n FROM "en ruta"')).toEqual([{ n: 0 }])
  })
})
