/** Every option of every factory, given a value of each wrong kind. */
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { postgresAdapter, tableDdl } from '../../src/adapters/postgres/index.js'
import * as root from '../../src/index.js'
import {
  api,
  authenticate,
  bearer,
  ConfigurationError,
  crossOrigin,
  defineResource,
  endpoint,
  ifMatch,
  jwks,
  listQuery,
  login,
  methods,
  mount,
  problems,
  publicToken,
  rateLimit,
  recordBody,
  reply,
  representation,
  resourceRouter,
  scopes,
  secureHeaders,
  tokenIssuer,
  totalCount,
  versions,
  view,
} from '../../src/index.js'
import { createServer, probes } from '../../src/server/index.js'
import { adapterSuite } from '../../src/testing/index.js'

const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, note: { type: 'string' } } },
})
const store = memoryAdapter(orders)
const key = { algorithm: 'HS256', key: 'a secret of tests, 32 bytes or more' } as const

const pending = new Promise(() => {})
const values: Readonly<Record<string, unknown>> = {
  "'false'": 'false',
  "'no'": 'no',
  NaN: Number.NaN,
  '-1': -1,
  null: null,
  '[]': [],
  '{}': {},
  'a promise': pending,
  'a symbol': Symbol('x'),
}

/** Which of the values are right for an option of a kind; all others are wrong. */
const right = {
  boolean: [],
  function: [],
  /** A number with bounds of its own: none of the values fits. */
  number: [],
  /** A text with a grammar of its own, or one of several. */
  enum: [],
  text: ["'false'", "'no'"],
  list: ['[]'],
  table: ['{}'],
  /** One name or several. */
  names: ["'false'", "'no'", '[]'],
  /** Something that another factory makes. */
  made: [],
} as const
type Expected = keyof typeof right

interface Factory {
  /** How messages name it. */
  readonly name: RegExp
  readonly make: (options: Record<string, unknown>) => unknown
  /** Options without which it makes nothing. */
  readonly required?: Record<string, unknown>
  readonly options: Readonly<Record<string, Expected | readonly [Expected, ...(keyof typeof values)[]]>>
}

const service = {
  baseUrl: 'text',
  authenticate: 'made',
  principal: 'function',
  permission: 'function',
  idempotencyOwner: 'function',
  rateLimit: 'made',
  cors: 'made',
  requireIfMatch: 'boolean',
  weakIfMatch: 'boolean',
  deleteStatus: 'number',
  representations: 'list',
  jsonPatch: 'boolean',
  page: 'table',
  bodyLimit: 'number',
  depthLimit: 'number',
  timeout: 'number',
  maxConcurrent: 'number',
  problemBase: 'text',
  onStep: 'function',
  onQuery: 'function',
  onResponse: 'function',
  onError: 'function',
} as const
const tokens = {
  keys: ['made', '[]'] as const,
  issuer: 'names',
  audience: 'names',
  clockTolerance: 'number',
  maxAge: 'number',
  type: 'text',
  revoked: 'function',
  principal: 'function',
  cache: 'number',
  realm: 'text',
} as const
const table = {
  resource: 'made',
  table: ['table', "'false'", "'no'"],
  readFrom: ['table', "'false'", "'no'"],
  columns: 'table',
  naming: 'enum',
  rest: 'text',
  version: 'table',
  epoch: 'text',
  softDelete: ['text'],
  onCreate: 'function',
  onUpdate: 'function',
  write: 'function',
  readBefore: 'boolean',
  session: 'function',
  attached: 'table',
  idempotency: 'enum',
  search: 'table',
  count: 'enum',
  countBound: 'number',
  probe: 'enum',
  prepare: 'boolean',
  acquireTimeout: 'number',
  statementTimeout: 'number',
  onWarning: 'function',
} as const

const pool = new pg.Pool()
// biome-ignore lint/suspicious/noExplicitAny: what JavaScript callers may write
const any = (value: unknown): any => value
const factories: Readonly<Record<string, Factory>> = {
  api: {
    name: /api\(\)/,
    make: (options) => api(any(options)),
    required: { versions: { v1: [mount(orders, store)] } },
    options: { ...service, login: 'made', secureHeaders: 'table', versions: ['made', '{}'] },
  },
  resourceRouter: {
    name: /resourceRouter\(\)|mount of "orders"/,
    make: (options) => resourceRouter(orders, store, any(options)),
    options: {
      ...service,
      area: 'text',
      collection: 'list',
      item: 'list',
      representations: 'list',
      idempotencyKey: 'enum',
      related: 'list',
    },
  },
  mount: {
    name: /mount of "orders"/,
    make: (options) => mount(orders, store, any(options)),
    options: { area: 'text', collection: 'list', item: 'list', representations: 'list', idempotencyKey: 'enum' },
  },
  endpoint: {
    name: /endpoint "search"/,
    make: (options) => endpoint('search', any(options)),
    required: { description: 'x', methods: { GET: { handle: () => reply({ status: 200 }) } } },
    options: { description: 'text', methods: 'table', area: 'text' },
  },
  'endpoint method': {
    name: /endpoint "search"/,
    make: (options) => endpoint('search', any({ description: 'x', methods: { GET: options } })),
    required: { handle: () => reply({ status: 200 }) },
    options: { handle: 'function' },
  },
  defineResource: {
    name: /defineResource\(\)|"orders"|^The collection/,
    make: (options) => defineResource(any(options)),
    required: { collection: 'orders', key: 'id', schema: { type: 'object', properties: { id: { type: 'string' } } } },
    options: {
      collection: 'enum',
      singular: 'text',
      allow: 'table',
      key: 'enum',
      assigned: 'list',
      schema: 'made',
      filters: 'table',
      sort: 'list',
      search: 'list',
      links: 'table',
      parent: 'made',
      attachedTo: 'list',
      flags: 'table',
      rules: 'function',
      scope: 'function',
      page: 'table',
      cacheControl: 'text',
    },
  },
  representation: {
    name: /representation/,
    make: (options) => representation('text/csv', any(options)),
    required: { item: () => '' },
    options: { item: 'function', list: 'function', value: 'function', revision: 'text' },
  },
  view: {
    name: /view\(\)/,
    make: (options) => view(store, any(options)),
    options: { rename: 'table', toWire: 'table', fromWire: 'table', hides: 'list', defaults: 'table' },
  },
  memoryAdapter: {
    name: /memoryAdapter\(\)/,
    make: (options) => memoryAdapter(orders, any(options)),
    options: {
      records: 'list',
      unique: 'list',
      onCreate: 'function',
      onUpdate: 'function',
      onRemove: 'function',
      idempotency: 'table',
    },
  },
  'idempotency of memoryAdapter': {
    name: /idempotency/,
    make: (options) => memoryAdapter(orders, { idempotency: any(options) }),
    options: { ttl: 'number', most: 'number' },
  },
  postgresAdapter: {
    name: /postgresAdapter\(\)|PostgreSQL adapter/,
    make: (options) => postgresAdapter(pool, any(options)),
    required: { table: 'orders' },
    options: any(table),
  },
  tableDdl: {
    name: /tableDdl\(\)|PostgreSQL adapter/,
    make: (options) => tableDdl(orders, any(options)),
    required: { table: 'orders', version: { column: 'version' } },
    options: any(table),
  },
  createServer: {
    name: /createServer\(\)/,
    make: (options) => createServer(() => {}, any(options)),
    options: {
      ...Object.fromEntries(
        [
          'headersTimeout',
          'requestTimeout',
          'connectionsCheckingInterval',
          'keepAliveTimeout',
          'timeout',
          'maxHeaderSize',
          'maxHeadersCount',
          'maxConnections',
          'maxRequestsPerSocket',
          'drain',
          'grace',
        ].map((name) => [name, 'number' as const]),
      ),
      tls: 'table',
      node: 'table',
      problemBase: 'text',
      onClientError: 'function',
    },
  },
  probes: {
    name: /probes\(\)/,
    make: (options) => probes(any(options)),
    options: {
      check: 'function',
      maxAge: 'number',
      timeout: 'number',
      livePath: 'enum',
      readyPath: 'enum',
      server: 'made',
      problemBase: 'text',
      onFailure: 'function',
    },
  },
  bearer: { name: /bearer\(\)/, make: (options) => bearer(any(options)), required: { keys: key }, options: tokens },
  publicToken: {
    name: /publicToken\(\)/,
    make: (options) => publicToken(any(options)),
    required: { keys: key },
    options: any((({ realm: _, ...rest }) => rest)(tokens)),
  },
  authenticate: {
    name: /authenticate\(\)/,
    make: (options) => authenticate(any(options)),
    required: { field: 'Authorization', challenge: 'Basic realm="a"', identify: () => 1 },
    options: { field: 'text', challenge: 'text', identify: 'function' },
  },
  tokenIssuer: {
    name: /tokenIssuer\(\)/,
    make: (options) => tokenIssuer(any(options)),
    required: { key },
    options: { key: 'made', issuer: 'text', audience: ['names', '[]'], lifetime: 'number', type: 'text' },
  },
  jwks: {
    name: /jwks\(\)/,
    make: (options) => jwks('https://login.example/keys', any(options)),
    options: { maxAge: 'number', cooldown: 'number', timeout: 'number', fetch: 'function', onError: 'function' },
  },
  login: {
    name: /login\(\)/,
    make: (options) => login(any(options)),
    required: { find: () => undefined, token: () => '' },
    options: {
      find: 'function',
      verify: 'function',
      token: 'function',
      upgrade: 'function',
      attempts: 'table',
      store: 'function',
      storeTimeout: 'number',
      onStoreFailure: 'function',
      onStoreRecovery: 'function',
      realm: 'text',
      onError: 'function',
    },
  },
  scopes: { name: /scopes\(\)/, make: (options) => scopes(any(options)), options: { of: 'function' } },
  rateLimit: {
    name: /rateLimit\(\)/,
    make: (options) => rateLimit(any(options)),
    required: { limit: 600 },
    options: {
      limit: 'number',
      window: 'number',
      budgets: 'list',
      failures: 'table',
      key: 'function',
      store: 'function',
      whenStoreFails: 'enum',
      storeTimeout: 'number',
      onStoreFailure: 'function',
      onStoreRecovery: 'function',
    },
  },
  crossOrigin: {
    name: /crossOrigin\(\)/,
    make: (options) => crossOrigin(any(options)),
    required: { origins: ['https://a.example'] },
    options: { origins: 'enum', credentials: 'boolean', maxAge: 'number', allowedHeaders: 'list', exposedHeaders: 'list' },
  },
  secureHeaders: {
    name: /secureHeaders\(\)/,
    make: (options) => secureHeaders(any(options)),
    options: { strictTransport: 'enum', contentSecurityPolicy: 'text', resourcePolicy: 'enum' },
  },
  ifMatch: { name: /ifMatch\(\)/, make: (options) => ifMatch(any(options)), options: { required: 'boolean', weak: 'boolean' } },
  listQuery: {
    name: /listQuery\(\)/,
    make: (options) => listQuery(orders, any(options)),
    options: { size: 'number', max: 'number', first: 'number' },
  },
  recordBody: {
    name: /recordBody\(\)/,
    make: (options) => recordBody(orders, any(options)),
    options: { id: 'function', jsonPatch: 'boolean', bodyLimit: 'number', depthLimit: 'number', timeout: 'number' },
  },
  totalCount: { name: /totalCount\(\)/, make: (options) => totalCount(any(options)), options: { baseUrl: 'text' } },
  methods: {
    name: /methods\(\)/,
    make: (options) => methods(any(options)),
    required: { on: 'collection', allow: ['GET'] },
    options: { on: 'enum', allow: 'list', baseUrl: 'text', permission: 'function', resource: 'text', key: 'function' },
  },
  versions: {
    name: /versions\(\)/,
    make: (options) => versions({ v1: () => {} }, any(options)),
    options: { baseUrl: 'text' },
  },
  problems: { name: /problems\(\)/, make: (options) => problems(any(options)), options: { problemBase: 'text', onError: 'function' } },
  adapterSuite: {
    name: /adapterSuite\(\)/,
    make: (options) => adapterSuite(() => store, any(options)),
    options: { without: 'table', counts: 'enum', search: 'boolean', patience: 'number', seed: ['number', '-1'], subject: 'made' },
  },
}

/** Exports that take no options, or whose options are arguments of a request. */
const others = [
  'checkPassword',
  'checkVersion',
  'ConfigurationError',
  'expected',
  'exposedHeaders',
  'getLog',
  'hashPassword',
  'HttpProblem',
  'needsRehash',
  'negotiate',
  'noQuery',
  'recordAnswer',
  'reply',
  'returnPreference',
  'sendTag',
  'stale',
  'Unavailable',
]

describe('options', () => {
  it('every factory of the package is here', () => {
    expect(Object.keys(root).filter((name) => factories[name] === undefined && !others.includes(name))).toEqual([])
  })

  for (const [name, factory] of Object.entries(factories)) {
    it(`${name}: the options themselves are an object`, () => {
      for (const [shown, value] of Object.entries(values)) {
        if (shown === '{}') continue
        expect(() => factory.make(any(value)), shown).toThrow(ConfigurationError)
      }
    })
    for (const [option, expected] of Object.entries(factory.options)) {
      const [kind, ...more] = typeof expected === 'string' ? [expected] : expected
      it(`${name}: ${option} of a wrong kind is refused with a message that says so`, () => {
        expect(() => factory.make({ ...factory.required })).not.toThrow()
        const taken: string[] = []
        for (const [shown, value] of Object.entries(values)) {
          if ((right[kind] as readonly string[]).includes(shown) || (more as string[]).includes(shown)) continue
          try {
            factory.make({ ...factory.required, [option]: value })
            taken.push(shown)
          } catch (error) {
            if (!(error instanceof ConfigurationError)) taken.push(`${shown}: ${error}`)
            else if (!error.message.includes(option) || !factory.name.test(error.message)) taken.push(`${shown}: "${error.message}"`)
          }
        }
        expect(taken).toEqual([])
      })
    }
  }
})
