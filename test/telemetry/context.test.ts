/**
 * Tests with an `AsyncLocalStorage` of the app. The adapters, functions and hooks that run for a
 * request find the value of that request, even if requests wait for each other or share work.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import http from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type express from 'express'
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { HashingQueue } from '../../src/auth/login/hashing-queue.js'
import {
  type Adapter,
  type AdapterCall,
  type ApiOptions,
  api,
  defineResource,
  endpoint,
  mount,
  type RequestEvent,
} from '../../src/index.js'
import { rateLimit } from '../../src/middleware/index.js'
import { SerialQueue } from '../../src/serial-queue.js'
import { withTimeout } from '../../src/timeout.js'
import { ndjson } from '../../src/transfer/index.js'
import { frameworks, listen, type Served, withRandomDelays } from '../clauses/fixture.js'

const schema = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string' }, veces: { type: 'integer', default: 0 } },
} as const
type Cosa = { id: string; veces: number }

interface Fixture extends Omit<Served, 'data'> {
  /**
   * `by` is the function that read the `AsyncLocalStorage`, `found` is the value that it read, and
   * `own` is the id of the request for which it ran. The function `rules` gets no request, so it
   * takes this id from the principal.
   */
  readonly seen: { readonly by: string; readonly found: string | undefined; readonly own: string }[]
}

/**
 * Starts a service whose functions, hooks and adapter read the `AsyncLocalStorage`. `x-request-id`
 * identifies the requests.
 */
async function serve(framework: typeof express, options: Partial<ApiOptions> = {}): Promise<Fixture> {
  const store = new AsyncLocalStorage<string>()
  const seen: Fixture['seen'] = []
  const look = (by: string, own: string): void => void seen.push({ by, found: store.getStore(), own })
  const idOf = (req: http.IncomingMessage): string => String(req.headers['x-request-id'])
  const definition = defineResource({
    collection: 'cosas',
    key: 'id',
    schema,
    sort: ['veces'],
    rules: (_next, { principal }) => {
      look('rules', (principal as { jti: string }).jti)
      return []
    },
  })
  const memory = withRandomDelays(
    memoryAdapter(definition, {
      records: Array.from({ length: 30 }, (_, i) => ({ id: `c${i}`, veces: i })),
    }) as Adapter<Cosa, string>,
  )
  const watched = new Proxy(memory, {
    get(target, method, receiver) {
      const found = Reflect.get(target, method, receiver) as unknown
      if (typeof found !== 'function') return found
      return async (...rest: unknown[]) => {
        const { requestId } = rest.at(-1) as AdapterCall
        look(`${String(method)} begins`, requestId)
        try {
          if (Array.isArray(rest[0]) && rest[0][0] === 'hangs') await new Promise(() => {})
          return await (found as (...rest: unknown[]) => unknown).apply(target, rest)
        } finally {
          look(`${String(method)} ends`, requestId)
        }
      }
    },
  })
  const hook = (by: string) => (event: RequestEvent) => look(by, event.requestId)
  const service = api({
    onStep: hook('onStep'),
    onQuery: hook('onQuery'),
    onResponse: hook('onResponse'),
    onError: hook('onError'),
    principal: async (req) => {
      await pause(1)
      look('principal', idOf(req))
      return { sub: 'ana', jti: idOf(req) }
    },
    versions: {
      v1: [
        mount(definition, watched, { exports: { formats: [ndjson()] } }),
        endpoint('search', {
          description: 'Looks for things.',
          methods: {
            GET: {
              handle: async ({ requestId }) => {
                look('endpoint', requestId)
                return {}
              },
            },
          },
        }),
      ],
    },
    ...options,
  })
  const app = framework()
  app.use((req, _res, next) => store.run(idOf(req), next))
  app.use(service)
  return { ...(await listen(app)), seen }
}

const strangers = ({ seen }: Fixture) => seen.filter(({ found, own }) => found !== own)
const lookers = ({ seen }: Fixture) => new Set(seen.map(({ by }) => by))
const id = (n: number) => ({ 'x-request-id': `r${n}` })
const all = <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)))

describe.each(frameworks)('the async context of a request over %s', (_name, framework) => {
  it('is kept when writers of one key wait for each other', async () => {
    const service = await serve(framework)
    const answers = await all(8, (n) => service.send('PATCH', '/v1/cosas/c1', id(n), { veces: n }))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(lookers(service)).toEqual(
      new Set([
        'principal',
        'read begins',
        'read ends',
        'rules',
        'replace begins',
        'replace ends',
        'onStep',
        'onQuery',
        'onResponse',
      ]),
    )
    expect(strangers(service)).toEqual([])
    await service.close()
  })

  it('is kept when requests have the same Idempotency-Key', async () => {
    const service = await serve(framework)
    const answers = await all(6, (n) =>
      service.send('POST', '/v1/cosas', { ...id(n), 'Idempotency-Key': 'k1' }, { id: 'nueva' }),
    )
    expect(answers.some(({ status }) => status === 201)).toBe(true)
    expect(lookers(service)).toContain('create ends')
    expect(strangers(service)).toEqual([])
    await service.close()
  })

  it('is kept when several requests have the same query', async () => {
    const service = await serve(framework)
    await all(12, (n) => service.send('GET', '/v1/cosas?sort=-veces&limit=2', id(n)))
    expect(lookers(service)).toContain('list ends')
    expect(strangers(service)).toEqual([])
    await service.close()
  })

  it('is kept when too many requests run at once, and when a request times out', async () => {
    const service = await serve(framework, { maxConcurrent: 1, timeout: 150 })
    const answers = await all(5, (n) => service.send('GET', n === 0 ? '/v1/cosas/hangs' : '/v1/cosas/c1', id(n)))
    expect(answers.map(({ status }) => status)).toContain(503)
    expect(lookers(service)).toContain('onError')
    expect(strangers(service)).toEqual([])
    await service.close()
  })

  it('is kept while a body arrives in pieces', async () => {
    const service = await serve(framework)
    const post = (n: number) =>
      new Promise<number>((resolve, reject) => {
        const headers = { ...id(n), 'content-type': 'application/json' }
        const req = http.request({ port: service.port, method: 'POST', path: '/v1/cosas', headers }, (res) => {
          res.resume().on('end', () => resolve(res.statusCode ?? 0))
        })
        req.on('error', reject)
        req.write(`{"id":"n${n}",`)
        setTimeout(() => req.end('"veces":1}'), 20)
      })
    expect(await all(5, post)).toEqual(Array(5).fill(201))
    expect(lookers(service)).toContain('create begins')
    expect(strangers(service)).toEqual([])
    await service.close()
  })

  it('is kept in exports and in endpoints', async () => {
    const service = await serve(framework)
    const answers = await all(4, (n) => service.send('GET', '/v1/cosas', { ...id(n), accept: 'application/x-ndjson' }))
    expect(answers.map(({ text }) => text.trim().split('\n').length)).toEqual(Array(4).fill(30))
    await all(3, (n) => service.send('GET', '/v1/search', id(n)))
    expect(lookers(service)).toContain('endpoint')
    expect(service.seen.filter(({ by }) => by === 'list begins').length).toBeGreaterThanOrEqual(4)
    expect(strangers(service)).toEqual([])
    await service.close()
  })

  it('is kept when requests wait for the store of a rate limit', async () => {
    let hits = 0
    const store = {
      increment: async () => {
        await pause(2)
        hits += 1
        return { totalHits: hits, resetTime: new Date(Date.now() + 60_000) }
      },
      decrement: () => {},
      resetKey: () => {},
    }
    const service = await serve(framework, { rateLimit: rateLimit({ limit: 3, store: () => ({ ...store }) }) })
    const answers = await all(6, (n) => service.send('GET', '/v1/cosas/c1', id(n)))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3)
    expect(strangers(service)).toEqual([])
    await service.close()
  })
})

describe('the async context of a login', () => {
  it('is kept when logins wait in the queue for password hashes', async () => {
    const store = new AsyncLocalStorage<number>()
    const queue = new HashingQueue(1)
    const look = async () => {
      await pause(1)
      return store.getStore()
    }
    const found = await all(5, (n) =>
      store.run(n, async () => {
        const inWork = await queue.run(1, look)
        return [inWork, store.getStore()]
      }),
    )
    expect(found).toEqual([0, 1, 2, 3, 4].map((n) => [n, n]))
  })
})

describe('the async context in a serial queue', () => {
  it('is kept in each task, and in the caller that waits for the task', async () => {
    const store = new AsyncLocalStorage<number>()
    const queue = new SerialQueue<string>()
    const found = await all(5, (n) =>
      store.run(n, async () => {
        const inWork = await queue.run(
          'one',
          (before) => withTimeout(before, 1_000, () => new Error('late')),
          async () => {
            await pause(1)
            return store.getStore()
          },
        )
        return [inWork, store.getStore()]
      }),
    )
    expect(found).toEqual([0, 1, 2, 3, 4].map((n) => [n, n]))
  })
})
