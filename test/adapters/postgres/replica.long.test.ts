/** Reads from a real streaming replica that lags behind its primary. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { postgresAdapter, type ReplicaOptions, tableDdl } from '../../../src/adapters/postgres/index.js'
import { defineResource, mount } from '../../../src/index.js'
import { type ReplicaPair, replicaPair, serving } from './replica-pair.js'

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

let pair: ReplicaPair
beforeAll(async () => {
  pair = await replicaPair(tableDdl(notas, table))
})
afterAll(() => pair?.remove())
afterEach(() => pair.catchUp())

/**
 * Starts a service. `ask` sends a request to it. `textOf` reads a record, and resolves with its
 * text, or with the status if the status is not 200.
 */
async function service(option?: boolean | ReplicaOptions) {
  const { read, write } = pair
  const adapter = postgresAdapter({ read, write }, { ...table, ...(option === undefined ? {} : { replica: option }) })
  const over = await serving([mount(notas, adapter)])
  const ask = (method: string, path: string, options?: Record<string, string>) =>
    over.ask(method, `notas${path}`, options)
  const textOf = async (path: string, options?: Record<string, string>) => {
    const found = await over.json(`notas${path}`, options)
    return typeof found === 'number' ? found : (found as { texto: string }).texto
  }
  return { ask, textOf, [Symbol.asyncDispose]: () => over[Symbol.asyncDispose]() }
}

let last = 0
const nota = (id: string, texto: string) => ({ body: JSON.stringify({ id, texto }) })

/** Creates a record, and waits until both servers have it. */
async function stored({ ask }: Awaited<ReturnType<typeof service>>): Promise<{ id: string; tag: string }> {
  const id = `n${++last}`
  const { status, headers } = await ask('POST', '', { ...nota(id, 'uno'), caller: 'otra' })
  expect(status).toBe(201)
  await pair.catchUp()
  return { id, tag: headers.get('etag') as string }
}

describe('an adapter over { read, write }', () => {
  it('without the option "replica", reads from the primary', async () => {
    await using over = await service()
    const { id } = await stored(over)
    await pair.hold()
    await over.ask('PUT', `/${id}`, nota(id, 'dos'))
    expect(await over.textOf(`/${id}`, { caller: 'luis' })).toBe('dos')
  })

  it('with the option "replica", reads from the replica, and each caller sees its own writes', async () => {
    await using over = await service(true)
    const { id } = await stored(over)
    await pair.hold()
    const put = await over.ask('PUT', `/${id}`, nota(id, 'dos'))
    expect(put.status).toBe(200)
    expect(await over.textOf(`/${id}`)).toBe('dos')
    // Other callers can still see the old state.
    expect(await over.textOf(`/${id}`, { caller: 'luis' })).toBe('uno')
    const list = async (caller: string) =>
      (await (await over.ask('GET', `?limit=100`, { caller })).json()) as { id: string; texto: string }[]
    expect((await list('ana')).find((one) => one.id === id)?.texto).toBe('dos')
    expect((await list('luis')).find((one) => one.id === id)?.texto).toBe('uno')
    await over.ask('DELETE', `/${id}`)
    expect(await over.textOf(`/${id}`)).toBe(404)
    expect((await list('ana')).find((one) => one.id === id)).toBeUndefined()
  })

  it('reads from the replica again after it has replayed the write', async () => {
    await using over = await service(true)
    const { id } = await stored(over)
    await over.ask('PUT', `/${id}`, nota(id, 'dos'))
    await pair.catchUp()
    await pair.hold()
    // Another caller changes the record on the primary. Only the replica still has "dos".
    await over.ask('PUT', `/${id}`, { ...nota(id, 'tres'), caller: 'luis' })
    expect(await over.textOf(`/${id}`)).toBe('dos')
  })

  it('HDR-4: for every caller, reads the primary for conditional requests and records not on the replica', async () => {
    await using over = await service(true)
    const { id, tag } = await stored(over)
    await pair.hold()
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

  it('gives a version the same entity tag on the primary and the replica', async () => {
    await using over = await service(true)
    const { id, tag } = await stored(over)
    const [fromReplica, fromPrimary] = [
      await over.ask('GET', `/${id}`, { caller: 'luis' }),
      await over.ask('GET', `/${id}`, { 'If-Match': tag }),
    ]
    expect([fromReplica.headers.get('etag'), fromPrimary.headers.get('etag')]).toEqual([tag, tag])
  })

  it('shares positions between processes through a store, and reads the primary if the store fails', async () => {
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
    await pair.hold()
    expect((await one.ask('PUT', `/${id}`, nota(id, 'dos'))).status).toBe(200)
    expect([...known.values()].every((position) => /^[0-9A-F]+\/[0-9A-F]+$/.test(position))).toBe(true)
    expect(await other.textOf(`/${id}`)).toBe('dos')
    expect(await broken.textOf(`/${id}`, { caller: 'luis' })).toBe('dos')
  })

  it('can hide own writes if "ownWrites" is false, and send a stale 304 or 404 if "verified" is false', async () => {
    await using loose = await service({ ownWrites: false })
    await using unverified = await service({ verified: false })
    const { id, tag } = await stored(unverified)
    await pair.hold()
    await loose.ask('PUT', `/${id}`, nota(id, 'dos'))
    expect(await loose.textOf(`/${id}`)).toBe('uno')
    const { status } = await unverified.ask('GET', `/${id}`, { caller: 'luis', 'If-None-Match': tag })
    expect(status).toBe(304)
    await loose.ask('POST', '', nota(`${id}-c`, 'nueva'))
    expect((await unverified.ask('GET', `/${id}-c`, { caller: 'luis' })).status).toBe(404)
    expect((await loose.ask('GET', `/${id}-c`)).status).toBe(200)
  })

  it('reads the primary after a transaction of the caller, because the outcome of the transaction is unknown', async () => {
    const { read, write } = pair
    const adapter = postgresAdapter({ read, write }, { resource: notas, ...table, replica: true })
    const call = {
      principal: undefined,
      scope: {},
      requestId: 't',
      signal: new AbortController().signal,
      caller: 'ana',
    }
    await pair.hold()
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
