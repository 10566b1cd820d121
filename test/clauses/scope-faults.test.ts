/**
 * If a scope function returns an invalid scope, each request that needs the scope gets 500. No such
 * request is served without a scope.
 */
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import {
  type Adapter,
  adapterView,
  api,
  ConfigurationError,
  defineResource,
  HttpProblem,
  mount,
} from '../../src/index.js'
import { listen, type Served } from './fixture.js'

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const

let served: Omit<Served, 'data'> | undefined
afterEach(() => served?.close())

class Inquilino {
  get empresa(): string {
    return 'a'
  }
}

/** Requests that need the scope of `cuentas`, directly or through other resources. */
const requests: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['GET', 'cuentas'],
  ['HEAD', 'cuentas'],
  ['GET', 'cuentas?q=suyo'],
  ['POST', 'cuentas', { id: 'n', empresa: 'a' }],
  ['GET', 'cuentas/a1'],
  ['HEAD', 'cuentas/a1'],
  ['PUT', 'cuentas/a1', { empresa: 'a', saldada: false }],
  ['PATCH', 'cuentas/a1', { titulo: 'x' }],
  ['PATCH', 'cuentas/a1', {}],
  ['DELETE', 'cuentas/a1'],
  ['GET', 'cuentas/a1/saldada'],
  ['HEAD', 'cuentas/a1/saldada'],
  ['PUT', 'cuentas/a1/saldada'],
  ['DELETE', 'cuentas/a1/saldada'],
  ['GET', 'cuentas/a1/apuntes'],
  ['POST', 'cuentas/a1/apuntes', { n: 9 }],
  ['GET', 'cuentas/a1/apuntes/cuenta=a1,n=1'],
  ['PUT', 'cuentas/a1/apuntes/cuenta=a1,n=1', {}],
  ['DELETE', 'cuentas/a1/apuntes/cuenta=a1,n=1'],
  ['GET', 'grupos/g1/cuentas'],
  ['POST', 'grupos/g1/cuentas', { id: 'n', empresa: 'a' }],
  ['GET', 'grupos/g1/cuentas/a1'],
  ['PUT', 'grupos/g1/cuentas/a1'],
  ['DELETE', 'grupos/g1/cuentas/a1'],
  ['GET', 'avisos'],
  ['GET', 'avisos/1?expand=cuenta'],
  ['POST', 'avisos', { id: 2, cuenta: { id: 'a1' } }],
  ['PATCH', 'avisos/1', { apunte: { cuenta: 'a1', n: 2 } }],
]

async function serve(scope: unknown) {
  const cuentas = defineResource({
    collection: 'cuentas',
    key: 'id',
    schema: {
      type: 'object',
      required: ['id', 'empresa'],
      properties: {
        id: text,
        empresa: text,
        titulo: textOrNull,
        orden: { type: ['integer', 'null'] },
        direccion: { type: ['object', 'null'], properties: { calle: text } },
        'direccion.codigo': textOrNull,
        saldada: { type: 'boolean', default: false },
      },
    },
    search: ['titulo'],
    flags: { saldada: 'saldada' },
    attachedTo: [{ of: 'grupos' }],
    scope: scope as never,
  })
  const apuntes = defineResource({
    collection: 'apuntes',
    key: ['cuenta', 'n'],
    schema: { type: 'object', required: ['cuenta', 'n'], properties: { cuenta: text, n: { type: 'integer' } } },
    parent: { of: cuentas, by: 'cuenta' },
  })
  const grupos = defineResource({
    collection: 'grupos',
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: text } },
  })
  const avisos = defineResource({
    collection: 'avisos',
    key: 'id',
    schema: {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'integer' },
        cuentaId: textOrNull,
        apunteCuenta: textOrNull,
        apunteN: { type: ['integer', 'null'] },
      },
    },
    links: {
      cuenta: { to: cuentas, by: 'cuentaId', show: ['titulo'] },
      apunte: { to: apuntes, by: ['apunteCuenta', 'apunteN'], show: ['n'] },
    },
  })
  const calls: string[] = []
  /** Records the names of the methods that are called on an adapter. */
  const watched = <T, K>(adapter: Adapter<T, K>): Adapter<T, K> =>
    new Proxy(adapter, {
      get(target, method, receiver) {
        const found = Reflect.get(target, method, receiver) as unknown
        if (typeof found !== 'function') return found
        return (...rest: unknown[]) => {
          calls.push(String(method))
          return (found as (...rest: unknown[]) => unknown).apply(target, rest)
        }
      },
    })
  const records = [
    { id: 'a1', empresa: 'a', titulo: 'suyo', saldada: true },
    { id: 'b1', empresa: 'b', titulo: 'ajeno' },
  ]
  const mounts = [
    mount(cuentas, watched(memoryAdapter(cuentas, { records: records as never }))),
    mount(apuntes, memoryAdapter(apuntes, { records: [1, 2].map((n) => ({ cuenta: 'a1', n })) })),
    mount(grupos, memoryAdapter(grupos, { records: [{ id: 'g1' }] })),
    mount(
      avisos,
      memoryAdapter(avisos, {
        records: [{ id: 1, cuentaId: 'a1', apunteCuenta: 'a1', apunteN: 1 }],
      }),
    ),
  ]
  const errors: unknown[] = []
  const handler = api({
    versions: { v1: mounts },
    principal: () => ({ empresa: 'a' }),
    onError: ({ error }) => void errors.push(error),
  })
  served = await listen(express().use(handler))
  return { send: served.send, calls, errors }
}

const invalidScopes: readonly (readonly [what: string, scope: () => unknown, reported: RegExp])[] = [
  ['throws', () => (undefined as unknown as { empresa: string }).empresa, /Cannot read/],
  ['returns a promise', () => Promise.resolve({ empresa: 'a' }), /returned a promise.*principal/],
  ['returns a promise that rejects', () => Promise.reject(new Error('late')), /returned a promise/],
  ['returns undefined', () => undefined, /returned undefined/],
  ['returns null', () => null, /returned null/],
  ['returns a list', () => [], /returned a list/],
  ['returns a string', () => 'a', /returned a string/],
  ['returns a number', () => 7, /returned a number/],
  ['returns a function', () => () => ({ empresa: 'a' }), /returned a function/],
  ['returns a Map', () => new Map([['empresa', 'a']]), /an object of a class/],
  ['returns an instance with getters', () => new Inquilino(), /an object of a class/],
  ['names an unknown member', () => ({ empersa: 'a' }), /"empersa".*Did you mean "empresa"/],
  ['names an unknown member besides a known member', () => ({ empresa: 'a', tenant: 'a' }), /"tenant"/],
  [
    'names a nested member',
    () => ({ 'direccion.calle': 'x' }),
    /"direccion\.calle", but a scope may only name top-level members without a dot.*Store the value/,
  ],
  [
    'names a member with a dot in its name',
    () => ({ 'direccion.codigo': 'x' }),
    /"direccion\.codigo", but a scope may only name top-level members without a dot.*Store the value/,
  ],
  ['uses a symbol as the name of a member', () => ({ [Symbol('empresa')]: 'a' }), /Symbol/],
  ['sets a member to undefined', () => ({ empresa: undefined }), /"empresa" as undefined/],
  [
    'sets one member to a valid value and another to undefined',
    () => ({ empresa: 'a', titulo: undefined }),
    /"titulo" as undefined/,
  ],
  ['sets a member to null', () => ({ titulo: null }), /"titulo" as null.*Return string\. \[/],
  ['sets a member to a list', () => ({ empresa: ['a', 'b'] }), /"empresa" as a list/],
  ['sets a member to an object', () => ({ direccion: { calle: 'x' } }), /"direccion" as an object/],
  ['sets a member to a promise', () => ({ empresa: Promise.resolve('a') }), /"empresa" as a promise/],
  ['sets a string member to a number', () => ({ empresa: 7 }), /"empresa" as a number.*Return string/],
  ['sets an integer member to a fraction', () => ({ orden: 1.5 }), /"orden" as a number.*Return integer/],
  ['sets a member to NaN', () => ({ orden: Number.NaN }), /"orden" as a number/],
  ['sets a member to a bigint', () => ({ orden: 7n }), /"orden" as a bigint/],
]

describe('ERR-3: the result of a scope function', () => {
  it.each(invalidScopes)(
    'if the scope function %s, every request gets 500 without details, and the adapter is not called',
    async (_what, scope, reported) => {
      const { send, calls, errors } = await serve(scope)
      for (const [method, path, body] of requests) {
        const answer = await send(method, `/v1/${path}`, {}, body)
        expect(answer.status, `${method} ${path}`).toBe(500)
        expect(Object.keys(answer.headers)).not.toContain('etag')
        expect(Object.keys(answer.headers)).not.toContain('x-total-count')
        if (method !== 'HEAD') {
          expect(Object.keys(answer.json).sort()).toEqual([
            'clause',
            'code',
            'instance',
            'requestId',
            'status',
            'title',
            'type',
          ])
          expect(answer.json.code).toBe('internal')
        }
      }
      expect(calls).toEqual([])
      expect(errors).toHaveLength(requests.length)
      for (const error of errors) expect(String(error)).toMatch(reported)
    },
  )

  it('with a valid scope, requests that need the scope do not get 500', async () => {
    const { send, errors, calls } = await serve(() => ({ empresa: 'a' }))
    for (const [method, path, body] of requests) {
      const answer = await send(method, `/v1/${path}`, {}, body)
      expect([200, 201, 204, 302, 404, 422], `${method} ${path} ${answer.text}`).toContain(answer.status)
    }
    expect(errors.filter((error) => !(error instanceof HttpProblem))).toEqual([])
    expect(calls.length).toBeGreaterThan(requests.length / 2)
  })

  it('AUTH-4: a problem that the scope function throws is sent as the response', async () => {
    const { send, calls } = await serve(() => {
      throw new HttpProblem('forbidden')
    })
    for (const [method, path, body] of requests) expect((await send(method, `/v1/${path}`, {}, body)).status).toBe(403)
    expect(calls).toEqual([])
  })

  it('a scope without members matches all records', async () => {
    const { send } = await serve(() => ({}))
    expect((await send('GET', '/v1/cuentas')).headers['x-total-count']).toBe('2')
    expect((await send('GET', '/v1/cuentas/b1')).status).toBe(200)
  })

  it('if adapterView() cannot convert a value of the scope, the request gets 500', async () => {
    const definition = defineResource({
      collection: 'cuentas',
      key: 'id',
      schema: { type: 'object', required: ['id', 'empresa'], properties: { id: text, empresa: text } },
      scope: () => ({ empresa: 'nueva' }),
    })
    const data = memoryAdapter(definition, { records: [{ id: 'a1', empresa: 'A' }] })
    const errors: unknown[] = []
    const older = adapterView(data as never, { fromWire: { empresa: (name: string) => ({ vieja: 'A' })[name] } })
    const handler = api({
      versions: { v1: [mount(definition, older as never)] },
      onError: ({ error }) => void errors.push(error),
    })
    served = await listen(express().use(handler))
    const { send } = served
    for (const [method, path, body] of requests.slice(0, 9)) {
      const expected = path.includes('?') ? 400 : 500
      const sent = method === 'POST' ? { id: 'n' } : method === 'PUT' ? {} : method === 'PATCH' ? {} : body
      expect((await send(method, `/v1/${path}`, {}, sent)).status, `${method} ${path}`).toBe(expected)
    }
    expect(errors.filter((error) => error instanceof ConfigurationError)).toHaveLength(8)
    expect(
      data.list(
        { where: [], sort: [], page: 1, size: 9, offset: 0 },
        { principal: undefined, scope: {}, requestId: '', signal: new AbortController().signal },
      ).total,
    ).toBe(1)
  })
})
