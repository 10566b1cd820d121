import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { AdapterCall } from '../../../src/adapters/contract.js'
import { postgresAdapter, tableDdl } from '../../../src/adapters/postgres/index.js'
import { defineResource } from '../../../src/index.js'
import { freshSchema, type Place } from '../../servers/databases.js'
import { startProxy, type TcpProxy } from '../../servers/proxy.js'

const pieces = defineResource({
  collection: 'piezas',
  key: 'numero',
  schema: { type: 'object', required: ['numero'], properties: { numero: { type: 'integer' } } },
})
const options = { resource: pieces, table: 'piezas', version: { column: 'version' } } as const
const call: AdapterCall = { principal: undefined, scope: {}, requestId: 'r', signal: new AbortController().signal }

let place: Place
let proxy: TcpProxy
let pool: pg.Pool

beforeAll(async () => {
  place = await freshSchema()
  const { hostname: host, port } = new URL(place.url)
  proxy = await startProxy({ host, port: Number(port || 5432) })
  pool = new pg.Pool({ connectionString: proxy.through(place.url) })
  await place.sql(`${tableDdl(pieces, options)}; INSERT INTO piezas VALUES (1)`)
})

afterAll(async () => {
  await pool.end()
  await proxy.close()
  await place.drop()
})

describe('the loss of a pooled connection', () => {
  // If the adapter did not handle the `error` event of a lost connection, the event would end the
  // process, and the test run would fail.
  it('causes a second attempt of a read, and does not end the process', async () => {
    const adapter = postgresAdapter(pool, { ...options, onWarning: () => {} })
    await adapter.ready()
    const lost = proxy.loseReply('FROM')
    expect((await adapter.read([1], call))[0]?.value).toEqual({ numero: 1 })
    await lost
  })

  it('makes a write throw Unavailable, and leaves exactly one error listener on the next connection', async () => {
    const adapter = postgresAdapter(pool, { ...options, onWarning: () => {} })
    const [found] = await adapter.read([1], call)
    const lost = proxy.loseReply('UPDATE')
    await expect(adapter.replace(1, { numero: 1 }, found?.version, call)).rejects.toMatchObject({ code: 'unavailable' })
    await lost
    for (let i = 0; i < 3; i++) await adapter.read([1], call)
    const client = await pool.connect()
    // The adapter adds exactly one listener to each connection.
    expect(client.listenerCount('error')).toBe(1)
    client.release()
  })

  it('does not end the process if onWarning throws', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const own = new pg.Pool({ connectionString: proxy.through(place.url) })
    onTestFinished(async () => {
      logged.mockRestore()
      await own.end()
    })
    const onWarning = (message: string) => {
      throw new Error(message)
    }
    const adapter = postgresAdapter(own, { ...options, onWarning })
    await adapter.read([1], call)
    // The connections are idle, so the errors reach the pool.
    proxy.cut('reset')
    await vi.waitFor(() => expect(logged).toHaveBeenCalled())
    await proxy.accept()
    expect((await adapter.read([1], call))[0]?.value).toEqual({ numero: 1 })
  })
})
