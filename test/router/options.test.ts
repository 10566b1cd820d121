import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { bearer } from '../../src/auth/index.js'
import {
  type Adapter,
  api,
  ConfigurationError,
  defineResource,
  mount,
  resourceRouter,
  Unavailable,
} from '../../src/index.js'
import { rateLimit } from '../../src/middleware/index.js'
import { steps } from '../../src/router/walk.js'

const keys = { algorithm: 'HS256', key: 'a secret of tests, 32 bytes or more' } as const
const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: { type: 'object', properties: { id: { type: 'string' } } },
})
const facturas = defineResource({
  collection: 'facturas',
  key: 'id',
  schema: { type: 'object', properties: { id: { type: 'string' } } },
})
const mounted = () => mount(notas, memoryAdapter(notas))

describe('Options of a service', () => {
  it.each([
    ['a "versions" object without versions', { versions: {} }],
    ['a version that is not named like v1 (VER-1)', { versions: { one: [] } }],
    ['an unknown successor (VER-3)', { versions: { v1: { resources: [], successor: 'v2' } } }],
    ['an invalid date (VER-3)', { versions: { v1: { resources: [], deprecated: 'soon' } } }],
    ['a "baseUrl" without a scheme (REP-5)', { versions: { v1: [] }, baseUrl: 'api.example.com' }],
    ['a "baseUrl" with a query (REP-5)', { versions: { v1: [] }, baseUrl: 'https://api.example.com?x' }],
    ['a "timeout" of zero', { versions: { v1: [] }, timeout: 0 }],
    ['a "weakIfMatch" that is a string (HDR-3)', { versions: { v1: [] }, weakIfMatch: 'false' }],
    ['a "requireIfMatch" that is a string (HDR-3)', { versions: { v1: [] }, requireIfMatch: 'no' }],
    ['a "jsonPatch" that is a number (VERB-5)', { versions: { v1: [] }, jsonPatch: 1 }],
    ['an "onError" that is not a function', { versions: { v1: [] }, onError: 'log' }],
    ['a "problemBase" that is not a string (ERR-3)', { versions: { v1: [] }, problemBase: 7 }],
    ['null instead of options', null],
    ['a "maxConcurrent" of zero', { versions: { v1: [] }, maxConcurrent: 0 }],
    ['a "bodyLimit" that is not a number', { versions: { v1: [] }, bodyLimit: Number.NaN }],
    ['a page size above the maximum (QUERY-5)', { versions: { v1: [] }, page: { size: 50, max: 10 } }],
    ['an unknown option', { versions: { v1: [] }, principle: () => 'me' }],
    ['a "principal" that is not a function', { versions: { v1: [] }, principal: 'me' }],
    ['a "deleteStatus" of 410 (VERB-6)', { versions: { v1: [] }, deleteStatus: 410 }],
    ['options without versions', {}],
    ['a hand-written "authenticate"', { versions: { v1: [] }, authenticate: () => 'me' }],
    [
      'both "authenticate" and "principal"',
      { versions: { v1: [] }, authenticate: bearer({ keys }), principal: () => 'me' },
    ],
    ['a "login" that login() did not make', { versions: { v1: [] }, login: () => {} }],
    ['a "rateLimit" that rateLimit() did not make', { versions: { v1: [] }, rateLimit: { limit: 5 } }],
    ['a "permission" that is not a function', { versions: { v1: [] }, permission: 'admin' }],
    ['an unknown option in "secureHeaders"', { versions: { v1: [] }, secureHeaders: { csp: '' } }],
    ['a version that is undefined', { versions: { v1: undefined } }],
    ['a version that is the misspelt word "retierd"', { versions: { v1: 'retierd' } }],
    ['a version without resources', { versions: { v1: { resource: [] } } }],
    ['a definition that is not mounted', { versions: { v1: [notas] } }],
  ])('throws ConfigurationError for %s', (_what, options) => {
    expect(() => api(options as never)).toThrow(ConfigurationError)
  })

  it('PATH-1: two mounts cannot have the same path', () => {
    expect(() => api({ versions: { v1: [mounted(), mounted()] } })).toThrow(/path-taken/)
  })

  it('ready() rejects with one error for all invalid stores, or with Unavailable if a store is down', async () => {
    const faulty = (message: string) => ({
      ...memoryAdapter(notas),
      ready: () => Promise.reject(new ConfigurationError('store-unfit', message)),
    })
    const away = { ...memoryAdapter(notas), ready: () => Promise.reject(new Unavailable()) }
    const ready = (...adapters: Adapter<unknown, string>[]) =>
      api({
        versions: Object.fromEntries(adapters.map((adapter, i) => [`v${i}`, [mount(notas, adapter as never)]])),
      }).ready()
    const both = await ready(
      faulty('Add the column a.') as never,
      memoryAdapter(notas) as never,
      faulty('Add the column b.') as never,
    ).catch((error) => error)
    expect(both).toBeInstanceOf(ConfigurationError)
    expect(both).toMatchObject({
      code: 'store-unfit',
      message: expect.stringMatching(/^2 stores .*\n- .*column a.*\n- .*column b/),
    })
    await expect(ready(faulty('Add the column a.') as never)).rejects.toThrow(/^Add the column a\./)
    await expect(ready(faulty('Add the column a.') as never, away as never)).rejects.toBeInstanceOf(Unavailable)
  })

  it('ready() checks every store once, and rejects with the error of a store that fails', async () => {
    const asked: string[] = []
    const adapter = { ...memoryAdapter(notas), ready: () => void asked.push('ready') }
    const broken = { ...memoryAdapter(notas), ready: () => Promise.reject(new Error('Add the column version.')) }
    const mountIt = mount(notas, adapter)
    await api({ versions: { v1: [mountIt], v2: [mountIt] } }).ready()
    expect(asked).toEqual(['ready'])
    await expect(api({ versions: { v1: [mount(notas, broken)] } }).ready()).rejects.toThrow('Add the column version.')
  })

  it('LIMIT-1: api() refuses a budget for an unknown route, unless a version has hand-written routes', () => {
    const versions = {
      v1: [mount(notas, memoryAdapter(notas)), mount(facturas, memoryAdapter(facturas), { area: 'tax' })],
      v0: 'retired',
    } as const
    const budget = (route: string) => rateLimit({ limit: 9, budgets: [{ name: 'few', routes: [route], limit: 1 }] })
    for (const route of ['notas', 'Notas', 'notas/7', 'tax', 'tax/facturas'])
      expect(() => api({ versions, rateLimit: budget(route) })).not.toThrow()
    expect(() => api({ versions, rateLimit: budget('nottas') })).toThrow(
      /"nottas", which no version serves\. Did you mean "notas"/,
    )
    for (const route of ['facturas', 'notas/7/facturas', '{id}', 'notas/{id}'])
      expect(() => api({ versions, rateLimit: budget(route) })).toThrow(ConfigurationError)
    const byHand = { v1: { resources: [], routes: () => {} } }
    expect(() => api({ versions: byHand, rateLimit: budget('anything') })).not.toThrow()
  })

  it('the middleware functions have names, and the steps of a request have a fixed order', () => {
    expect(api({ versions: { v1: [] } }).name).toBe('apiMiddleware')
    expect(resourceRouter(notas, memoryAdapter(notas)).name).toBe('resourceRouterMiddleware')
    expect(steps.map(({ name }) => name).join(' ')).toBe(
      'preflight version admit authenticate throttle route allow negotiate parse precondition execute represent',
    )
  })
})
