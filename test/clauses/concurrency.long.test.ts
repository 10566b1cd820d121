import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { type Adapter, api, mount } from '../../src/index.js'
import { bolsas, clientes, contratos, frameworks, listen, type Served, serve, withRandomDelays } from './fixture.js'

const statuses = (answers: readonly { status: number }[]): Record<number, number> => {
  const counted: Record<number, number> = {}
  for (const { status } of answers) counted[status] = (counted[status] ?? 0) + 1
  return counted
}
const times = <T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)))

/**
 * The store and the queue of updates do not depend on the Express version, so only Express 5 gets
 * the full load.
 */
const load = { 'Express 5': 1_000, 'Express 4': 100 }

describe.each(frameworks)('HDR-3: concurrent requests on %s', (name, express) => {
  const count = load[name as keyof typeof load]
  const bags = async (slow: boolean): Promise<Omit<Served, 'data'>> => {
    const store = memoryAdapter(bolsas, { records: [{ id: 1 }] })
    return listen(express().use(api({ versions: { v1: [mount(bolsas, slow ? withRandomDelays(store, 1) : store)] } })))
  }

  describe.each([
    ['a store that responds at once', false],
    ['a store that responds after random delays', true],
  ])('with %s', (_store, slow) => {
    it(`exactly one of ${count} PATCHes with the same entity tag gets 200, and the others get 412`, async () => {
      const { send, close } = await bags(slow)
      const { headers } = await send('GET', '/v1/bolsas/1')
      const answers = await times(count, (i) =>
        send('PATCH', '/v1/bolsas/1', { 'If-Match': headers.etag as string }, { winner: i }),
      )
      expect(statuses(answers)).toEqual({ 200: 1, 412: count - 1 })
      const winner = answers.findIndex(({ status }) => status === 200)
      expect((await send('GET', '/v1/bolsas/1')).json).toEqual({ id: 1, winner })
      await close()
    })

    it(`${count} PATCHes without an entity tag, each of a different member, all take effect`, async () => {
      const { send, close } = await bags(slow)
      expect(
        statuses(
          await times(count, (i) => send('PATCH', '/v1/bolsas/1', { Prefer: 'return=minimal' }, { [`m${i}`]: i })),
        ),
      ).toEqual({
        200: count,
      })
      const { json } = await send('GET', '/v1/bolsas/1')
      expect(json).toEqual({ id: 1, ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, i])) })
      await close()
    })
  })

  it('PATCHes without an entity tag succeed despite conflicting writes of another service', async () => {
    const store = memoryAdapter(bolsas, { records: [{ id: 1 }] })
    const served = [withRandomDelays(store, 2), withRandomDelays(store, 2)].map((adapter) =>
      listen(express().use(api({ versions: { v1: [mount(bolsas, adapter)] } }))),
    )
    const [a, b] = (await Promise.all(served)) as [Served, Served]
    const answers = await times(60, (i) => (i % 2 === 0 ? a : b).send('PATCH', '/v1/bolsas/1', {}, { [`m${i}`]: i }))
    expect(statuses(answers)).toEqual({ 200: 60 })
    expect(Object.keys((await a.send('GET', '/v1/bolsas/1')).json)).toHaveLength(61)
    await Promise.all([a.close(), b.close()])
  })

  it('exactly one of several PUTs and DELETEs with the same entity tag succeeds', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { send, close } = await bags(true)
      const headers = { 'If-Match': (await send('GET', '/v1/bolsas/1')).headers.etag as string }
      const answers = await times(20, (i) =>
        i % 2 === 0 ? send('PUT', '/v1/bolsas/1', headers, { i }) : send('DELETE', '/v1/bolsas/1', headers),
      )
      const won = answers.filter(({ status }) => status < 300)
      expect(won).toHaveLength(1)
      const deleted = won[0]?.status === 204
      expect((await send('GET', '/v1/bolsas/1')).status).toBe(deleted ? 404 : 200)
      expect(answers.every(({ status }) => [200, 204, 404, 412].includes(status))).toBe(true)
      await close()
    }
  })

  it('exactly one of several DELETEs without an entity tag gets 204, and no PUT brings the record back', async () => {
    const { send, close } = await bags(true)
    const answers = await times(40, (i) =>
      i < 20 ? send('DELETE', '/v1/bolsas/1') : send('PUT', '/v1/bolsas/1', {}, { i }),
    )
    expect(statuses(answers.slice(0, 20))).toEqual({ 204: 1, 404: 19 })
    expect((await send('GET', '/v1/bolsas/1')).status).toBe(404)
    await close()
  })

  it('exactly one of several POSTs of records with the same key gets 201, and the others get 422', async () => {
    const { send, close } = await bags(true)
    expect(statuses(await times(50, (i) => send('POST', '/v1/bolsas', {}, { id: 7, i })))).toEqual({ 201: 1, 422: 49 })
    await close()
  })

  it('if a record is attached and removed concurrently, no parent lists the removed record', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { send, close } = await serve(express)
      const [attached, removed] = await Promise.all([
        send('PUT', '/v8/clientes/1/contratos/C2'),
        send('DELETE', '/v8/contratos/C2'),
      ])
      expect([204, 404]).toContain(attached?.status)
      expect(removed?.status).toBe(204)
      expect(
        (await send('GET', '/v8/clientes/1/contratos')).json.map((item: { codigo: string }) => item.codigo),
      ).toEqual(['C1'])
      await close()
    }
  })

  it('concurrent changes of a flag do not undo the PATCHes of another member', async () => {
    const data = [
      mount(clientes, memoryAdapter(clientes)),
      mount(
        contratos,
        withRandomDelays(memoryAdapter(contratos, { records: [{ codigo: 'C1', descripcion: 'uno' }] }), 5),
      ),
    ]
    const { send, close } = await listen(express().use(api({ versions: { v8: data } })))
    for (let round = 0; round < 20; round += 1) {
      const descripcion = `d${round}`
      const answers = await times(7, (i) =>
        i === 3
          ? send('PATCH', '/v8/contratos/C1', {}, { descripcion })
          : send(i % 2 === 0 ? 'PUT' : 'DELETE', '/v8/contratos/C1/activo'),
      )
      expect(statuses(answers)).toEqual({ 200: 1, 204: 6 })
      expect((await send('GET', '/v8/contratos/C1')).json.descripcion).toBe(descripcion)
    }
    await close()
  })

  it('a waiting update does not block other records, and a failed update does not block the next update', async () => {
    let open = (): void => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const store = memoryAdapter(clientes, {
      records: [
        { id: 1, nombre: 'a' },
        { id: 2, nombre: 'b' },
      ],
    })
    let arrive = (): void => {}
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    let first = true
    const adapter: Adapter<{ id: number; nombre: string }, number> = {
      list: (request, call) => store.list(request, call),
      read: (keys, call) => store.read(keys, call),
      replace: async (key, value, expected, call) => {
        if (key === 1 && first) {
          first = false
          arrive()
          await gate
          throw new Error('lost')
        }
        return store.replace(key, value, expected, call)
      },
    }
    const { send, close } = await listen(
      express().use(api({ onError: () => {}, versions: { v1: [mount(clientes, adapter)] } })),
    )
    const failing = send('PATCH', '/v1/clientes/1', {}, { nombre: 'x' })
    await arrived
    const waiting = send('PATCH', '/v1/clientes/1', {}, { nombre: 'y' })
    expect((await send('PATCH', '/v1/clientes/2', {}, { nombre: 'z' })).status).toBe(200)
    open()
    expect([(await failing).status, (await waiting).status]).toEqual([500, 200])
    await close()
  })
})
