/** Tests what docs/testing-a-service.md says about fake clocks. */
import { once } from 'node:events'
import express from 'express'
import request from 'supertest'
import { afterEach, expect, it, vi } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, mount, problems } from '../../src/index.js'

const notes = defineResource({
  collection: 'notes',
  key: 'id',
  assigned: true,
  schema: { type: 'object', properties: { id: { type: 'integer' }, text: { type: 'string' } } },
})

const stops: (() => void)[] = []
afterEach(() => {
  vi.useRealTimers()
  for (const stop of stops.splice(0)) stop()
})

async function start() {
  const sunset = new Date('2026-12-01T00:00:00Z')
  const app = express().use(
    api({
      versions: {
        v2: [mount(notes, memoryAdapter(notes, { idempotency: { ttl: 60 } }))],
        v1: {
          resources: [mount(notes, memoryAdapter(notes))],
          deprecated: new Date('2026-11-01T00:00:00Z'),
          sunset,
          retireAtSunset: true,
        },
      },
    }),
    problems(),
  )
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => server.close())
  return request(server)
}

it('VER-3: a version retires when the clock of Date reaches the sunset of the version', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-30T23:59:59Z') })
  const call = await start()
  expect((await call.get('/v1/notes').expect(200)).headers.deprecation).toBe('@1793491200')
  vi.setSystemTime('2026-12-01T00:00:01Z')
  await call.get('/v1/notes').expect(410)
})

it('VERB-12: the memory adapter forgets an idempotency key after its ttl, measured by performance.now()', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  const call = await start()
  const post = async () => {
    const { headers } = await call.post('/v2/notes').set('Idempotency-Key', '"a"').send({ text: 'x' }).expect(201)
    return new URL(headers.location as string).pathname
  }
  expect([await post(), await post()]).toEqual(['/v2/notes/1', '/v2/notes/1'])
  vi.advanceTimersByTime(60_001)
  expect(await post()).toBe('/v2/notes/2')
})
