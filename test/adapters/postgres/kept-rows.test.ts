/**
 * The adapter caches rows by key and version. It does so only if the catalog and the options prove
 * that rows with the same key and version are equal.
 */
import pg from 'pg'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ShownLink, ShownLinks, Stored } from '../../../src/adapters/contract.js'
import type { PostgresClient } from '../../../src/adapters/postgres/index.js'
import { freezeThroughout, isFixed } from '../../../src/definition/fixed.js'
import { adapterView, api, mount } from '../../../src/index.js'
import { lentPglite } from '../../servers/pglite.js'
import { describeWithCaches, itWithCaches } from '../../with-caches.js'
import { call, callOf, listRequest } from '../memory/requests.js'
import { until } from './bultos.js'
import {
  columns,
  counted,
  type Ficha,
  fichas,
  isSlim,
  listed,
  listOften,
  moves,
  type Options,
  place as placed,
  Recording,
  read,
  rows,
  sharing,
  trigger,
  uuid,
  warm,
} from './fichas.js'

const place = placed()
const { fill, over } = place
type Over = ReturnType<typeof over>

describeWithCaches('a row that is read several times', () => {
  beforeEach(() => fill())

  it('is the same frozen object, whether it is read alone, with other rows, or in a page', async () => {
    const adapter = over()
    await warm(adapter)
    const one = await read(adapter)
    expect(one).toEqual({
      value: { id: 'f1', a: 'a', b: null, n: 1, json: { x: [1] }, padreId: 'f2' },
      version: one?.version,
    })
    expect(isFixed(one)).toBe(true)
    expect(await read(adapter)).toBe(one)
    expect((await adapter.read(['f2', 'f1'], call))[1]).toBe(one)
    expect((await listed(adapter)).items[0]).toBe(one)
    expect((await adapter.list(listRequest({ sort: '-a,-id' }), callOf({ scope: { a: 'a' } }))).items.at(-1)).toBe(one)
  })

  it('after 16 consecutive lists of cached rows, lists read only the key and the version of each row', async () => {
    const adapter = over()
    await warm(adapter)
    await listOften(adapter)
    const asked = async (sort: string, scope = {}) => {
      Recording.texts.length = 0
      const { items } = await adapter.list(listRequest({ sort, size: 3 }), callOf({ scope }))
      return { slim: Recording.texts.map(isSlim), ids: items.map(({ value }) => value.id) }
    }
    expect(await asked('-n,id')).toEqual({ slim: [true], ids: ['f5', 'f4', 'f3'] })
    expect(await asked('-a,-id', { a: 'a' })).toEqual({ slim: [true], ids: ['f5', 'f4', 'f3'] })
    await place.sql(`UPDATE fichas SET b = 'z' WHERE id = 'f5'`)
    expect(await asked('-id')).toEqual({ slim: [true, false], ids: ['f5', 'f4', 'f3'] })
    expect(await asked('id')).toEqual({ slim: [false], ids: ['f1', 'f2', 'f3'] })
  })

  it('if one row of a page has changed, all rows of the page are read again in full', async () => {
    const adapter = over()
    await warm(adapter)
    const fixed = <T>(value: T): T => freezeThroughout(value)
    const request = fixed(listRequest({ sort: '-n,id', size: 3 }))
    const noRows = fixed(listRequest({ sort: 'id', where: [{ field: 'a', op: 'eq', value: 'none' }] }))
    const asked = async (one = request) => {
      Recording.texts.length = 0
      const page = await adapter.list(one, call)
      return { page, slim: Recording.texts.map(isSlim) }
    }
    const first = await asked()
    expect(first.slim).toEqual([false])
    await listOften(adapter)
    const { page } = await asked()
    const again = await asked()
    expect(again.slim).toEqual([true])
    expect(again.page).toEqual(first.page)
    expect(again.page).toMatchObject({ total: 5, more: true, seekable: true })
    expect(again.page.items.map(({ value }) => value.id)).toEqual(['f5', 'f4', 'f3'])
    for (const [i, item] of again.page.items.entries()) expect(item).toBe(page.items[i])
    // A change of the row that follows the page does not affect the page.
    await place.sql(`UPDATE fichas SET b = 'z' WHERE id = 'f2'`)
    expect((await asked()).slim).toEqual([true])
    await place.sql(`UPDATE fichas SET b = 'z' WHERE id = 'f4'`)
    const changed = await asked()
    expect(changed.slim).toEqual([true, false])
    expect(changed.page.items.map(({ value }) => value.b)).toEqual([null, 'z', null])
    expect((await asked()).slim).toEqual([false])
    await listOften(adapter)
    expect((await asked()).slim).toEqual([true])
    await place.sql('DELETE FROM fichas WHERE n > 1')
    expect((await asked()).page).toMatchObject({ total: 1, more: false, items: [{ value: { id: 'f1' } }] })
    for (let i = 0; i < 4; i++) expect((await asked(noRows)).page).toMatchObject({ total: 0, more: false, items: [] })
    for (let i = 0; i < 3; i++) await asked()
    await place.sql('TRUNCATE fichas')
    expect((await asked()).page).toMatchObject({ total: 0, more: false, items: [] })
  })

  it('is the same object for each read that shows it as a link target, until the row changes', async () => {
    const adapter = over()
    await warm(adapter)
    const link: ShownLink = Object.freeze({ by: ['padreId'], adapter, members: ['b'] })
    const linked = async () => {
      const found: (Stored<unknown> | undefined)[] = []
      const links: ShownLinks = {
        all: [link],
        callOf: () => call,
        found: (_, key, stored) => void (key === 'f2' && found.push(stored)),
      }
      await adapter.read(['f1'], callOf({ links }))
      await adapter.list(listRequest({ sort: 'n,id' }), callOf({ links }))
      return found
    }
    const [one, same] = await linked()
    expect(one).toEqual({ value: { id: 'f2', b: null }, version: (await read(adapter, 'f2'))?.version })
    expect(isFixed(one)).toBe(true)
    expect(same).toBe(one)
    await place.sql(
      `ALTER TABLE fichas DISABLE TRIGGER mueve; UPDATE fichas SET b = 'z'; ALTER TABLE fichas ENABLE TRIGGER mueve`,
    )
    expect((await linked()).map((stored) => stored?.value)).toEqual([
      { id: 'f2', b: 'z' },
      { id: 'f2', b: 'z' },
    ])
  })

  it('is another object after a write by the adapter or another session, even if the write bypasses the trigger', async () => {
    const adapter = over()
    await warm(adapter)
    const seen = [await read(adapter)]
    const differs = async (b: string | null) => {
      const now = await read(adapter)
      expect(now?.value.b).toBe(b)
      expect(seen).not.toContain(now)
      expect(await read(adapter)).toBe(now)
      seen.push(now)
    }
    await adapter.replace('f1', { id: 'f1', b: 'own' } as Ficha, seen[0]?.version, call)
    await differs('own')
    await place.sql(`UPDATE fichas SET b = 'other'`)
    await differs('other')
    await place.sql(`SET session_replication_role = replica; UPDATE fichas SET b = 'replica'`)
    await differs('replica')
    await place.sql(
      `ALTER TABLE fichas DISABLE TRIGGER mueve; UPDATE fichas SET b = 'disabled'; ALTER TABLE fichas ENABLE ` +
        'TRIGGER mueve',
    )
    await differs('disabled')
    await place.sql(`DROP TRIGGER mueve ON fichas; UPDATE fichas SET b = 'dropped'; ${trigger}`)
    await differs('dropped')
    await place.sql(
      `CREATE TABLE copia AS SELECT * FROM fichas; TRUNCATE fichas; UPDATE copia SET b = 'put back'; INSERT INTO ` +
        'fichas SELECT * FROM copia',
    )
    await differs('put back')
  })

  it('is not reused after its table was replaced by another table with the same name', async () => {
    const adapter = over()
    await warm(adapter)
    expect((await read(adapter))?.value.b).toBe(null)
    await place.sql(`
      CREATE TABLE copia (LIKE fichas INCLUDING ALL); INSERT INTO copia SELECT id, a, 'copia', n, json, padre_id, oculto, version FROM fichas;
      ALTER TABLE fichas RENAME TO vieja; ALTER TABLE copia RENAME TO fichas; DROP TABLE vieja`)
    expect((await read(adapter))?.value.b).toBe('copia')
  })

  it.each([
    [
      'two columns that swap their names',
      `ALTER TABLE fichas RENAME a TO c; ALTER TABLE fichas RENAME b TO a; ALTER TABLE fichas RENAME c TO b`,
      { a: null, b: 'a' },
    ],
    [
      'a column that is dropped and added again',
      `ALTER TABLE fichas DROP a; ALTER TABLE fichas ADD a text DEFAULT 'new'`,
      { a: 'new', b: null },
    ],
  ])('is not reused after a change of the schema that writes no row: %s', async (_, change, shown) => {
    const adapter = over()
    await warm(adapter)
    const before = await read(adapter)
    expect(await read(adapter)).toBe(before)
    vi.useRealTimers()
    await place.sql(change)
    await until(async () => (await read(adapter))?.value).toMatchObject(shown)
    // After a change of the schema, `ready()` makes the new columns visible at once.
    await place.sql(`ALTER TABLE fichas DROP b; ALTER TABLE fichas ADD b text DEFAULT 'ready'`)
    await adapter.ready()
    expect((await read(adapter))?.value.b).toBe('ready')
  })

  it('is not reused after a label of an enumeration was renamed', async () => {
    await fill(
      (
        `DROP TYPE IF EXISTS color; CREATE TYPE color AS ENUM ('a', 'b'); CREATE TABLE fichas ` +
        `(${columns.replace('a text', 'a color')}, ${uuid}); ${trigger}`
      ).replace(/,$/, ''),
    )
    const adapter = over()
    await warm(adapter)
    expect(await read(adapter)).toBe(await read(adapter))
    vi.useRealTimers()
    await place.sql(`ALTER TYPE color RENAME VALUE 'a' TO 'z'`)
    await until(async () => (await read(adapter))?.value.a).toBe('z')
    await place.sql('DROP TABLE fichas; DROP TYPE color')
  })

  it('is reused without a trigger until an update, if "soleWriter" is true or the version has a digest', async () => {
    for (const options of [{ version: { column: 'version', soleWriter: true } }, {}] as const) {
      await fill(`CREATE TABLE fichas (${columns}, ${uuid})`)
      const adapter = over(options)
      await warm(adapter)
      expect(await read(adapter)).toBe(await read(adapter))
      await place.sql(`UPDATE fichas SET b = 'bypassed'`)
      expect((await read(adapter))?.value.b).toBe('bypassed')
    }
  })

  it('counts towards one limit for all resources of a pool, but is cached for each resource separately', async () => {
    const [one, other] = [over(sharing), over({ ...sharing, columns: { b: 'oculto' } })]
    await place.sql(`UPDATE fichas SET b = 'b', oculto = 'o'`)
    await warm(one)
    await warm(other)
    const before = counted(one)
    expect(before).toMatchObject({ bound: 2 ** 25 })
    expect(counted(other)).toEqual(before)
    for (let i = 0; i < 3; i++)
      expect([await read(one), await read(other)]).toMatchObject([{ value: { b: 'b' } }, { value: { b: 'o' } }])
    expect(await read(one)).toBe(await read(one))
    expect(await read(other)).toBe(await read(other))
  })

  it('is cached within a limit, is counted in service.caches(), and is not cached if "caches" is false', async () => {
    const small = over({ keepRows: 3_000 })
    await warm(small)
    await listed(small)
    expect(counted(small)).toMatchObject({ entries: 2, bound: 3_000 })
    const adapter = over()
    const service = api({ versions: { v1: [mount(fichas, adapter)], v0: [mount(fichas, adapterView(adapter))] } })
    await warm(adapter)
    expect(service.caches().find(({ name }) => name === 'rows')).toMatchObject({ entries: 5, bound: 2 ** 23 })
    api({ versions: { v1: [mount(fichas, adapterView(adapter))] }, caches: false })
    expect(counted(adapter)).toMatchObject({ entries: 0, bound: 0 })
    expect(await read(adapter)).not.toBe(await read(adapter))
  })
})

describe('a row is not cached', () => {
  const without = `CREATE TABLE fichas (${columns}, ${uuid})`
  const cases: readonly (readonly [what: string, options: Options, ddl?: string])[] = [
    ['if the version is xmin, which can repeat after a failover', { version: 'xmin' }],
    ['if the version is an expression', { version: { expression: 'version' } }],
    [
      'if the version is from a sequence',
      {},
      `CREATE TABLE fichas (${columns}, version bigserial NOT NULL); ${trigger.replace('mueve()', 'cuenta()')}`,
    ],
    [
      'if the expression "next" can return a version that was already used',
      { version: { column: 'version', soleWriter: true, next: 'coalesce(version, gen_random_uuid())' } },
    ],
    [
      'if the default of the version is an expression around gen_random_uuid()',
      { version: { column: 'version', soleWriter: true } },
      `CREATE TABLE fichas (${columns}, version uuid NOT NULL DEFAULT coalesce(NULL, gen_random_uuid()))`,
    ],
    ['if a member is computed', { columns: { b: { expression: `lower(_r.a)` } } }],
    ['if rows are read through a view or a query', { readFrom: 'SELECT * FROM fichas' }],
    ['if the option "session" is set, because each read then runs in a transaction', { session: async () => {} }],
    [
      'if the version has a digest, and the option "columns" names a member that the schema does not declare',
      { columns: { oculto: 'oculto' } },
      without,
    ],
    [
      'if other tables inherit from the table',
      { version: { column: 'version', soleWriter: true } },
      `CREATE TABLE fichas (${columns}, ${uuid}); CREATE TABLE hija () INHERITS (fichas)`,
    ],
    [
      'if the table is partitioned',
      {},
      `CREATE TABLE fichas (${columns}, ${uuid}) PARTITION BY HASH (id); CREATE TABLE parte PARTITION OF fichas ` +
        `FOR VALUES WITH (MODULUS 1, REMAINDER 0); ${trigger}`,
    ],
    ['if the option "keepRows" is false', { keepRows: false }],
  ]

  beforeAll(() =>
    place.sql(
      'CREATE FUNCTION cuenta() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.version := ' +
        `nextval('fichas_version_seq'); RETURN NEW; END $$`,
    ),
  )

  const neverKept = async (adapter: Over) => {
    await adapter.ready()
    for (let i = 0; i < 3; i++) expect(await read(adapter)).not.toBe(await read(adapter))
    await listed(adapter)
    // After this wait, the adapter has the result of its catalog query, if it sent one.
    await place.pool.query('SELECT pg_sleep(0.05)')
    expect(isFixed((await listed(adapter)).items[0])).toBe(false)
    expect(counted(adapter)?.entries).toBe(0)
  }

  it.each(cases.map(([what, options, ddl]) => ({ what, options, ddl })))('$what', async ({ options, ddl }) => {
    await fill(ddl)
    await neverKept(over(options))
  })

  itWithCaches(
    'in a transaction of the service, through a client that might be in a transaction, or in PGlite',
    async () => {
      await fill()
      const adapter = over()
      await warm(adapter)
      const outside = await read(adapter)
      const client = new pg.Client(place.url)
      await client.connect()
      await client.query('BEGIN')
      const inside = adapter.within(client)
      expect(await read(inside)).not.toBe(outside)
      await client.query(`ALTER TABLE fichas DISABLE TRIGGER mueve; UPDATE fichas SET b = 'never committed'`)
      expect((await read(inside))?.value.b).toBe('never committed')
      await client.query('ROLLBACK')
      expect(await read(adapter)).toBe(outside)
      await neverKept(over({}, client))
      await neverKept(
        over({}, {
          query: (sql, values) => place.pool.query(sql, values),
          transaction: (work: (tx: pg.Client) => unknown) => work(client),
        } as PostgresClient),
      )
      await client.end()
      const embedded = await lentPglite()
      await embedded.client.exec(`CREATE TABLE fichas (${columns}, ${uuid}); ${moves}; ${trigger}; ${rows}`)
      await neverKept(over({}, embedded.client))
      await embedded.release()
    },
  )

  itWithCaches('if it is read from the primary although reads use a replica', async () => {
    await fill()
    const replica = new pg.Pool({ connectionString: place.url, max: 2 })
    const adapter = over({ replica: true }, { read: replica, write: place.pool })
    await warm(adapter)
    const one = await read(adapter)
    expect(await read(adapter)).toBe(one)
    const [fresh] = await adapter.read(['f1'], callOf({ fresh: true }))
    expect(fresh).not.toBe(one)
    expect(fresh?.value).toEqual(one?.value)
    await replica.end()
  })
})
