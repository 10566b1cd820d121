/**
 * VERB-13: if a change was made, no response says or implies that the change was not made. The
 * tests inject faults into the calls that a request makes.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import {
  type Adapter,
  adapterView,
  api,
  defineResource,
  type ErrorEvent,
  endpoint,
  endpointReply,
  HttpProblem,
  mount,
  representation,
  Unavailable,
} from '../../src/index.js'
import { type Answer, type Express, frameworks, listen, type Served } from './fixture.js'

const text = { type: 'string' } as const

const clientes = defineResource({
  collection: 'clientes',
  key: 'id',
  schema: { type: 'object', required: ['id', 'nombre'], properties: { id: { type: 'integer' }, nombre: text } },
})
const contratos = defineResource({
  collection: 'contratos',
  key: 'codigo',
  schema: {
    type: 'object',
    required: ['codigo', 'n'],
    properties: {
      codigo: text,
      n: { type: 'integer' },
      estaActivo: { type: 'boolean', default: false },
      clienteId: { type: ['integer', 'null'] },
      padreId: { type: ['integer', 'null'] },
    },
  },
  links: { cliente: { to: clientes, by: 'clienteId', show: ['nombre'] } },
  attachedTo: [{ of: clientes, by: 'padreId', as: 'contratos' }],
  flags: { activo: 'estaActivo' },
})

/**
 * The injected fault: its kind, and the call at which it occurs. The calls to adapters (except
 * writes), permissions, encoders and the endpoint are numbered in one sequence, in the order in
 * which the request makes them.
 */
interface Fault {
  readonly at: number
  readonly kind: keyof typeof faults
}

const faults = {
  unavailable: () =>
    Promise.reject(
      new Unavailable({ detail: 'The store did not respond in time. Nothing was changed: try again in a moment.' }),
    ),
  thrown: () => {
    throw new Error('broken')
  },
  rejected: () => Promise.reject(new TypeError('broken')),
  absent: () => Promise.reject(new HttpProblem('absent')),
  stale: () => Promise.reject(new HttpProblem('stale')),
  nothing: () => undefined,
  garbage: () => 17,
  silent: () => new Promise(() => {}),
} as const

const writes = new Set(['create', 'replace', 'remove', 'attach', 'detach'])

const hookFailure = new Error('a hook that fails')

interface World {
  readonly send: Served['send']
  fault: Fault | undefined
  /** What the store reported about the write of this request. */
  wrote: 'nothing' | 'made' | 'refused'
  /** The number of counted calls that the request made. */
  calls: number
  readonly reported: ErrorEvent[]
  state(): Promise<string>
  close(): Promise<void>
}

async function start(express: Express): Promise<World> {
  const clients = memoryAdapter(clientes, { records: [{ id: 1, nombre: 'Ana' }] })
  const contracts = memoryAdapter(contratos, {
    records: ['a', 'b'].map((codigo) => ({
      codigo,
      n: 0,
      estaActivo: false,
      clienteId: 1,
      padreId: codigo === 'b' ? 1 : null,
    })),
    idempotency: true,
  })
  const strike = (): (() => unknown) | undefined => {
    const { fault } = world
    world.calls += 1
    return fault?.at === world.calls ? faults[fault.kind] : undefined
  }
  const struck = <T, K>(adapter: Adapter<T, K>): Adapter<T, K> =>
    new Proxy(adapter, {
      get(target, method) {
        const found = Reflect.get(target, method) as unknown
        if (typeof found !== 'function') return found
        return (...rest: unknown[]) => {
          // No faults are injected into writes here. Another suite checks that adapters report
          // failed writes correctly.
          if (writes.has(String(method))) {
            const result = (found as (...rest: unknown[]) => unknown).apply(target, rest)
            world.wrote =
              typeof result === 'object' || ['removed', 'attached', 'detached'].includes(String(result))
                ? 'made'
                : 'refused'
            return result
          }
          const fault = strike()
          return fault === undefined ? (found as (...rest: unknown[]) => unknown).apply(target, rest) : fault()
        }
      },
    })
  const asked = <T>(value: T): T => {
    const fault = strike()
    return fault === undefined ? value : (fault() as T)
  }
  let reports = 0
  const handler = api({
    timeout: 60,
    permission: () => asked('allow' as const),
    principal: () => ({ sub: 'ana' }),
    representations: [representation('text/x', { item: () => asked('x'), value: () => asked('x') })],
    onError: (event) => void world.reported.push(event),
    onStep: () => {
      throw hookFailure
    },
    versions: {
      v1: [
        mount(clientes, struck(clients)),
        mount(contratos, struck(contracts)),
        endpoint('informes', {
          description: 'Creates a report.',
          methods: {
            POST: {
              describe: { responses: { 201: { schema: {}, headers: { 'x-note': 'The result of the report.' } } } },
              handle: () => {
                reports += 1
                world.wrote = 'made'
                const note = strike() === undefined ? 'fine' : 'two\r\nlines'
                return endpointReply({
                  status: 201,
                  headers: { location: '/v1/informes/1', 'x-note': note },
                  body: { reports },
                })
              },
            },
          },
        }),
      ],
    },
  })
  const app = express()
  app.use(handler as never)
  const served = await listen(app)
  const world: World = {
    send: served.send,
    fault: undefined,
    wrote: 'nothing',
    calls: 0,
    reported: [],
    async state() {
      const { items } = await contracts.list(
        { where: [], sort: [{ field: 'codigo', path: ['codigo'], descending: false }], page: 1, size: 100, offset: 0 },
        { principal: undefined, scope: {}, requestId: '', signal: new AbortController().signal },
      )
      return JSON.stringify([items.map(({ value }) => value), reports])
    },
    close: () => served.close(),
  }
  return world
}

type Change = (world: World, n: number, headers: Record<string, string>) => Promise<Answer>

/** One change of each kind. `n` makes each change different. */
const changes: Readonly<Record<string, Change>> = {
  POST: ({ send }, n, headers) => send('POST', '/v1/contratos', headers, { codigo: `n${n}`, n, cliente: { id: 1 } }),
  'POST with a key': ({ send }, n, headers) =>
    send(
      'POST',
      '/v1/contratos',
      { ...headers, 'Idempotency-Key': `k${n}` },
      { codigo: `k${n}`, n, cliente: { id: 1 } },
    ),
  'POST into a parent': ({ send }, n, headers) =>
    send('POST', '/v1/clientes/1/contratos', headers, { codigo: `m${n}`, n, cliente: { id: 1 } }),
  PUT: ({ send }, n, headers) => send('PUT', '/v1/contratos/a', headers, { codigo: 'a', n, cliente: { id: 1 } }),
  PATCH: ({ send }, n, headers) => send('PATCH', '/v1/contratos/a', headers, { n }),
  'PATCH expanded': ({ send }, n, headers) => send('PATCH', '/v1/contratos/a?expand=cliente', headers, { n }),
  'PUT of a flag': ({ send }, _, headers) => send('PUT', '/v1/contratos/b/activo', headers),
  'DELETE of a flag': ({ send }, _, headers) => send('DELETE', '/v1/contratos/b/activo', headers),
  attach: ({ send }, _, headers) => send('PUT', '/v1/clientes/1/contratos/a', headers),
  detach: ({ send }, _, headers) => send('DELETE', '/v1/clientes/1/contratos/a', headers),
  DELETE: ({ send }, n, headers) => send('DELETE', `/v1/contratos/n${n - 1}`, headers),
  'endpoint POST': ({ send }, _, headers) => send('POST', '/v1/informes', headers),
}

const untrue = /nothing (?:was|has been) changed|try again|was not|unavailable for the moment/i

describe.each(frameworks)('VERB-13: changes with injected faults, on %s', (_name, express) => {
  let world: World
  let n = 0
  beforeAll(async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    world = await start(express)
  })
  afterAll(async () => {
    await world.close()
    vi.restoreAllMocks()
  })

  const asked = fc.record({
    change: fc.constantFrom(...Object.keys(changes)),
    fault: fc.record({
      at: fc.integer({ min: 1, max: 14 }),
      kind: fc.constantFrom(...(Object.keys(faults) as (keyof typeof faults)[])),
    }),
    accept: fc.constantFrom('application/json', 'application/xml', 'text/x'),
    prefer: fc.constantFrom(undefined, 'return=minimal', 'return=representation'),
  })

  it('a request that changes data gets a 2xx, even if a later call fails. Other statuses mean no change', async () => {
    let after = 0
    await fc.assert(
      fc.asyncProperty(asked, async ({ change, fault, accept, prefer }) => {
        n += 1
        const before = await world.state()
        Object.assign(world, { fault, wrote: 'nothing', calls: 0 })
        world.reported.length = 0
        const answer = await (changes[change] as Change)(world, n, {
          Accept: accept,
          ...(prefer === undefined ? {} : { Prefer: prefer }),
        })
        const { wrote, calls } = world
        world.fault = undefined
        if (wrote === 'made') {
          if (calls >= fault.at && answer.text === '') after += 1
          expect(answer.status, `${change} ${answer.text}`).toBeGreaterThanOrEqual(200)
          expect(answer.status, `${change} ${answer.text}`).toBeLessThan(300)
          expect(answer.text).not.toMatch(untrue)
          if (answer.status === 201) expect(answer.headers.location).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1\//)
        } else if (answer.status < 300) {
          // A change without effect is a success too: the flag already had the requested value.
          expect(await world.state()).toBe(before)
          expect(change).toMatch(/flag/)
        } else expect(await world.state()).toBe(before)
      }),
      { numRuns: 400 },
    )
    // If no fault had occurred after a write, the test would have proved nothing.
    expect(after).toBeGreaterThan(10)
  })

  it('if a PATCH response cannot be rendered, its tag works in If-Match, but matches no If-None-Match', async () => {
    n += 1
    // The last calls of the request come after its write. The fault occurs at the second to last
    // call.
    const calls = await countCalls(world, () => world.send('PATCH', '/v1/contratos/a', {}, { n: -1 }))
    Object.assign(world, { fault: { at: calls - 1, kind: 'unavailable' }, calls: 0 })
    const patched = await world.send('PATCH', '/v1/contratos/a', {}, { n })
    world.fault = undefined
    expect([patched.status, patched.text, patched.headers['content-type'], patched.headers['cache-control']]).toEqual([
      200,
      '',
      undefined,
      'no-store',
    ])
    const { etag = '' } = patched.headers
    expect(etag).toMatch(/^"[^"]+\.~"$/)
    expect(world.reported.at(-1)).toMatchObject({ status: 500, code: 'internal', clause: 'VERB-13' })
    expect((await world.send('GET', '/v1/contratos/a', { 'If-None-Match': etag })).status).toBe(200)
    const next = await world.send('PATCH', '/v1/contratos/a', { 'If-Match': etag }, { n: n * 1000 })
    expect([next.status, next.json.n]).toEqual([200, n * 1000])
    expect((await world.send('PATCH', '/v1/contratos/a', { 'If-Match': etag }, { n: 0 })).status).toBe(412)
  })

  it('if an endpoint returns a header field that cannot be sent, the response lacks only that field', async () => {
    const calls = await countCalls(world, () => world.send('POST', '/v1/informes'))
    Object.assign(world, { fault: { at: calls, kind: 'garbage' }, calls: 0 })
    const answer = await world.send('POST', '/v1/informes')
    world.fault = undefined
    expect([answer.status, answer.headers['x-note'], answer.headers.location]).toEqual([
      201,
      undefined,
      expect.stringMatching(/\/v1\/informes\/1$/),
    ])
  })
})

async function countCalls(world: World, request: () => Promise<Answer>): Promise<number> {
  Object.assign(world, { fault: undefined, calls: 0 })
  await request()
  return world.calls
}

describe.each(frameworks)('writes whose outcome is unknown, and failures after a write, on %s', (_name, express) => {
  const things = defineResource({
    collection: 'things',
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: text } },
  })
  const serving = async (adapter: Partial<Adapter<{ id: string }, string>>) => {
    const app = express()
    const whole = { list: () => ({ items: [] }), read: () => [{ value: { id: 'a' }, version: '1' }], ...adapter }
    app.use(api({ timeout: 100, onError: () => {}, versions: { v1: [mount(things, whole)] } }) as never)
    return listen(app)
  }

  it('VERB-13: if a write fails and the adapter states no outcome, a 5xx reports the outcome as unknown', async () => {
    const service = await serving({
      create: ({ id }) => {
        if (id === 'silent') return new Promise(() => {})
        if (id === 'down') throw new Unavailable({ retryAfter: 7 })
        if (id === 'sure') throw new Unavailable({ detail: 'The queue is full. Nothing was changed.' })
        throw new TypeError('after the commit, perhaps')
      },
    })
    const failed = await service.send('POST', '/v1/things', {}, { id: 'failed' })
    expect([failed.status, failed.json.code]).toEqual([500, 'internal'])
    expect(failed.json.detail).toMatch(/whether the change took place is unknown/i)
    const down = await service.send('POST', '/v1/things', {}, { id: 'down' })
    expect([down.status, down.headers['retry-after']]).toEqual([503, '7'])
    expect(down.json.detail).toMatch(/whether the change took place is unknown/i)
    expect((await service.send('POST', '/v1/things', {}, { id: 'sure' })).json.detail).toBe(
      'The queue is full. Nothing was changed.',
    )
    const silent = await service.send('POST', '/v1/things', {}, { id: 'silent' })
    expect([silent.status, silent.headers['retry-after']]).toEqual([503, '1'])
    expect(silent.json.detail).toMatch(/whether the change took place is unknown/i)
    await service.close()
  })

  it('VERB-13: if a store creates a record but returns no version, the 503 says that the change was made', async () => {
    const service = await serving({
      create: (value) => ({ created: { value, version: undefined as unknown as string } }),
    })
    const answer = await service.send('POST', '/v1/things', {}, { id: 'b' })
    expect(answer.status).toBe(503)
    expect(answer.json.detail).toMatch(/^The change was made/)
    await service.close()
  })

  it('VERB-13: if a view fails to convert the written record, the response still reports the change', async () => {
    const stored = memoryAdapter(things, { records: [{ id: 'a' }] })
    let fails = false
    const toWire = {
      id: (id: unknown) => {
        if (fails) throw new Error('a conversion that fails')
        return id
      },
    }
    const converted = adapterView<{ id: string }, string>(stored as never, { toWire })
    const { create, replace } = converted
    const service = await serving({
      ...converted,
      create: (value, call) => {
        fails = true
        return create?.(value, call) as never
      },
      replace: (key, value, expected, call) => {
        fails = true
        return replace?.(key, value, expected, call) as never
      },
    })
    const put = await service.send('PUT', '/v1/things/a', {}, { id: 'a' })
    expect([put.status, put.text, put.headers.etag]).toEqual([200, '', expect.stringMatching(/\.~"$/)])
    const created = await service.send('POST', '/v1/things', {}, { id: 'b' })
    expect([created.status, created.json.detail]).toEqual([503, expect.stringMatching(/^The change was made/)])
    fails = false
    expect((await service.send('GET', '/v1/things/b')).status).toBe(200)
    await service.close()
  })

  it('VERB-13: if an endpoint throws "Nothing was changed", the response reports the outcome as unknown', async () => {
    const app = express()
    let balance = 100
    const transfers = endpoint('transfers', {
      description: 'Makes two changes, one after the other.',
      methods: {
        POST: {
          handle: () => {
            balance -= 10
            // The second change fails.
            throw new Unavailable({
              unchanged: true,
              detail: 'The store is busy. Nothing was changed: try again in a moment.',
            })
          },
        },
      },
    })
    app.use(api({ onError: () => {}, versions: { v1: [transfers] } }) as never)
    const service = await listen(app)
    const answer = await service.send('POST', '/v1/transfers')
    expect([answer.status, answer.headers['retry-after'], balance]).toEqual([503, '1', 90])
    expect(answer.json.detail).toMatch(/whether the change took place is unknown/i)
    await service.close()
  })

  it('ERR-1: if a request times out before its write, the response does not mention a possible change', async () => {
    const service = await serving({
      read: () => new Promise(() => {}),
      replace: (_key, value) => ({ value, version: '2' }),
    })
    const answer = await service.send('PATCH', '/v1/things/a', {}, {})
    expect([answer.status, answer.json.detail]).toEqual([503, 'Try again in a moment.'])
    await service.close()
  })
})
