import pg from 'pg'
import { describe, expect, inject, it } from 'vitest'
import { freshDatabase, freshSchema, postgresVersion } from './databases.js'
import { startProxy } from './proxy.js'

describe('the PostgreSQL of this run', () => {
  it('is there, 13 or later, with a database that is not anybody’s', () => {
    expect(postgresVersion()).toBeGreaterThanOrEqual(130_000)
    expect(new URL(inject('postgres').url).pathname).toMatch(/^\/erc_test_[0-9a-z]+_[0-9a-f]{8}$/)
  })
})

describe('freshSchema', () => {
  it('makes a schema that the connections of its address find and those of another do not', async () => {
    const [a, b] = [await freshSchema(), await freshSchema()]
    await a.sql('CREATE TABLE t (n int); INSERT INTO t VALUES (1)')
    await b.sql('CREATE TABLE t (n int); INSERT INTO t VALUES (2)')
    expect(await a.sql('SELECT n FROM t WHERE n = $1', [1])).toEqual([{ n: 1 }])
    const pool = new pg.Pool({ connectionString: b.url })
    expect((await pool.query('SELECT n FROM t')).rows).toEqual([{ n: 2 }])
    await pool.end()
    await Promise.all([a.drop(), b.drop()])
    await expect(a.sql('SELECT n FROM t')).rejects.toMatchObject({ code: '42P01' })
  })
})

describe('freshDatabase', () => {
  it('makes a database in UTF-8, and drops it under open connections', async () => {
    const place = await freshDatabase(`LC_COLLATE 'C' LC_CTYPE 'C'`)
    expect(
      await place.sql(`SELECT current_database() AS name, current_setting('server_encoding') AS encoding`),
    ).toEqual([{ name: place.name, encoding: 'UTF8' }])
    const open = new pg.Client(place.url)
    const cut = new Promise<Error>((resolve) => open.on('error', resolve))
    await open.connect()
    await place.drop()
    expect(await cut).toBeInstanceOf(Error)
    await expect(place.sql('SELECT 1')).rejects.toMatchObject({ code: '3D000' })
  })
})

describe('the proxy before PostgreSQL', () => {
  it('loses the reply to a write that the server has committed', async () => {
    const place = await freshSchema()
    await place.sql('CREATE TABLE t (n int)')
    const { hostname: host, port } = new URL(place.url)
    const proxy = await startProxy({ host, port: Number(port || 5432) })
    const client = new pg.Client(proxy.through(place.url))
    client.on('error', () => {})
    await client.connect()
    const lost = proxy.loseReply('INSERT')
    await expect(client.query('INSERT INTO t VALUES (1)')).rejects.toThrow(/ECONNRESET|terminated/)
    await lost
    expect(await place.sql('SELECT n FROM t')).toEqual([{ n: 1 }])
    await proxy.close()
    await place.drop()
  })

  it('tears a write that the server then has not done', async () => {
    const place = await freshSchema()
    await place.sql('CREATE TABLE t (n int)')
    const { hostname: host, port } = new URL(place.url)
    const proxy = await startProxy({ host, port: Number(port || 5432) })
    const client = new pg.Client(proxy.through(place.url))
    client.on('error', () => {})
    await client.connect()
    const torn = proxy.cutAfter('INSERT')
    await expect(client.query('INSERT INTO t VALUES (1)')).rejects.toThrow(/ECONNRESET|terminated/)
    await torn
    expect(await place.sql('SELECT n FROM t')).toEqual([])
    await proxy.close()
    await place.drop()
  })
})
