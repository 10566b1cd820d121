/** Reads from a real streaming replica that is held behind its primary. */
import type { AddressInfo } from 'node:net'
import express from 'express'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { postgresAdapter, type ReplicaOptions, tableDdl } from '../../../src/adapters/postgres/index.js'
import { api, defineResource, mount, problems } from '../../../src/index.js'
import { type OwnServer, ownServer } from '../../servers/own-server.js'

const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'texto'],
    properties: { id: { type: 'string' }, texto: { type: 'string' } },
  },
})
const table = { table: 'notas', version: { column: 'version' } } as const

let primary: OwnServer
let replica: OwnServer
let write: pg.Pool
let read: pg.Pool

beforeAll(async () => {
  primary = await ownServer()
  replica = await ownServer({ replicaOf: primary })
  write = new pg.Pool({ connectionString: primary.url })
  read = new pg.Pool({ connectionString: replica.url })
  await write.query(tableDdl(notas, table))
})
afterAll(async () => {
  await Promise.all([read?.end(), write?.end()])
  await replica?.remove()
  await primary?.remove()
})

const behind = () => read.query('SELECT pg_wal_replay_pause()')
const caughtUp = async (): Promise<void> => {
  await read.query('SELECT pg_wal_replay_resume()')
  const { rows } = await write.query('SELECT pg_current_wal_insert_lsn()::text AS lsn')
  await expect
    .poll(
      async () =>
        (await read.query('SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS there', [rows[0].lsn])).rows[0].there,
    )
    .toBe(true)
}
afterEach(caughtUp)

/** A service, and requests of a caller to it. */
async function service(option?: boolean | ReplicaOptions) {
  const adapter = postgresAdapter({ read, write }, { ...table, ...(option === undefined ? {} : { replica: option }) })
  const app = express().use(
    api({
      versions: { v1: [mount(notas, adapter)] },
      principal: (req) => ({ sub: String(req.headers['x-caller']) }),
      permission: () => 'allow',
    }),
    problems(),
  )
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/notas`
  const ask = (method: string, path: string, { caller = 'ana', body, ...headers }: Record<string, string> = {}) =>
    fetch(`${base}${path}`, {
      method,
      headers: {
        'x-caller': caller,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    })
  const textOf = async (path: string, headers?: Record<string, string>) => {
    const response = await ask('GET', path, headers)
    return response.status === 200 ? ((await response.json()) as { texto: string }).texto : response.status
  }
  return { ask, textOf, [Symbol.asyncDispose]: async () => void server.close() }
}

let last = 0
const nota = (id: string, texto: string) => ({ body: JSON.stringify({ id, texto }) })

/** A record that both servers have. */
async function stored({ ask }: Awaited<ReturnType<typeof service>>): Promise<{ id: string; tag: string }> {
  const id = `n${++last}`
  const { status, headers } = await ask('POST', '', { ...nota(id, 'uno'), caller: 'otra' })
  expect(status).toBe(201)
  await caughtUp()
  return { id, tag: headers.get('etag') as string }
}

describe('a client { read, write }', () => {
  it('reads from the primary without the option', async () => {
    await using over = await service()
    const { id } = await stored(over)
    await behind()
    await over.ask('PUT', `/${id}`, nota(id, 'dos'))
    expect(await over.textOf(`/${id}`, { caller: 'luis' })).toBe('dos')
  })

  it('reads from the replica with it, and a client that has written reads what it wrote', async () => {
    await using over = await service(true)
    const { id } = await stored(over)
    await behind()
    const put = await over.ask('PUT', `/${id}`, nota(id, 'dos'))
    expect(put.status).toBe(200)
    expect(await over.textOf(`/${id}`)).toBe('dos')
    // Others may see the old state.
    expect(await over.textOf(`/${id}`, { caller: 'luis' })).toBe('uno')
    const list = async (caller: string) =>
      (await (await over.ask('GET', `?limit=100`, { caller })).json()) as { id: string; texto: string }[]
    expect((await list('ana')).find((one) => one.id === id)?.texto).toBe('dos')
    expect((await list('luis')).find((one) => one.id === id)?.texto).toBe('uno')
    await over.ask('DELETE', `/${id}`)
    expect(await over.textOf(`/${id}`)).toBe(404)
    expect((await list('ana')).find((one) => one.id === id)).toBeUndefined()
  })

  it('reads from the replica again once that has the write', async () => {
    await using over = await service(true)
    const { id } = await stored(over)
    await over.ask('PUT', `/${id}`, nota(id, 'dos'))
    await caughtUp()
    await behind()
    // Another client writes: only the replica still has "dos".
    await over.ask('PUT', `/${id}`, { ...nota(id, 'tres'), caller: 'luis' })
    expect(await over.textOf(`/${id}`)).toBe('dos')
  })

  it('HDR-4: asks the primary for conditional requests and misses, whoever sends them', async () => {
    await using over = await service(true)
    const { id, tag } = await stored(over)
    await behind()
    const put = await over.ask('PUT', `/${id}`, nota(id, 'dos'))
    const now = put.headers.get('etag') as string
    const status = async (method: string, headers: Record<string, string>) =>
      (await over.ask(method, `/${id}`, { caller: 'luis', ...headers })).status
    expect(await status('GET', { 'If-None-Match': tag })).toBe(200)
    expect(await status('GET', { 'If-None-Match': now })).toBe(304)
    expect(await status('GET', { 'If-Match': now })).toBe(200)
    expect(await status('GET', { 'If-Match': tag })).toBe(412)
    await over.ask('POST', '', nota(`${id}-b`, 'nueva'))
    for (const method of ['GET', 'HEAD']) {
      expect((await over.ask(method, `/${id}-b`, { caller: 'luis' })).status).not.toBe(404)
    }
  })

  it('gives one version one tag on both servers', async () => {
    await using over = await service(true)
    const { id, tag } = await stored(over)
    const [fromReplica, fromPrimary] = [
      await over.ask('GET', `/${id}`, { caller: 'luis' }),
      await over.ask('GET', `/${id}`, { 'If-Match': tag }),
    ]
    expect([fromReplica.headers.get('etag'), fromPrimary.headers.get('etag')]).toEqual([tag, tag])
  })

  it('shares positions between processes by a store, and reads the primary where the store fails', async () => {
    const known = new Map<string, string>()
    const positions = {
      get: (client: string) => known.get(client),
      raise: (client: string, position: string) => void known.set(client, position),
    }
    await using one = await service({ positions })
    await using other = await service({ positions })
    await using broken = await service({
      positions: { get: () => Promise.reject(new Error('gone')), raise: () => Promise.reject(new Error('gone')) },
    })
    const { id } = await stored(one)
    await behind()
    expect((await one.ask('PUT', `/${id}`, nota(id, 'dos'))).status).toBe(200)
    expect([...known.values()].every((position) => /^[0-9A-F]+\/[0-9A-F]+$/.test(position))).toBe(true)
    expect(await other.textOf(`/${id}`)).toBe('dos')
    expect(await broken.textOf(`/${id}`, { caller: 'luis' })).toBe('dos')
  })

  it('has weaker modes', async () => {
    await using loose = await service({ ownWrites: false })
    await using unverified = await service({ verified: false })
    const { id, tag } = await stored(unverified)
    await behind()
    await loose.ask('PUT', `/${id}`, nota(id, 'dos'))
    expect(await loose.textOf(`/${id}`)).toBe('uno')
    const { status } = await unverified.ask('GET', `/${id}`, { caller: 'luis', 'If-None-Match': tag })
    expect(status).toBe(304)
    await loose.ask('POST', '', nota(`${id}-c`, 'nueva'))
    expect((await unverified.ask('GET', `/${id}-c`, { caller: 'luis' })).status).toBe(404)
    expect((await loose.ask('GET', `/${id}-c`)).status).toBe(200)
  })

  it('reads the primary after a transaction of the caller, whose end is not known', async () => {
    const adapter = postgresAdapter({ read, write }, { resource: notas, ...table, replica: true })
    const call = {
      principal: undefined,
      scope: {},
      requestId: 't',
      signal: new AbortController().signal,
      caller: 'ana',
    }
    await behind()
    const client = await write.connect()
    await client.query('BEGIN')
    await adapter.within({ read, write: client }).create({ id: `t${++last}`, texto: 'uno' }, call)
    await client.query('COMMIT')
    client.release()
    const { items } = await adapter.list(
      { where: [], sort: [{ field: 'id', path: ['id'], descending: false }], page: 1, size: 100, offset: 0 },
      call,
    )
    expect(items.map(({ value }) => value.id)).toContain(`t${last}`)
  })
})
