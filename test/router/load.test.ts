/**
 * Tests of `maxConcurrent` (ERR-1): requests above the maximum are refused early, and running
 * requests are completed.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { type Adapter, api, defineResource, endpoint, mount, resourceRouter } from '../../src/index.js'
import { type Answer, frameworks, listen } from '../clauses/fixture.js'

const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
})

/** An adapter whose reads wait until the test releases them. */
function gated() {
  const waiting: (() => void)[] = []
  const wait = () => new Promise<void>((resolve) => waiting.push(resolve))
  const adapter: Adapter<{ id: string }, string> = {
    list: async () => ({ items: [] }),
    async read(keys) {
      await wait()
      return keys.map((id) => ({ value: { id }, version: '1' }))
    },
    create: (value) => ({ created: { value, version: '1' } }),
  }
  return { adapter, waiting, open: () => waiting.splice(0).forEach((go) => void go()) }
}

const until = (what: () => unknown) => expect.poll(what, { interval: 5, timeout: 10_000 })

describe.each(frameworks)('maxConcurrent with %s', (_name, express) => {
  it('refuses requests above the maximum with 503 and Retry-After until running requests have ended', async () => {
    const { adapter, waiting, open } = gated()
    let identified = 0
    const service = await listen(
      express().use(
        api({
          maxConcurrent: 3,
          onError: () => {},
          principal: () => {
            identified += 1
            return 'ana'
          },
          versions: { v1: [mount(notas, adapter)], v0: 'retired' },
        }) as never,
      ),
    )
    const begun = ['a', 'b', 'c'].map((id) => service.send('GET', `/v1/notas/${id}`))
    await until(() => waiting.length).toBe(3)
    const refused: Answer[] = []
    for (const [method, path] of [
      ['GET', '/v1/notas/d'],
      ['POST', '/v1/notas'],
      ['GET', '/v1/notas'],
    ] as const)
      refused.push(await service.send(method, path, {}, method === 'POST' ? { id: 'd' } : undefined))
    for (const { status, headers, json } of refused) {
      expect([status, headers['retry-after'], headers['content-type'], json.code]).toEqual([
        503,
        '1',
        'application/problem+json',
        'unavailable',
      ])
      expect(json.detail).toMatch(/Nothing was changed/)
    }
    // A refused request is not authenticated. A retired version still responds with 410.
    expect(identified).toBe(3)
    expect((await service.send('GET', '/v0/notas')).status).toBe(410)
    open()
    expect((await Promise.all(begun)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await service.send('GET', '/v1/notas')).status).toBe(200)
    await service.close()
  })

  it('does not wait for the body of a request that it refuses', async () => {
    const { adapter, waiting, open } = gated()
    const service = await listen(
      express().use('/v1', resourceRouter(notas, adapter, { maxConcurrent: 1, onError: () => {} }) as never),
    )
    const begun = service.send('GET', '/v1/notas/a')
    await until(() => waiting.length).toBe(1)
    const socket = connect(service.port, '127.0.0.1')
    socket.write(
      'POST /v1/notas HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    )
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 503 /)
    socket.destroy()
    open()
    expect((await begun).status).toBe(200)
    await service.close()
  })

  it('releases the slot of a request exactly once, however the request ends', async () => {
    const { adapter, waiting, open } = gated()
    const ends = endpoint('ends', {
      description: 'Ends in many ways.',
      methods: {
        GET: {
          query: { properties: { how: { type: 'string' } } },
          handle: ({ query }) => {
            if (query.how === 'throws') throw new Error('broken')
            return query.how === 'never' ? new Promise(() => {}) : { how: query.how ?? null }
          },
        },
      },
    })
    const service = await listen(
      express().use(
        api({
          maxConcurrent: 2,
          timeout: 60,
          onError: () => {},
          versions: { v1: [mount(notas, adapter), ends] },
        }) as never,
      ),
    )
    for (let round = 0; round < 5; round++) {
      const statuses = []
      for (const path of [
        '/v1/ends',
        '/v1/ends?how=throws',
        '/v1/ends?how=never',
        '/v1/notas/slow',
        '/v1/notas',
        '/v1/missing',
      ])
        statuses.push((await service.send('GET', path)).status)
      expect(statuses).toEqual([200, 500, 503, 503, 200, 404])
      const socket = connect(service.port, '127.0.0.1')
      socket.write('GET /v1/notas/left HTTP/1.1\r\nHost: x\r\n\r\n')
      const before = waiting.length
      await until(() => waiting.length).toBeGreaterThan(before)
      socket.destroy()
      open()
    }
    // Both slots are free again.
    const both = ['a', 'b'].map((id) => service.send('GET', `/v1/notas/${id}`))
    await until(() => waiting.length).toBe(2)
    open()
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200])
    await service.close()
  })
})
