/**
 * Tables that Citus distributes. These tests do not need Citus. They create only the catalog table
 * and one function of Citus (`citus/catalog.ts`), so that the adapter sends the statements that it
 * would send to Citus. Then they check the query trees of these statements by the rules of Citus's
 * planner (`citus/rules.ts`).
 */
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failureKind } from '../../../src/adapters/postgres/connections/failures.js'
import {
  type CustomClient,
  type PostgresAdapterOptions,
  postgresAdapter,
  tableDdl,
} from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/definition/resource.js'
import { Unavailable } from '../../../src/problem.js'
import { freshDatabase, type Place, postgresVersion } from '../../servers/databases.js'
import { call, callOf, listRequest } from '../memory/requests.js'
import { until } from './bultos.js'
import { makeCatalog, makeFunction, makeReference } from './citus/catalog.js'
import { type Facts, factsOf, refusedByCitus } from './citus/rules.js'
import { recording } from './citus/sent.js'

const properties = {
  id: { type: 'integer' },
  texto: { type: ['string', 'null'] },
  fecha: { type: ['string', 'null'], format: 'date-time' },
  precio: { type: ['number', 'null'] },
  importe: { type: ['string', 'null'], format: 'decimal' },
  letras: { type: ['array', 'null'], items: { type: 'string' } },
  doc: { type: ['object', 'null'], properties: { n: { type: 'integer' } } },
  ruta: { type: ['string', 'null'] },
} as const
const piezas = defineResource({
  collection: 'piezas',
  key: 'id',
  assigned: true,
  schema: { type: 'object', required: ['id'], properties },
  filters: {
    texto: true,
    desde: { field: 'fecha', op: 'gte' },
    letra: { field: 'letras', op: 'contains' },
    'doc.n': true,
  },
  sort: ['texto', 'fecha', 'precio', 'doc.n'],
  search: ['texto'],
  attachedTo: [
    { of: 'rutas', as: 'cargadas' },
    { of: 'zonas', by: 'ruta', as: 'piezas' },
  ],
})
const bultos = defineResource({
  collection: 'bultos',
  key: ['pieza', 'n'],
  assigned: ['n'],
  parent: { of: 'piezas', by: 'pieza' },
  schema: {
    type: 'object',
    required: ['pieza', 'n'],
    properties: { pieza: { type: 'integer' }, n: { type: 'integer' }, peso: { type: ['number', 'null'] } },
  },
  sort: ['peso'],
})
const version = { column: 'version', soleWriter: true } as const
const options = {
  table: 'piezas',
  version,
  softDelete: 'borrada',
  idempotency: { table: 'idempotency_keys' },
  attached: { cargadas: { table: 'en_ruta', parent: 'ruta', key: 'pieza' } },
  readBefore: true,
} as const

let place: Place
let pool: pg.Pool
let facts: Facts
const sql = (text: string) => place.sql(text)
const hasTrees = postgresVersion() >= 140_000

beforeAll(async () => {
  place = await freshDatabase()
  pool = new pg.Pool({ connectionString: place.url, max: 3 })
  await makeCatalog(sql)
  await makeFunction(sql)
  await sql(tableDdl(piezas, options, { distributed: true }))
  await sql(tableDdl(bultos, { table: 'bultos', version }, { distributed: { colocateWith: 'piezas' } }))
  await sql(`CREATE TABLE ajenas (LIKE piezas INCLUDING ALL);
    CREATE TABLE puestas (id integer PRIMARY KEY, alta timestamptz DEFAULT now(), texto text CHECK (texto <> 'x'), version uuid DEFAULT gen_random_uuid())`)
  await sql("SELECT create_distributed_table('puestas', 'id')")
  facts = await factsOf(sql)
})
afterAll(async () => {
  await pool.end()
  await place.drop()
})

const remote = { severity: 'ERROR', where: 'while executing command on 10.0.0.7:5432', routine: 'ReportResultError' }
const failure = (fields: object) =>
  Object.assign(new Error((fields as { message?: string }).message ?? 'failed'), fields)

/** A client on which statements that match `on` fail with an error like those of Citus. */
const failing = (on: RegExp, fields: object): CustomClient => ({
  query: async (text, values) => {
    if (on.test(text)) throw failure({ ...remote, ...fields })
    return pool.query(text, values as unknown[])
  },
  transaction: async (work) => work(failing(on, fields)),
})

describe('the statements for distributed tables', () => {
  /** The statements of all requests. `ready()` sends them with EXPLAIN. */
  async function explained(make: (client: pg.Pool) => { ready(): Promise<void> }): Promise<readonly string[]> {
    const recorded = recording(pool)
    await make(recorded.client).ready()
    await recorded.client.end()
    return recorded.statements
      .filter((text) => text.startsWith('EXPLAIN '))
      .map((text) => text.slice('EXPLAIN '.length))
  }

  it.skipIf(!hasTrees).each([
    ['with members of many kinds', (client: pg.Pool) => postgresAdapter(client, { ...options, resource: piezas }), 30],
    [
      'with a composite key whose last part the adapter assigns',
      (client: pg.Pool) => postgresAdapter(client, { table: 'bultos', version, resource: bultos }),
      10,
    ],
  ] as const)('use only SQL that Citus accepts, for a resource %s', async (_, make, atLeast) => {
    const statements = await explained(make)
    expect(statements.length).toBeGreaterThanOrEqual(atLeast)
    const refused: string[] = []
    for (const text of statements)
      for (const fault of await refusedByCitus(sql, text, facts)) refused.push(`${fault}: ${text}`)
    expect(refused).toEqual([])
  })

  it.skipIf(!hasTrees).each([
    ['UPDATE puestas SET version = DEFAULT WHERE id = $1::int', 'a VOLATILE function in UPDATE'],
    ['DELETE FROM puestas WHERE random() > 2', 'a VOLATILE function in DELETE'],
    ["UPDATE puestas SET texto = 'a' WHERE alta::text = $1", 'a STABLE function of a column in UPDATE'],
    ['UPDATE puestas SET texto = coalesce(texto, now()::text) WHERE id = 1', 'a STABLE function of a column in UPDATE'],
    ['INSERT INTO puestas (id) VALUES (1) RETURNING alta::text', 'a function that is not IMMUTABLE in RETURNING'],
    [
      'INSERT INTO puestas AS p (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET texto = $1 WHERE p.alta <= now()',
      'a function that is not IMMUTABLE in ON CONFLICT',
    ],
    ['INSERT INTO puestas (id) VALUES ((SELECT max(id) + 1 FROM puestas))', 'a subquery in the values of INSERT'],
    ['SELECT id FROM puestas ORDER BY id OFFSET (SELECT 1)', 'a subquery in LIMIT or OFFSET'],
    ['SELECT id FROM puestas WHERE texto = $1 FOR UPDATE', 'a lock of rows on several servers'],
    [
      'SELECT p.id FROM puestas p LEFT JOIN LATERAL (SELECT 1 FROM puestas q WHERE q.id = p.id) x ON true',
      'a LATERAL subquery',
    ],
    ['WITH t AS (SELECT id FROM puestas) INSERT INTO puestas (id) SELECT id FROM t', 'WITH in INSERT'],
    [
      'INSERT INTO puestas (id) SELECT a.id FROM (SELECT id FROM puestas p WHERE NOT EXISTS (SELECT 1 FROM ' +
        'puestas q WHERE q.id = p.id)) a',
      'a correlated subquery in FROM of INSERT',
    ],
    [
      'INSERT INTO puestas (id) SELECT $1::int FROM (SELECT random() AS n OFFSET 0) AS x WHERE x.n > 0',
      'INSERT of a SELECT without a table',
    ],
    ['SELECT xmin FROM puestas', 'a system column'],
  ])('the rules of this test detect statements that Citus refuses: %s', async (text, fault) => {
    expect(await refusedByCitus(sql, text, facts)).toContain(fault)
  })

  it.skipIf(!hasTrees)('the rules of this test accept statements for ordinary tables', async () => {
    expect(await refusedByCitus(sql, 'UPDATE ajenas SET version = DEFAULT RETURNING fecha::text', facts)).toEqual([])
  })
})

describe('records in distributed tables', () => {
  it('are created, changed, attached and removed; a write returns dates although RETURNING omits them', async () => {
    const adapter = postgresAdapter(pool, { ...options, resource: piezas })
    await adapter.ready()
    const record = {
      texto: 'a',
      fecha: '2024-01-31T09:30:00.000Z',
      precio: 1.5,
      importe: '1.1',
      letras: ['x'],
      doc: { n: 1 },
      ruta: null,
    }
    const made = await adapter.create({ ...record, id: 1 }, call)
    if (!('created' in made)) throw new Error('refused')
    expect(made.created.value).toEqual({ ...record, id: 1 })
    const next = { ...record, id: 1, texto: 'b' }
    const updated = await adapter.replace(1, next, made.created.version, callOf({ action: 'patch' }))
    expect(updated).toMatchObject({ value: next })
    expect(await adapter.replace(1, next, made.created.version, call)).toBe('stale')
    const now = (updated as { version: string }).version
    expect((await adapter.read([1], call))[0]?.version).toBe(now)
    const parent = { collection: 'rutas', key: 'r1', as: 'cargadas' }
    for (let times = 0; times < 2; times++) expect(await adapter.attach(parent, 1, undefined, call)).toBe('attached')
    expect(await sql('SELECT count(*)::int AS n FROM en_ruta')).toEqual([{ n: 1 }])
    expect((await adapter.list(listRequest({ sort: 'id', parent }), call)).items).toHaveLength(1)
    expect(await adapter.remove(1, now, call)).toBe('removed')
    expect(await sql('SELECT count(*)::int AS n FROM en_ruta')).toEqual([{ n: 0 }])
  })

  it('get the next number as the last part of their key', async () => {
    const adapter = postgresAdapter(pool, { table: 'bultos', version, resource: bultos })
    const numbers: unknown[] = []
    for (const n of [undefined, undefined, 7, undefined]) {
      const made = await adapter.create({ pieza: 5, ...(n === undefined ? {} : { n }), peso: null } as never, call)
      numbers.push('created' in made && (made.created.value as { n: number }).n)
    }
    expect(numbers).toEqual([1, 2, 7, 8])
  })

  it('VERB-12: concurrent creates with the same expired idempotency key create one record', async () => {
    const adapter = postgresAdapter(pool, { ...options, resource: piezas })
    const idempotency = { id: 'clave', fingerprint: 'f' }
    const once = () => adapter.create({ texto: 'una' } as never, { ...call, idempotency })
    const first = await once()
    expect(await once()).toEqual(first)
    await sql("UPDATE idempotency_keys SET expires_at = now() - interval '1 s'")
    const all = await Promise.all([once(), once(), once()])
    const made = all
      .filter((one) => typeof one === 'object' && 'created' in one)
      .map((one) => (one as { created: { value: unknown } }).created.value)
    expect(new Set(made.map((value) => (value as { id: number }).id)).size).toBe(1)
    expect(await sql("SELECT count(*)::int AS n FROM piezas WHERE texto = 'una'")).toEqual([{ n: 2 }])
    expect(await sql('SELECT count(*)::int AS n FROM idempotency_keys')).toEqual([{ n: 1 }])
  })

  it('VERB-12: expired idempotency keys are removed without row locks on several servers', async () => {
    await sql("INSERT INTO idempotency_keys VALUES ('vieja', 'f', '{}', 'v', now() - interval '1 s')")
    const recorded = recording(pool)
    const adapter = postgresAdapter(recorded.client, { ...options, resource: piezas })
    await adapter.create({ texto: 'otra' } as never, { ...call, idempotency: { id: 'nueva', fingerprint: 'f' } })
    await until(async () => (await sql("SELECT FROM idempotency_keys WHERE id = 'vieja'")).length).toBe(0)
    expect(recorded.statements.filter((text) => /SKIP LOCKED/.test(text))).toEqual([])
    await recorded.client.end()
  })

  it('QUERY-4: the statements of deep pages have no subquery in OFFSET', async () => {
    const adapter = postgresAdapter(pool, { table: 'bultos', version, resource: bultos })
    await sql('CREATE VIEW vistos AS SELECT * FROM bultos')
    await sql('INSERT INTO bultos (pieza, n) SELECT 9, g FROM generate_series(1, 1500) g; ANALYZE bultos')
    const recorded = recording(pool)
    const deep = postgresAdapter(recorded.client, { table: 'bultos', version, resource: bultos })
    const request = listRequest({ sort: 'pieza,n', page: 60, size: 25 })
    await deep.list(listRequest({ sort: 'pieza,n' }), call)
    expect((await deep.list(request, call)).items).toEqual((await adapter.list(request, call)).items)
    await recorded.client.end()
    expect(recorded.statements.filter((text) => /OFFSET \(/.test(text))).toEqual([])
    // If `readFrom` is a view of a distributed table, or a query over it, the statements also run
    // on several servers. So they must have no subquery in OFFSET either.
    const viewed = recording(pool)
    for (const readFrom of ['vistos', 'SELECT * FROM bultos']) {
      const reading = postgresAdapter(viewed.client, { table: 'bultos', readFrom, version, resource: bultos })
      await reading.list(listRequest({ sort: 'pieza,n' }), call)
      await reading.list(request, call)
    }
    await viewed.client.end()
    expect(viewed.statements.filter((text) => /OFFSET \$/.test(text))).toHaveLength(2)
    expect(viewed.statements.filter((text) => /OFFSET \(/.test(text))).toEqual([])
  })
})

describe('ready() on a distributed table', () => {
  const ready = (given: Pick<PostgresAdapterOptions, 'version' | 'count' | 'onWarning'>) =>
    postgresAdapter(pool, { ...options, ...given, resource: piezas }).ready()

  it.each([
    ['xmin', 'xmin', /distributed by Citus.*xmin cannot be the version/s],
    ['a column set by a trigger', { column: 'version' }, /distributed by Citus.*soleWriter: true/s],
  ] as const)('refuses %s as the version', async (_, version, message) => {
    await expect(ready({ version })).rejects.toMatchObject({
      code: 'store-unfit',
      message: expect.stringMatching(message),
    })
  })

  it('warns about estimated totals, which are wrong for distributed tables', async () => {
    const warnings: string[] = []
    await ready({ count: 'estimated', onWarning: (message) => warnings.push(message) })
    expect(warnings.join()).toMatch(/"piezas" are wrong: set "count" to "bounded" or "none"/)
  })

  it('applies the same rules to a reference table as to a distributed table', async () => {
    await sql('CREATE TABLE comunes (LIKE puestas INCLUDING ALL)')
    await makeReference(sql, 'comunes')
    const comunes = defineResource({
      collection: 'comunes',
      key: 'id',
      schema: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer' }, texto: { type: ['string', 'null'] } },
      },
    })
    await expect(postgresAdapter(pool, { table: 'comunes', resource: comunes }).ready()).rejects.toThrow(
      /distributed by Citus/,
    )
    await postgresAdapter(pool, { table: 'comunes', version, resource: comunes }).ready()
  })

  it('reports a statement that the planner refuses, and the methods that would send it', async () => {
    const planner = { code: '0A000', routine: 'TargetlistAndFunctionsSupported', where: undefined }
    const message = 'functions used in UPDATE queries on distributed tables must not be VOLATILE'
    const adapter = postgresAdapter(failing(/^EXPLAIN UPDATE/, { ...planner, message }), {
      ...options,
      resource: piezas,
    })
    await expect(adapter.ready()).rejects.toMatchObject({
      code: 'store-unfit',
      message: expect.stringMatching(/refuses the statement of create, replace.*must not be VOLATILE/s),
    })
    await adapter.ready(new Set())
  })

  it('accepts xmin as the version of an ordinary table on the same server', async () => {
    await postgresAdapter(pool, {
      table: 'ajenas',
      version: 'xmin',
      softDelete: 'borrada',
      attached: options.attached,
      resource: piezas,
    }).ready()
  })
})

describe('ready() on a server that sorts nulls first, like CockroachDB', () => {
  /** A client that adds NULLS FIRST to the statement that checks the order of nulls. */
  const nullFirst: CustomClient = {
    query: async (text, values) =>
      pool.query(text.replace(/ORDER BY a LIMIT/, 'ORDER BY a NULLS FIRST LIMIT'), values as unknown[]),
    transaction: async (work) => work(nullFirst),
  }
  const byWeight = { table: 'bultos', version } as const

  it('QUERY-2: refuses only resources whose lists can be sorted by a nullable member', async () => {
    await expect(postgresAdapter(nullFirst, { ...byWeight, resource: bultos }).ready()).rejects.toMatchObject({
      code: 'store-unfit',
      message: expect.stringMatching(/sorts null before all values.*null_ordered_last = on/s),
    })
    await postgresAdapter(pool, { ...byWeight, resource: bultos }).ready()
    const unsorted = defineResource({
      collection: 'bultos',
      key: ['pieza', 'n'],
      schema: {
        type: 'object',
        required: ['pieza', 'n'],
        properties: { pieza: { type: 'integer' }, n: { type: 'integer' }, peso: { type: ['number', 'null'] } },
      },
    })
    await postgresAdapter(nullFirst, { ...byWeight, resource: unsorted }).ready()
  })
})

describe('tableDdl with the option "distributed"', () => {
  it('returns DDL with the distribution column and the colocation, and without triggers', () => {
    const ddl = tableDdl(piezas, options, { distributed: true })
    expect(ddl).toContain(`SELECT create_distributed_table('"piezas"', 'id');`)
    expect(ddl).toContain(`SELECT create_distributed_table('"en_ruta"', 'pieza', colocate_with => '"piezas"');`)
    expect(ddl).toContain(`SELECT create_distributed_table('"idempotency_keys"', 'id')`)
    expect(ddl).not.toMatch(/TRIGGER/)
    expect(tableDdl(bultos, { table: 'bultos', version }, { distributed: { colocateWith: 'piezas' } })).toContain(
      `SELECT create_distributed_table('"bultos"', 'pieza', colocate_with => '"piezas"');`,
    )
    expect(tableDdl(piezas, options)).not.toContain('create_distributed_table')
  })

  it.each([undefined, 'xmin', { column: 'version' }, { expression: 'md5(texto)' }] as const)(
    'refuses the version %j',
    (version) => {
      expect(() => tableDdl(piezas, { table: 'piezas', ...(version && { version }) }, { distributed: true })).toThrow(
        /soleWriter: true/,
      )
    },
  )
})

describe('errors from other servers of a Citus cluster', () => {
  it('XX000 from a remote command counts as a lost connection; a local XX000 does not', () => {
    expect(failureKind(failure({ ...remote, code: 'XX000' }))).toBe('lost')
    expect(failureKind(failure({ severity: 'ERROR', code: 'XX000', routine: 'elog_finish' }))).toBe('other')
    expect(failureKind(failure({ ...remote, code: '23505' }))).toBe('refused')
  })

  it('ERR-1: if a write fails with a remote XX000, the 503 says that the outcome is unknown', async () => {
    const table = { table: 'bultos', version, resource: bultos }
    const writing = postgresAdapter(failing(/^UPDATE/, { code: 'XX000' }), table)
    await pool.query('INSERT INTO bultos (pieza, n) VALUES (77, 1)')
    const error = await writing
      .replace({ pieza: 77, n: 1 }, { pieza: 77, n: 1, peso: 2 }, undefined, call)
      .catch((found: unknown) => found)
    expect(error).toBeInstanceOf(Unavailable)
    expect((error as Unavailable).detail).toMatch(/may have|unknown/i)
    expect((error as Unavailable).unchanged ?? false).toBe(false)
  })

  it('ERR-1: a read that fails with a remote XX000 is retried', async () => {
    await pool.query('INSERT INTO bultos (pieza, n) VALUES (78, 1)')
    let sent = 0
    const client: CustomClient = {
      query: async (text, values) => {
        if (/^SELECT .* FROM "bultos"/s.test(text) && ++sent === 1) throw failure({ ...remote, code: 'XX000' })
        return pool.query(text, values as unknown[])
      },
    }
    const adapter = postgresAdapter(client, { table: 'bultos', version, resource: bultos })
    expect(await adapter.read([{ pieza: 78, n: 1 }], call)).toMatchObject([{ value: { pieza: 78, n: 1 } }])
    expect(sent).toBe(2)
  })

  it.each([
    ['23505', 'duplicate key value violates unique constraint "piezas_pkey_102008"', 'duplicate', ['id']],
    ['23505', 'doppelter Schlüsselwert verletzt Unique-Constraint „piezas_pkey_102008“', 'duplicate', ['id']],
    [
      '23502',
      'null value in column "texto" of relation "piezas_102008" violates not-null constraint',
      'rule',
      ['texto'],
    ],
    ['23503', 'insert or update on table "piezas_102008" violates foreign key constraint "x_102008"', 'reference', []],
    [
      '23503',
      'update or delete on table "piezas_102008" violates foreign key constraint "x_102040" on table "otras_102040"',
      'rule',
      [],
    ],
  ] as const)(
    'ERR-2: the refusal for %s has the right kind and members, although the message names a shard: %s',
    async (code, message, refused, members) => {
      const adapter = postgresAdapter(failing(/INSERT INTO "piezas"/, { code, message }), {
        ...options,
        resource: piezas,
      })
      expect(await adapter.create({ id: 1, texto: 'a' } as never, call)).toMatchObject({ refused, members })
    },
  )

  it("a shard's constraint name is translated, unless it was shortened and fits several catalog names", async () => {
    const { inCatalogNames } = await import('../../../src/adapters/postgres/writes/shard-names.js')
    const relation = (names: readonly string[]) =>
      ({
        distributed: true,
        constraints: names.map((name) => ({ name })),
        indexes: [],
        inherited: [],
        tablesBelow: [],
        columns: new Map(),
      }) as never
    const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,62}$/)
    const alikeNames = fc
      .uniqueArray(fc.stringMatching(/^[a-z]{1,10}$/), { minLength: 2, maxLength: 3 })
      .map((ends) => ends.map((end) => `envios_${'x'.repeat(45)}_${end}`))
    fc.assert(
      fc.property(
        fc.oneof(fc.uniqueArray(name, { minLength: 1, maxLength: 5 }), alikeNames),
        fc.integer({ min: 102_008, max: 999_999_999 }),
        fc.nat(),
        (names, shard, hash) => {
          const wanted = names[0] as string
          const suffix = `_${shard}`
          const short = wanted.length < 64 - suffix.length
          const start = wanted.slice(0, 63 - suffix.length - 9)
          const given = short ? `${wanted}${suffix}` : `${start}_${hash.toString(16).padStart(8, '0')}${suffix}`
          const found = inCatalogNames(
            failure({ code: '23505', message: `duplicate key "${given}"` }) as never,
            relation(names),
            't',
          ).constraint
          const alike = names.filter((one) => one.startsWith(start))
          const expected = names.includes(given) ? given : short || alike.length === 1 ? wanted : undefined
          expect(found).toBe(expected)
        },
      ),
    )
  })
})
