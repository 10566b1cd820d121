import pg from 'pg'
import { describe, expect, inject, it } from 'vitest'
import { freshDatabase, freshSchema, postgresVersion } from './databases.js'
import { startProxy } from './proxy.js'

describe('the PostgreSQL of this run', () => {
  it('is version 13 or later, and has a scratch database', () => {
    expect(postgresVersion()).toBeGreaterThanOrEqual(130_000)
    expect(new URL(inject('postgres').url).pathname).toMatch(/^\/erc_test_[0-9a-z]+_[0-9a-f]{8}$/)
  })
})

describe('freshSchema', () => {
  it('creates a schema that is visible only to connections with its URL', async () => {
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
  it('creates a database in UTF-8, and drops it despite open connections', async () => {
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

describe('the proxy in front of PostgreSQL', () => {
  it('loses the response to a write that the server has committed', async () => {
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

  it('truncates a write, which the server then does not execute', async () => {
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
