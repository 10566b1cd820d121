/**
 * The channels of `diagnostics_channel`: what the library publishes, when, and in which async
 * context.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { channel, tracingChannel } from 'node:diagnostics_channel'
import http from 'node:http'
import express from 'express'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import {
  type Adapter,
  api,
  type CacheMessage,
  type CallMessage,
  defineResource,
  mount,
  type RequestMessage,
  type StepMessage,
} from '../../src/index.js'
import { rateLimit } from '../../src/middleware/index.js'
import { clientes, listen, serve } from '../clauses/fixture.js'
import { itWithCaches } from '../with-caches.js'

type Event<M> = readonly [event: string, message: M]
const undo: (() => void)[] = []
afterEach(() => {
  for (const one of undo.splice(0)) one()
})

/** Subscribes to a tracing channel. Returns a list to which its events are added in order. */
function eventsOf<M extends object>(name: string): Event<M>[] {
  const events: Event<M>[] = []
  const traced = tracingChannel<unknown, M>(`express-rest-conventions:${name}`)
  const record = (event: string) => (message: unknown) => void events.push([event, message as M])
  const subscribers = {
    start: record('start'),
    end: record('end'),
    asyncStart: record('asyncStart'),
    asyncEnd: record('asyncEnd'),
    error: record('error'),
  }
  traced.subscribe(subscribers)
  undo.push(() => traced.unsubscribe(subscribers))
  return events
}

/** Binds an `AsyncLocalStorage` to the start of each operation of a channel. */
function bind<M extends object>(name: string, store: AsyncLocalStorage<string>, textOf: (message: M) => string): void {
  const { start } = tracingChannel<string, M>(`express-rest-conventions:${name}`)
  start.bindStore(store, (message) => textOf(message as M))
  undo.push(() => start.unbindStore(store))
}

const ended = <M>(events: readonly Event<M>[]): M[] =>
  events.flatMap(([event, message]) => (event === 'asyncEnd' ? [message] : []))

describe('the channel "request"', () => {
  it('has one message for each request, and publishes it at the start and at the end', async () => {
    const events = eventsOf<RequestMessage>('request')
    const { send, close } = await serve(express)
    await send('GET', '/v8/piezas/1?expand=nota', { 'x-request-id': 'r1' })
    expect(events.map(([event]) => event)).toEqual(['start', 'end', 'asyncStart', 'asyncEnd'])
    expect(new Set(events.map(([, message]) => message)).size).toBe(1)
    const [message] = ended(events)
    expect(message).toMatchObject({
      status: 200,
      code: undefined,
      failed: false,
      queries: 3,
      rows: 3,
      waited: 0,
      requestId: 'r1',
    })
    expect([
      message?.method,
      message?.version,
      message?.route,
      message?.httpRoute,
      message?.collection,
      message?.operation,
    ]).toEqual(['GET', 'v8', '/piezas/{numero}', '/v8/piezas/{numero}', 'piezas', 'read'])
    expect(message?.duration).toBeGreaterThan(0)
    expect(message?.req?.url).toBe('/v8/piezas/1?expand=nota')
    await close()
  })

  it('reports the clause of a problem, and the original error', async () => {
    const events = eventsOf<RequestMessage>('request')
    const { send, close } = await serve(express)
    await send('GET', '/v8/averias/secret')
    await send('GET', '/v8/piezas?unknown=1')
    expect(events.filter(([event]) => event === 'error')).toHaveLength(2)
    expect(ended(events).map(({ status, code, clause, failed }) => [status, code, clause, failed])).toEqual([
      [500, 'internal', 'ERR-1', true],
      [400, 'invalid-query', 'QUERY-8', true],
    ])
    expect(ended(events)[0]?.error).toEqual(new Error('password=hunter2 at db.internal'))
    await close()
  })

  it('reports a digest of the principal, which is the same for all requests of one caller', async () => {
    const events = eventsOf<RequestMessage>('request')
    const { send, close } = await serve(express, { principal: (req) => ({ sub: req.headers['x-user'] }) })
    for (const user of ['ana', 'eva', 'ana']) await send('GET', '/v8/piezas/1', { 'x-user': user })
    const [ana, eva, again] = ended(events).map(({ principalHash }) => principalHash)
    expect(ana).toMatch(/^[\w-]{16}$/)
    expect(again).toBe(ana)
    expect(eva).not.toBe(ana)
    await close()
  })

  it('reports whether the version is deprecated', async () => {
    const events = eventsOf<RequestMessage>('request')
    const resources = [mount(clientes, memoryAdapter(clientes))]
    const versions = {
      v3: resources,
      v2: { resources, deprecated: new Date(Date.now() + 60_000) },
      v1: { resources, deprecated: '2020-01-01' },
      v0: 'retired',
    } as const
    const { send, close } = await listen(express().use(api({ versions })))
    for (const version of Object.keys(versions)) await send('GET', `/${version}/clientes`)
    expect(ended(events).map(({ status, deprecated }) => [status, deprecated])).toEqual([
      [200, false],
      [200, false],
      [200, true],
      [410, false],
    ])
    await close()
  })

  it('publishes the end once, without a status, if the client disconnects before a response', async () => {
    const events = eventsOf<RequestMessage>('request')
    const { port, close, data } = await serve(express)
    const req = http.request({ port, path: '/v8/averias/hang-1' }).on('error', () => {})
    req.end()
    await vi.waitFor(() => expect(data.seen.signals.has('hang-1')).toBe(true))
    req.destroy()
    await vi.waitFor(() => expect(ended(events).map(({ status }) => status)).toEqual([undefined]))
    await close()
    expect(ended(events)).toHaveLength(1)
  })

  it('has messages for hand-written routes too', async () => {
    const events = eventsOf<RequestMessage>('request')
    const { send, close } = await serve(express)
    await send('GET', '/v8/a-mano')
    await send('GET', '/v8/roto')
    await vi.waitFor(() => expect(ended(events).map(({ status }) => status)).toEqual([200, 403]))
    await close()
  })

  it('reports how long a write waited for other writers of the same key', async () => {
    const events = eventsOf<RequestMessage>('request')
    const { send, close } = await serve(express)
    const patch = () => send('PATCH', '/v8/bolsas/1', {}, { x: 1 })
    await Promise.all([patch(), patch(), patch()])
    const waits = ended(events)
      .map(({ waited }) => waited)
      .sort((a, b) => a - b)
    expect(waits.at(-1)).toBeGreaterThan(0.5)
    await close()
  })
})

describe('the channel "step"', () => {
  it('has one message for each step, in order', async () => {
    const events = eventsOf<StepMessage>('step')
    const { send, close } = await serve(express)
    await send('GET', '/v8/piezas/999')
    expect(ended(events).map(({ step, failed }) => `${step}${failed ? ' failed' : ''}`)).toEqual([
      ...[
        'preflight',
        'version',
        'admit',
        'authenticate',
        'throttle',
        'route',
        'allow',
        'negotiate',
        'parse',
        'precondition',
      ],
      'execute failed',
      'fail',
      'respond',
    ])
    await close()
  })

  it('publishes the whole life cycle of a step: start, end of the call, error, end of the step', async () => {
    const events = eventsOf<StepMessage>('step')
    const { send, close } = await serve(express)
    await send('GET', '/v8/averias/down')
    const execute = events.filter(([, { step }]) => step === 'execute').map(([event]) => event)
    expect(execute).toEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd'])
    await close()
  })
})

describe('the channel "adapter-call"', () => {
  it('has one message for each call, with the number of records that a read or list returned', async () => {
    const events = eventsOf<CallMessage>('adapter-call')
    const { send, close } = await serve(express)
    await send('GET', '/v8/piezas?limit=3&expand=contrato')
    await send('PATCH', '/v8/piezas/1', {}, { lote: 'C' })
    await send('GET', '/v8/averias/secret')
    const calls = ended(events).map(({ collection, call, rows, failed, operation }) => [
      collection,
      call,
      rows,
      failed,
      operation,
    ])
    expect(calls).toEqual([
      ['piezas', 'list', 3, false, 'list'],
      ['contratos', 'read', 2, false, 'list'],
      ['piezas', 'read', 1, false, 'patch'],
      ['piezas', 'replace', undefined, false, 'patch'],
      ['contratos', 'read', 1, false, 'patch'],
      ['averias', 'read', undefined, true, 'read'],
    ])
    await close()
  })

  it('has messages with the method "JOB" for adapter calls through service.records()', async () => {
    const events = eventsOf<CallMessage>('adapter-call')
    const service = api({ versions: { v1: [mount(clientes, memoryAdapter(clientes))] } })
    await service.records(clientes, { principal: 'nightly' }).create({ id: 9, nombre: 'Eva' })
    expect(
      ended(events).map(({ method, call, req, principalHash }) => [method, call, req, typeof principalHash]),
    ).toEqual([['JOB', 'create', undefined, 'string']])
  })
})

describe('the channel "cache"', () => {
  itWithCaches('has one message per cache for all lookups of a page, in the async context of the request', async () => {
    const events: (CacheMessage & { readonly path: string | undefined })[] = []
    const paths = new AsyncLocalStorage<string>()
    bind<RequestMessage>('request', paths, ({ req }) => String(req?.url))
    const listener = (message: unknown) => void events.push({ ...(message as CacheMessage), path: paths.getStore() })
    const looks = channel('express-rest-conventions:cache')
    const { send, close } = await serve(express)
    looks.subscribe(listener)
    undo.push(() => looks.unsubscribe(listener))
    await send('GET', '/v8/contratos?limit=2')
    await send('GET', '/v8/contratos?limit=2')
    const path = '/v8/contratos?limit=2'
    const of = (name: string) => events.filter(({ cache }) => cache === name)
    expect(of('list-queries')).toEqual([
      { cache: 'list-queries', hits: 0, misses: 1, path },
      { cache: 'list-queries', hits: 1, misses: 0, path },
    ])
    // Each request returns two rows, and looks up each of them once.
    expect(of('items').map(({ hits, misses }) => hits + misses)).toEqual([2, 2])
    await close()
  })
})

describe('the channel "store-failure"', () => {
  it('has a message with the error when the store of a rate limit fails', async () => {
    const events: unknown[] = []
    const listener = (message: unknown) => void events.push(message)
    const failures = channel('express-rest-conventions:store-failure')
    failures.subscribe(listener)
    undo.push(() => failures.unsubscribe(listener))
    const cause = new Error('connection refused')
    const store = {
      increment: () => Promise.reject(cause),
      decrement: () => {},
      resetKey: () => {},
    }
    const limit = rateLimit({ limit: 5, store: () => ({ ...store }), onStoreFailure: () => {} })
    const { send, close } = await serve(express, { rateLimit: limit })
    await send('GET', '/v8/contratos/C1')
    expect(events).toEqual([{ state: 'failed', message: expect.any(String), error: cause, duration: undefined }])
    await close()
  })
})

describe('subscribers of the channels', () => {
  const thing = defineResource({
    collection: 'cosas',
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
  })

  it('can bind an AsyncLocalStorage. Its value comes from the innermost request, step or adapter call', async () => {
    const store = new AsyncLocalStorage<string>()
    bind<RequestMessage>('request', store, ({ httpRoute }) => `request ${httpRoute}`)
    bind<StepMessage>('step', store, ({ step }) => `${store.getStore()} > ${step}`)
    bind<CallMessage>('adapter-call', store, ({ call }) => `${store.getStore()} > ${call}`)
    const seen: (string | undefined)[] = []
    const adapter: Adapter<{ id: string }, string> = {
      list: () => ({ items: [] }),
      read: async (keys) => {
        seen.push(store.getStore())
        await new Promise((resolve) => setImmediate(resolve))
        seen.push(store.getStore())
        return keys.map((id) => ({ value: { id }, version: '1' }))
      },
    }
    const service = api({
      versions: { v1: [mount(thing, adapter)] },
      permission: async () => {
        await new Promise((resolve) => setImmediate(resolve))
        seen.push(store.getStore())
        return 'allow' as const
      },
      principal: async () => {
        seen.push(store.getStore())
        return { sub: 'ana' }
      },
    })
    const { send, close } = await listen(express().use(service))
    expect((await send('GET', '/v1/cosas/1')).status).toBe(200)
    const request = 'request /v1/cosas/{id}'
    expect(seen).toEqual([
      `${request} > authenticate`,
      `${request} > allow`,
      `${request} > execute > read`,
      `${request} > execute > read`,
    ])
    await close()
  })

  it('that subscribe during a request get only the messages of later requests', async () => {
    const { send, close, data } = await serve(express)
    const asked = send('GET', '/v8/averias/hang-late')
    await vi.waitFor(() => expect(data.seen.signals.has('hang-late')).toBe(true))
    const events = eventsOf<RequestMessage>('request')
    expect((await asked).status).toBe(503)
    expect(events).toEqual([])
    expect((await send('GET', '/v8/piezas/1')).status).toBe(200)
    expect(ended(events)).toHaveLength(1)
    await close()
  })
})
