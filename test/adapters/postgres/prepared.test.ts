import pg from 'pg'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StatementNames } from '../../../src/adapters/postgres/connections/statement-names.js'
import { freshSchema, type Place } from '../../servers/databases.js'
import { call, listRequest } from '../memory/requests.js'
import { bultosIn, ddl, tried } from './bultos.js'

let place: Place
let pool: pg.Pool
const places: Place[] = []
beforeEach(async () => {
  place = await freshSchema()
  places.push(place)
  await place.sql(`${ddl} INSERT INTO bultos VALUES ('a', 1)`)
  pool = new pg.Pool({ connectionString: place.url, max: 1 })
})
afterEach(() => pool.end())
afterAll(() => Promise.all(places.map((one) => one.drop())))

const prepared = async (client: pg.Pool | pg.Client = pool) =>
  (await client.query('SELECT name, statement FROM pg_prepared_statements')).rows as {
    name: string
    statement: string
  }[]

describe('prepared statements', () => {
  it('are created at the second use of a statement, reused, and limited to 200', async () => {
    const store = bultosIn(pool)
    for (let i = 0; i < 5; i++) await store.read(['a'], call)
    const [first, ...others] = (await prepared()).filter(({ statement }) => statement.includes('"bultos"'))
    expect(others).toEqual([])
    // Each page size results in a different statement.
    for (let size = 1; size <= 230; size++)
      for (let i = 0; i < 2; i++) await store.list(listRequest({ sort: 'id', size }), call)
    const names = await prepared()
    expect(names).toHaveLength(200)
    expect(names.map(({ name }) => name)).toContain(first?.name)
    expect((await store.list(listRequest({ sort: 'id', size: 300 }), call)).items).toHaveLength(1)
  })

  it('are not created if the option "prepare" is false', async () => {
    const store = bultosIn(pool, { prepare: false })
    for (let i = 0; i < 5; i++) await store.read(['a'], call)
    expect(await prepared()).toEqual([])
  })

  it('are not created in a transaction of the caller', async () => {
    const client = await pool.connect()
    await client.query('BEGIN')
    const store = bultosIn(client)
    for (let i = 0; i < 4; i++) await store.read(['a'], call)
    for (let i = 0; i < 4; i++) await store.replace('a', { id: 'a', n: i }, undefined, call)
    expect((await client.query('SELECT name FROM pg_prepared_statements')).rows).toEqual([])
    await client.query('ROLLBACK')
    client.release()
  })

  it('are prepared again after the server has dropped them (26000)', async () => {
    const store = bultosIn(pool)
    for (let i = 0; i < 4; i++) await store.read(['a'], call)
    for (let i = 0; i < 4; i++) await store.replace('a', { id: 'a', n: 1 }, undefined, call)
    const before = await prepared()
    await pool.query('DISCARD ALL')
    for (let i = 0; i < 2; i++) expect(await store.read(['a'], call)).toMatchObject([{ value: { n: 1 } }])
    for (let i = 0; i < 2; i++)
      expect(await store.replace('a', { id: 'a', n: 2 }, undefined, call)).toMatchObject({ value: { n: 2 } })
    const names = (all: { name: string }[]) => all.map(({ name }) => name).sort()
    expect(names(await prepared())).toEqual(names(before))
  })

  it('replace another statement that already has their name (42P05)', async () => {
    const store = bultosIn(pool)
    await store.read(['a'], call)
    await store.read(['a'], call)
    const [one] = (await prepared()).filter(({ statement }) => statement.includes('"bultos"'))
    const other = new pg.Client(place.url)
    await other.connect()
    await other.query(`PREPARE "${one?.name}" AS SELECT 1`)
    const shared = bultosIn(other)
    for (let i = 0; i < 4; i++) expect(await shared.read(['a'], call)).toMatchObject([{ value: { id: 'a' } }])
    expect((await prepared(other)).find(({ name }) => name === one?.name)?.statement).toBe(one?.statement)
    await other.end()
  })

  it('survive changes of the table under load', async () => {
    const busy = new pg.Pool({ connectionString: place.url, max: 4 })
    const store = bultosIn(busy)
    const viewed = bultosIn(busy, { readFrom: 'SELECT * FROM bultos', version: { expression: 'id' } })
    let going = true
    const failures: unknown[] = []
    let done = 0
    const stream = async (n: number) => {
      for (let i = 0; going; i++) {
        for (const answer of [
          await tried(store.read(['a'], call)),
          await tried(viewed.read(['a'], call)),
          await tried(store.list(listRequest({ sort: 'n,id' }), call)),
          await tried(store.create({ id: `l${n}-${i}`, n: i }, call)),
          await tried(store.replace(`l${n}-${i}`, { id: `l${n}-${i}`, n: i + 1 }, undefined, call)),
        ]) {
          if (answer instanceof Error) failures.push(answer)
          else done++
        }
      }
    }
    const streams = [1, 2, 3, 4].map(stream)
    const step = async (sql: string) => {
      const before = done
      await expect.poll(() => done, { timeout: 10_000 }).toBeGreaterThan(before + 60)
      await place.sql(sql)
    }
    for (const sql of [
      'ALTER TABLE bultos ADD COLUMN otra text',
      'ALTER TABLE bultos ALTER COLUMN n TYPE bigint',
      'ALTER TABLE bultos DROP COLUMN otra',
      'ALTER TABLE bultos ALTER COLUMN id TYPE varchar',
      'ALTER TABLE bultos ALTER COLUMN n TYPE integer',
      'SELECT 1',
    ])
      await step(sql)
    going = false
    await Promise.all(streams)
    expect(failures).toEqual([])
    await busy.end()
  })

  it('are replaced by statements with the current columns after a column was dropped (42703)', async () => {
    const store = bultosIn(pool, { rest: 'resto' })
    await place.sql('ALTER TABLE bultos ADD COLUMN resto jsonb')
    await store.ready()
    for (let i = 0; i < 3; i++) expect(await store.read(['a'], call)).toMatchObject([{ value: { n: 1 } }])
    await place.sql(`UPDATE bultos SET resto = '{"n": 7}'; ALTER TABLE bultos DROP COLUMN n`)
    expect(await store.read(['a'], call)).toMatchObject([{ value: { n: 7 } }])
    await place.sql('ALTER TABLE bultos ADD COLUMN n integer; ALTER TABLE bultos DROP COLUMN duenyo')
    expect(await store.replace('a', { id: 'a', n: 8, duenyo: 'ana' }, undefined, call)).toMatchObject({
      value: { n: 8, duenyo: 'ana' },
    })
  })
})

describe('statement names', () => {
  it('are assigned at the second use, up to a limit', () => {
    const names = new StatementNames()
    expect(names.of('SELECT 1')).toBeUndefined()
    const name = names.of('SELECT 1')
    expect(name).toMatch(/^rest_[\w-]{20}$/)
    expect(names.of('SELECT 1')).toBe(name)
    names.never('SELECT 1')
    expect(names.of('SELECT 1')).toBeUndefined()
    const given = Array.from({ length: 500 }, (_, i) => [names.of(`SELECT ${i}`), names.of(`SELECT ${i}`)][1]).filter(
      (one) => one !== undefined,
    )
    expect(new Set(given).size).toBeLessThanOrEqual(200)
  })
})
