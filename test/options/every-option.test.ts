/**
 * Passes a value of each wrong kind to every option of every factory. The tests search the source
 * for the public factories, the option types, the option tables and the names in these tables. So
 * they fail if a new option is not tested here.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import * as memory from '../../src/adapters/memory/index.js'
import * as memoryOptions from '../../src/adapters/memory/options.js'
import { colocationKinds, tableDdlKinds } from '../../src/adapters/postgres/distributed-ddl.js'
import * as postgres from '../../src/adapters/postgres/index.js'
import * as postgresOptions from '../../src/adapters/postgres/options/option-kinds.js'
import { redisReplicaPositionsKinds } from '../../src/adapters/postgres/transactions/redis-positions.js'
import { viewKinds } from '../../src/adapters/view-options.js'
import * as auth from '../../src/auth/index.js'
import {
  authenticate,
  bearer,
  jwks,
  login,
  needsRehash,
  publicToken,
  scopePermission,
  tokenIssuer,
} from '../../src/auth/index.js'
import { attemptsKinds } from '../../src/auth/login/login-throttle.js'
import { passwordKinds } from '../../src/auth/login/passwords.js'
import { scopesKinds } from '../../src/auth/scopes.js'
import { jwksKinds } from '../../src/auth/tokens/jwks.js'
import { tokenKeyKinds } from '../../src/auth/tokens/keys.js'
import { tokenIssuerKinds } from '../../src/auth/tokens/token-issuer.js'
import * as conformance from '../../src/check/index.js'
import { accountKinds, checkServiceKinds, principalKinds, resolveCheckOptions } from '../../src/check/options.js'
import { knownBreakKinds } from '../../src/check/report/baseline.js'
import {
  accountSourceKinds,
  collectionKinds,
  creationKinds,
  flagKinds,
  principalSourceKinds,
  readTarget,
  targetFileKinds,
  targetFilterKinds,
} from '../../src/check/target/target-file.js'
import { compareKinds } from '../../src/contract/compare.js'
import { upgradeGuideKinds } from '../../src/contract/upgrade-guide.js'
import { modeKinds } from '../../src/conventions/options.js'
import { aliasKinds, parameterKinds } from '../../src/conventions/parameters.js'
import { externalLinkKinds, subLinkKinds, toLinkKinds } from '../../src/definition/resolve-links.js'
import {
  attachmentKinds,
  filterDeprecationKinds,
  filterKinds,
  pageKinds,
  parentKinds,
  resourceKinds,
} from '../../src/definition/resolve-resource.js'
import { docsPagesKinds } from '../../src/docs/docs-pages.js'
import * as docs from '../../src/docs/index.js'
import { docsPages } from '../../src/docs/index.js'
import * as root from '../../src/index.js'
import {
  adapterView,
  api,
  ConfigurationError,
  defineResource,
  endpoint,
  endpointReply,
  HttpProblem,
  mount,
  problems,
  representation,
  resourceRouter,
  Unavailable,
} from '../../src/index.js'
import { budgetKinds } from '../../src/limits/budgets.js'
import { limitKinds } from '../../src/limits/limit-options.js'
import { authenticateKinds } from '../../src/middleware/authenticate.js'
import { tokenKinds } from '../../src/middleware/bearer.js'
import { brownoutKinds } from '../../src/middleware/brownouts.js'
import { crossOriginKinds } from '../../src/middleware/cross-origin.js'
import { ifMatchKinds } from '../../src/middleware/if-match.js'
import * as middleware from '../../src/middleware/index.js'
import {
  crossOrigin,
  ifMatch,
  listQuery,
  methodRules,
  negotiate,
  noQuery,
  rateLimit,
  recordBody,
  secureHeaders,
  totalCount,
  versions,
} from '../../src/middleware/index.js'
import { listQueryKinds } from '../../src/middleware/list-query.js'
import { loginKinds } from '../../src/middleware/login.js'
import { methodsKinds } from '../../src/middleware/methods.js'
import { negotiateKinds } from '../../src/middleware/negotiate.js'
import { noQueryKinds } from '../../src/middleware/no-query.js'
import { problemsKinds } from '../../src/middleware/problems.js'
import { rateLimitKinds } from '../../src/middleware/rate-limit.js'
import { recordBodyKinds } from '../../src/middleware/record-body.js'
import { secureHeadersKinds } from '../../src/middleware/secure-headers.js'
import { totalCountKinds } from '../../src/middleware/total-count.js'
import { versionEntryKinds, versionsKinds } from '../../src/middleware/versions.js'
import { exampleRecordsKinds } from '../../src/mock/example-records.js'
import { generatedExamplesKinds } from '../../src/mock/generated-examples.js'
import * as mock from '../../src/mock/index.js'
import { exampleRecords, generatedExamples } from '../../src/mock/index.js'
import { observeKinds } from '../../src/observe/observe.js'
import * as description from '../../src/openapi/index.js'
import { compareContracts, describeStrictly, openapi, upgradeGuide } from '../../src/openapi/index.js'
import { describeStrictlyKinds } from '../../src/openapi/strict/describe-strictly.js'
import type { KindTable } from '../../src/options/kinds.js'
import { representationKinds } from '../../src/plan/custom-representation.js'
import {
  endpointAnswerKinds,
  endpointTextKinds,
  operationTextKinds,
  resourceTextKinds,
} from '../../src/plan/describe-options.js'
import { documentServerKinds, fragmentKinds, infoKinds, openApiKinds } from '../../src/plan/document-options.js'
import {
  endpointKinds,
  endpointMethodKinds,
  endpointMethodsKinds,
  endpointQueryKinds,
  replyKinds,
  uploadKinds,
} from '../../src/plan/endpoint.js'
import { deprecationKinds, partLifeKinds, retirementKinds } from '../../src/plan/life.js'
import { mountKinds } from '../../src/plan/mount.js'
import { exportKinds } from '../../src/plan/transfer-format.js'
import { customProblemKinds, problemOptionKinds, unavailableOptionKinds } from '../../src/problem.js'
import { usagePageKinds } from '../../src/report/usage-page.js'
import { apiKinds, versionKinds } from '../../src/router/api.js'
import { describeKinds } from '../../src/router/documents.js'
import { dataAccessKinds } from '../../src/router/records/data-access.js'
import { jobKinds } from '../../src/router/records/open.js'
import { changeKinds, rowsKinds } from '../../src/router/records/records.js'
import { resourceRouterKinds } from '../../src/router/resource-router.js'
import { healthCheckKinds, healthKinds, probesKinds } from '../../src/server/health-options.js'
import * as server from '../../src/server/index.js'
import { nodeKinds, serverKinds } from '../../src/server/server-options.js'
import { shutdownKinds } from '../../src/server/shutdown.js'
import * as testing from '../../src/testing/index.js'
import { adapterSuiteKinds, suiteSubjectKinds, withoutKinds } from '../../src/testing/options.js'
import { csvKinds } from '../../src/transfer/csv.js'
import { importKinds } from '../../src/transfer/imports.js'
import * as transfer from '../../src/transfer/index.js'
import { ndjsonKinds } from '../../src/transfer/ndjson.js'
import * as counting from '../../src/usage/index.js'
import { redisUsageStoreKinds } from '../../src/usage/redis-store.js'
import { dueEndsKinds } from '../../src/usage/retirements.js'
import { usageKinds } from '../../src/usage/usage.js'

const { memoryAdapter } = memory
const { postgresAdapter, tableDdl, idempotencyDdl, redisReplicaPositions } = postgres
const { createServer, health, probes } = server
const { adapterSuite } = testing
const { csv, imports, ndjson } = transfer
const { dueEnds, observe, redisUsageStore, usage, usagePage } = counting

const orders = defineResource({
  collection: 'orders',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, note: { type: 'string' } } },
})
const store = memoryAdapter(orders)
const key = { algorithm: 'HS256', key: 'a secret of tests, 32 bytes or more' } as const

const targetCollection = {
  template: '/orders',
  methods: [],
  itemMethods: [],
  parameters: [],
  filters: [],
  first: 1,
  media: [],
  nullable: [],
  writeOnly: [],
  secured: false,
  tagged: false,
  counted: false,
}

const pending = new Promise(() => {})
const values: Readonly<Record<string, unknown>> = {
  "'false'": 'false',
  "'no'": 'no',
  NaN: Number.NaN,
  '-1': -1,
  '0.5': 0.5,
  "'10'": '10',
  true: true,
  null: null,
  '[]': [],
  '{}': {},
  'a promise': pending,
  'a symbol': Symbol('x'),
  'a function': () => {},
}

/** For each kind of option, the names of its valid values. All other values are invalid. */
const right = {
  boolean: ['true'],
  function: ['a function'],
  /** A number. No value is listed here, because each option has its own bounds. */
  number: [],
  /** One of several fixed strings, or a string that must have a special form. */
  enum: [],
  text: ["'false'", "'no'", "'10'"],
  list: ['[]'],
  table: ['{}'],
  /** One name, or several names. */
  names: ["'false'", "'no'", "'10'"],
  /** One string, or a list of at least one string. */
  texts: ["'false'", "'no'", "'10'"],
  /** The result of another factory. */
  made: [],
  /** Not checked, so all values are valid. */
  any: Object.keys(values),
} as const
type Expected = keyof typeof right

interface Factory {
  /** The name of the factory in messages. */
  readonly name: RegExp
  readonly make: (options: Record<string, unknown>) => unknown
  /** Options that the factory requires. */
  readonly required?: Record<string, unknown>
  /** Values that are valid in place of an object with options. */
  readonly instead?: readonly string[]
  /** Whether options with other names are allowed. */
  readonly open?: true
  /** Names that are too short for a suggestion of the closest name. */
  readonly tooShort?: readonly string[]
  /** The table that validates the options. Every name in the table is tested. */
  readonly kinds: KindTable
  readonly options: Readonly<Record<string, Expected | readonly [Expected, ...(keyof typeof values)[]]>>
}

const mounting = {
  area: 'text',
  collection: 'list',
  item: 'list',
  representations: 'list',
  exports: 'made',
  idempotencyKey: 'enum',
  endpoints: 'list',
  describe: 'table',
  retired: 'boolean',
  deprecated: ['boolean', '{}'],
  operations: 'table',
  below: 'table',
} as const
const partLife = { retired: 'boolean', deprecated: ['boolean', '{}'] } as const
const operationText = {
  summary: 'text',
  description: 'text',
  operationId: ['enum', "'no'", "'false'"],
  deprecated: 'boolean',
  examples: 'table',
  problems: 'list',
} as const
/**
 * The options of factories that take the option `conventions`, which sets the modes of clauses.
 */
const adopting = {
  conventions: 'table',
  onFinding: 'function',
  onConventionExpired: 'function',
  usage: 'made',
} as const
const limits = { bodyLimit: 'number', timeout: 'number' } as const
const service = {
  baseUrl: 'enum',
  authenticate: 'made',
  principal: 'function',
  permission: 'function',
  idempotencyOwner: 'function',
  rateLimit: 'made',
  cors: ['made', 'a function'],
  requireIfMatch: 'boolean',
  weakIfMatch: 'boolean',
  deleteStatus: 'number',
  representations: 'list',
  jsonPatch: 'boolean',
  page: 'table',
  ...limits,
  depthLimit: 'number',
  maxConcurrent: 'number',
  caches: 'boolean',
  problemBase: 'text',
  onStep: 'function',
  onQuery: 'function',
  onResponse: 'function',
  onError: 'function',
  ...adopting,
  parameters: 'table',
  shape: 'function',
} as const
const tokens = {
  keys: ['made', 'a function'],
  issuer: 'texts',
  audience: 'texts',
  clockTolerance: ['number', '0.5'],
  maxAge: 'number',
  type: 'text',
  revoked: 'function',
  principal: 'function',
  cache: 'number',
  realm: 'text',
} as const
const stores = {
  store: ['made'],
  storeTimeout: 'number',
  onStoreFailure: 'function',
  onStoreRecovery: 'function',
} as const
const limit = { limit: 'number', window: 'number' } as const
const life = {
  // The tests of versions() check the dates and the names of versions.
  deprecated: ['text', '-1', '0.5', 'NaN'],
  sunset: ['text', '-1', '0.5', 'NaN'],
  retireAtSunset: 'boolean',
  successor: 'text',
  brownouts: ['list', 'a function'],
} as const
/** The tests of versions() check the dates. */
const date = ['text', '-1', '0.5', 'NaN'] as const
const table = {
  resource: 'made',
  table: 'text',
  readFrom: 'text',
  columns: 'table',
  naming: ['enum', 'a function'],
  rest: 'text',
  version: 'enum',
  epoch: 'text',
  softDelete: 'text',
  onCreate: 'function',
  onUpdate: 'function',
  write: 'function',
  readBefore: 'boolean',
  session: 'function',
  attached: 'table',
  idempotency: 'enum',
  search: ['table', 'a function'],
  count: 'enum',
  countBound: 'number',
  probe: 'enum',
  keepRows: ['number', 'enum'],
  replica: ['boolean', '{}'],
  prepare: 'boolean',
  acquireTimeout: 'number',
  statementTimeout: 'number',
  onWarning: 'function',
} as const

const pool = new pg.Pool()
// biome-ignore lint/suspicious/noExplicitAny: JavaScript callers may pass any value
const any = (value: unknown): any => value
const handle = () => endpointReply({ status: 200 })
const records = Array.from({ length: 8 }, (_, at) => ({ id: String(at) }))
const schema = { type: 'object', properties: { id: { type: 'string' }, flag: { type: 'boolean' } } }
const define = (options: unknown) =>
  defineResource(any({ collection: 'orders', key: 'id', schema, ...(options as object) }))
const onePostgres = (options: unknown) => postgresAdapter(pool, any({ table: 'orders', ...(options as object) }))
const oneEndpoint = (options: unknown) => endpoint('search', any({ description: 'x', ...(options as object) }))
const job = api({
  baseUrl: 'https://a.example',
  versions: { v1: [mount(orders, memoryAdapter(orders, { records: any(records) }))] },
})

/** The factories by name. For nested options, the name includes the path of the option. */
const factories: Readonly<Record<string, Factory>> = {
  api: {
    name: /api\(\)/,
    kinds: apiKinds,
    make: (options) => api(any(options)),
    required: { versions: { v1: [mount(orders, store)] } },
    options: { ...service, login: 'made', describe: ['table', 'true'], secureHeaders: 'table', versions: 'made' },
  },
  'api versions.v1': {
    name: /the version v1/i,
    kinds: versionKinds,
    make: (options) => api(any({ versions: { v1: options } })),
    required: { resources: [mount(orders, store)], deprecated: '2026-01-01' },
    instead: ['[]'],
    options: { resources: 'list', routes: 'function', paths: 'table', page: 'table', parameters: 'table', ...life },
  },
  'api versions.v1 brownouts': {
    name: /brownouts of v1|the version v1/i,
    kinds: brownoutKinds,
    make: (brownout) =>
      api(any({ versions: { v1: { resources: [], deprecated: '2026-01-01', brownouts: [brownout] } } })),
    required: { from: '2026-01-01', until: '9999-01-01' },
    options: { from: date, until: date, status: 'number', exempt: 'list' },
  },
  'mount operations.read': {
    name: /mount of "orders"/,
    kinds: partLifeKinds,
    make: (read) => mount(orders, store, any({ operations: { read } })),
    options: partLife,
  },
  'mount deprecated': {
    name: /mount of "orders"/,
    kinds: deprecationKinds,
    make: (deprecated) => mount(orders, store, any({ deprecated })),
    instead: ['true'],
    options: { since: date, sunset: date, use: 'text' },
  },
  'mount retired': {
    name: /mount of "orders"/,
    kinds: retirementKinds,
    make: (retired) => mount(orders, store, any({ retired })),
    instead: ['true'],
    required: { since: '2026-01-01' },
    options: { since: date },
  },
  'api describe': {
    name: /describe of api\(\)/,
    kinds: describeKinds,
    make: (describe) => api(any({ describe, versions: { v1: [] } })),
    instead: ['true'],
    options: {
      info: 'table',
      servers: 'list',
      openapi: 'enum',
      pages: 'made',
      externalDocs: 'table',
      fragments: 'list',
      examples: 'made',
      public: 'boolean',
      reduced: 'boolean',
    },
  },
  'api page': {
    name: /api\(\)/,
    kinds: pageKinds,
    make: (page) => api(any({ page, versions: { v1: [] } })),
    options: { size: 'number', max: 'number', first: 'number' },
  },
  'api conventions.QUERY-8': {
    name: /"conventions\.QUERY-8"/,
    kinds: modeKinds,
    make: (entry) => api(any({ versions: { v1: [mount(orders, store)] }, conventions: { 'QUERY-8': entry } })),
    required: { mode: 'report' },
    options: { mode: 'enum', routes: 'made', until: 'enum', onExpired: 'enum', share: 'number' },
  },
  'api parameters': {
    name: /api\(\)/,
    kinds: parameterKinds,
    make: (parameters) => api(any({ versions: { v1: [] }, parameters })),
    tooShort: ['q'],
    options: { offest: 'made', limit: 'made', sort: 'made', q: 'made', expand: 'made', ignore: 'made' },
  },
  'api parameters.offest': {
    name: /api\(\)/,
    kinds: aliasKinds,
    make: (alias) => api(any({ versions: { v1: [] }, parameters: { offest: [alias] } })),
    required: { name: 'page' },
    instead: ["'false'", "'no'", "'10'"],
    options: { name: 'text', unit: 'enum' },
  },
  'records()': {
    name: /records\("orders"\)/,
    kinds: jobKinds,
    make: (options) => job.records(orders, any(options)),
    required: { principal: 1 },
    options: {
      within: 'any',
      adapter: 'made',
      permission: 'boolean',
      principal: 'any',
      version: 'enum',
      timeout: ['number', '0.5'],
      signal: 'made',
      requestId: 'text',
    },
  },
  resourceRouter: {
    name: /resourceRouter\(\)|mount of "orders"/,
    kinds: resourceRouterKinds,
    make: (options) => resourceRouter(orders, store, any(options)),
    options: { ...service, ...mounting, related: 'list' },
  },
  mount: {
    name: /mount of "orders"/,
    kinds: mountKinds,
    make: (options) => mount(orders, store, any(options)),
    options: mounting,
  },
  'mount exports': {
    name: /mount of "orders"/,
    kinds: exportKinds,
    make: (exports) => mount(orders, store, any({ exports })),
    required: { formats: [csv()] },
    options: { formats: 'made', timeout: 'number', stallTimeout: 'number', maxConcurrent: 'number' },
  },
  'mount describe': {
    name: /mount of "orders"/,
    kinds: resourceTextKinds,
    make: (text) => mount(orders, store, any({ describe: text })),
    options: { description: 'text', operations: 'table' },
  },
  'mount describe.operations.list': {
    name: /mount of "orders"/,
    kinds: operationTextKinds,
    make: (list) => mount(orders, store, any({ describe: { operations: { list } } })),
    options: operationText,
  },
  openapi: {
    name: /openapi\(\)/,
    kinds: openApiKinds,
    make: (options) => openapi(job, 'v1', any(options)),
    options: {
      info: 'table',
      servers: 'list',
      openapi: 'enum',
      externalDocs: 'table',
      fragments: 'list',
      examples: 'made',
    },
  },
  exampleRecords: {
    name: /exampleRecords\(\)/,
    kinds: exampleRecordsKinds,
    make: (options) => exampleRecords(orders, any(options)),
    options: { count: 'number', seed: ['number', '-1'] },
  },
  generatedExamples: {
    name: /generatedExamples\(\)/,
    kinds: generatedExamplesKinds,
    make: (options) => generatedExamples(any(options)),
    options: { seed: ['number', '-1'] },
  },
  compareContracts: {
    name: /compareContracts\(\)/,
    kinds: compareKinds,
    make: (options) => compareContracts(openapi(job, 'v1'), openapi(job, 'v1'), any(options)),
    options: { version: 'text', next: 'text', now: 'made' },
  },
  upgradeGuide: {
    name: /upgradeGuide\(\)/,
    kinds: upgradeGuideKinds,
    make: (options) => upgradeGuide(openapi(job, 'v1'), openapi(job, 'v1'), any(options)),
    options: { from: 'text', to: 'text' },
  },
  describeStrictly: {
    name: /describeStrictly\(\)/,
    kinds: describeStrictlyKinds,
    make: (options) => describeStrictly(job, any(options)),
    options: { fragments: 'list', onFault: 'function' },
  },
  docsPages: {
    name: /docsPages\(\)/,
    kinds: docsPagesKinds,
    make: (options) => docsPages(any(options)),
    options: { title: 'text', console: 'boolean' },
  },
  'openapi info': {
    name: /openapi\(\)/,
    kinds: infoKinds,
    make: (info) => openapi(job, 'v1', any({ info })),
    options: {
      title: 'text',
      version: 'text',
      summary: 'text',
      description: 'text',
      termsOfService: 'text',
      contact: 'table',
      license: 'table',
    },
  },
  'openapi servers': {
    name: /openapi\(\)/,
    kinds: documentServerKinds,
    make: (server) => openapi(job, 'v1', any({ servers: [server] })),
    required: { url: '/v1' },
    options: { url: 'text', description: 'text' },
  },
  'openapi fragments': {
    name: /openapi\(\)/,
    kinds: fragmentKinds,
    make: (fragment) => openapi(job, 'v1', any({ fragments: [fragment] })),
    options: { paths: 'table', components: 'table', tags: 'list' },
  },
  endpoint: {
    name: /endpoint\("search"\)/,
    kinds: endpointKinds,
    make: oneEndpoint,
    required: { methods: { GET: { handle } } },
    options: { description: 'text', methods: 'made', area: 'text', allow: 'table', ...limits, ...partLife },
  },
  'endpoint methods': {
    name: /endpoint\("search"\)/,
    kinds: endpointMethodsKinds,
    make: (methods) => oneEndpoint({ methods }),
    required: { DELETE: { handle } },
    options: { GET: 'made', POST: 'made', PUT: 'made', PATCH: 'made', DELETE: 'made' },
  },
  'endpoint methods.POST': {
    name: /endpoint\("search"\)/,
    kinds: endpointMethodKinds,
    make: (POST) => oneEndpoint({ methods: { POST } }),
    required: { handle },
    options: {
      query: 'made',
      body: 'table',
      upload: 'made',
      representations: 'list',
      describe: 'table',
      ...partLife,
      ...limits,
      handle: 'function',
    },
  },
  'endpoint methods.POST.describe': {
    name: /endpoint\("search"\)/,
    kinds: endpointTextKinds,
    make: (text) => oneEndpoint({ methods: { POST: { handle, describe: text } } }),
    options: { ...operationText, responses: 'table' },
  },
  'endpoint methods.POST.describe.responses.200': {
    name: /endpoint\("search"\)/,
    kinds: endpointAnswerKinds,
    make: (answer) => oneEndpoint({ methods: { POST: { handle, describe: { responses: { 200: answer } } } } }),
    options: { description: 'text', schema: 'table', headers: 'table' },
  },
  'endpoint methods.POST.query': {
    name: /endpoint\("search"\)/,
    kinds: endpointQueryKinds,
    open: true,
    make: (query) => oneEndpoint({ methods: { POST: { handle, query } } }),
    required: { properties: {} },
    options: { properties: 'table', required: 'list' },
  },
  'endpoint methods.POST.upload': {
    name: /endpoint\("search"\)/,
    kinds: uploadKinds,
    make: (upload) => oneEndpoint({ methods: { POST: { handle, upload } } }),
    required: { types: ['text/csv'], resource: 'orders' },
    options: { types: 'list', resource: 'text', hold: 'function', check: 'function' },
  },
  endpointReply: {
    name: /endpointReply\(\)/,
    kinds: replyKinds,
    make: (options) => endpointReply(any(options)),
    required: { status: 200 },
    options: { status: 'number', body: 'any', headers: 'table', version: 'text' },
  },
  defineResource: {
    name: /defineResource\("orders"\)|defineResource\(\)|"orders"|^The collection/,
    kinds: resourceKinds,
    make: (options) =>
      options === null || Array.isArray(options) || typeof options !== 'object'
        ? defineResource(any(options))
        : 'then' in options
          ? defineResource(any(options))
          : define(options),
    options: {
      collection: 'made',
      singular: 'text',
      allow: 'table',
      key: 'made',
      assigned: ['list', 'true'],
      schema: 'made',
      filters: 'table',
      sort: 'list',
      search: ['list', 'true'],
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
  'defineResource filters.id': {
    name: /"orders"/,
    kinds: filterKinds,
    make: (filter) => define({ filters: { id: filter } }),
    instead: ['true'],
    options: { field: 'text', op: 'enum', many: 'boolean', deprecated: ['boolean', '{}'] },
  },
  'defineResource filters.id.deprecated': {
    name: /"orders"/,
    kinds: filterDeprecationKinds,
    make: (deprecated) => define({ filters: { id: { deprecated } } }),
    instead: ['true'],
    options: { sunset: 'enum', use: 'text' },
  },
  'defineResource links.order': {
    name: /link "order" of "orders"|defineResource\("orders"\)/i,
    kinds: toLinkKinds,
    make: (order) => define({ links: { order } }),
    required: { to: 'orders', by: 'id' },
    options: { to: 'text', by: 'text', show: 'list', expand: 'boolean' },
  },
  'defineResource links.lines': {
    name: /link "lines" of "orders"|defineResource\("orders"\)/i,
    kinds: subLinkKinds,
    make: (lines) => define({ links: { lines } }),
    required: { sub: 'lines' },
    options: { sub: 'text' },
  },
  'defineResource links.flag': {
    name: /link "\w+" of "orders"|defineResource\("orders"\)/i,
    kinds: externalLinkKinds,
    make: (place) =>
      defineResource(
        any({
          collection: 'orders',
          key: 'id',
          schema: { type: 'object', properties: { id: { type: 'string' }, place: { type: 'object' } } },
          links: { place },
        }),
      ),
    required: { external: true },
    options: { external: ['boolean'] },
  },
  'defineResource parent': {
    name: /"orders"/,
    kinds: parentKinds,
    make: (parent) => define({ parent }),
    required: { of: 'clients', by: 'id' },
    options: { of: 'text', by: 'made' },
  },
  'defineResource attachedTo': {
    name: /"orders"/,
    kinds: attachmentKinds,
    make: (one) => define({ attachedTo: [one] }),
    required: { of: 'clients' },
    options: { of: 'text', by: 'made', as: 'text' },
  },
  representation: {
    name: /representation/,
    kinds: representationKinds,
    make: (options) => representation('text/csv', any(options)),
    required: { item: () => '' },
    options: { item: 'function', list: 'function', value: 'function', revision: 'text' },
  },
  adapterView: {
    name: /adapterView\(\)/,
    kinds: viewKinds,
    make: (options) => adapterView(store, any(options)),
    options: { rename: 'table', toWire: 'table', fromWire: 'table', hides: 'list', defaults: 'table' },
  },
  memoryAdapter: {
    name: /memoryAdapter\(\)/,
    kinds: memoryOptions.memoryAdapterKinds,
    make: (options) => memoryAdapter(orders, any(options)),
    options: {
      records: 'list',
      unique: 'list',
      onCreate: 'function',
      onUpdate: 'function',
      onRemove: 'function',
      idempotency: ['table', 'true'],
    },
  },
  'memoryAdapter idempotency': {
    name: /memoryAdapter\(\)/,
    kinds: memoryOptions.memoryIdempotencyKinds,
    make: (idempotency) => memoryAdapter(orders, { idempotency: any(idempotency) }),
    instead: ['true'],
    options: { ttl: ['number', '0.5'], max: 'number' },
  },
  postgresAdapter: {
    name: /postgresAdapter\(\)/,
    kinds: postgresOptions.postgresAdapterKinds,
    make: (options) => postgresAdapter(pool, any(options)),
    required: { table: 'orders' },
    options: table,
  },
  'postgresAdapter table': {
    name: /postgresAdapter\(\)/,
    kinds: postgresOptions.relationKinds,
    make: (relation) => onePostgres({ table: relation }),
    instead: right.text,
    required: { name: 'orders' },
    options: { schema: 'text', name: 'text' },
  },
  'postgresAdapter columns.id': {
    name: /postgresAdapter\(\)/,
    kinds: postgresOptions.columnKinds,
    make: (id) => onePostgres({ columns: { id } }),
    instead: right.text,
    options: { column: 'text', write: 'boolean', expression: 'text' },
  },
  'postgresAdapter version': {
    name: /postgresAdapter\(\)/,
    kinds: postgresOptions.versionKinds,
    make: (version) => onePostgres({ version }),
    required: { column: 'version' },
    options: { column: 'text', next: 'text', soleWriter: 'boolean', expression: 'text' },
  },
  'postgresAdapter softDelete': {
    name: /postgresAdapter\(\)/,
    kinds: postgresOptions.softDeleteKinds,
    make: (softDelete) => onePostgres({ softDelete }),
    instead: right.text,
    required: { column: 'deleted' },
    options: { column: 'text', deleted: 'text' },
  },
  'postgresAdapter replica': {
    name: /postgresAdapter\(\)/,
    kinds: postgresOptions.replicaKinds,
    make: (replica) => onePostgres({ replica }),
    instead: ['true'],
    options: { ownWrites: 'boolean', verified: 'boolean', positions: 'table' },
  },
  'postgresAdapter attached.clients': {
    name: /postgresAdapter\(\)/,
    kinds: postgresOptions.joinTableKinds,
    make: (clients) => onePostgres({ attached: { clients } }),
    required: { table: 'a', parent: 'b', key: 'c' },
    options: { table: 'text', parent: 'text', key: 'text' },
  },
  'postgresAdapter search': {
    name: /postgresAdapter\(\)/,
    kinds: postgresOptions.textSearchKinds,
    make: (search) => onePostgres({ search }),
    instead: ['a function'],
    options: { config: 'text', members: 'list', vector: 'text' },
  },
  idempotencyDdl: {
    name: /idempotencyDdl\(\)/,
    kinds: postgresOptions.idempotencyKinds,
    make: (options) => idempotencyDdl(any(options)),
    required: { table: 'keys' },
    options: { table: 'text', ttl: ['number', '0.5'], lock: 'boolean' },
  },
  tableDdl: {
    name: /tableDdl\(\)/,
    kinds: postgresOptions.postgresAdapterKinds,
    make: (options) => tableDdl(orders, any(options)),
    required: { table: 'orders', version: { column: 'version' } },
    options: table,
  },
  'tableDdl how': {
    name: /tableDdl\(\)/,
    kinds: tableDdlKinds,
    make: (how) => tableDdl(orders, { table: 'orders', version: { column: 'version', soleWriter: true } }, any(how)),
    options: { distributed: 'boolean' },
  },
  'tableDdl distributed': {
    name: /tableDdl\(\)/,
    kinds: colocationKinds,
    make: (distributed) =>
      tableDdl(
        orders,
        { table: 'orders', version: { column: 'version', soleWriter: true } },
        { distributed: any(distributed) },
      ),
    instead: ['true'],
    required: { colocateWith: 'clients' },
    options: { colocateWith: 'text' },
  },
  createServer: {
    name: /createServer\(\)/,
    kinds: serverKinds,
    make: (options) => createServer(() => {}, any(options)),
    options: {
      headersTimeout: 'number',
      requestTimeout: 'number',
      connectionsCheckingInterval: 'number',
      keepAliveTimeout: 'number',
      timeout: 'number',
      maxHeaderSize: 'number',
      maxHeadersCount: 'number',
      maxConnections: 'number',
      maxRequestsPerSocket: 'number',
      drain: 'number',
      grace: 'number',
      tls: 'table',
      node: 'table',
      problemBase: 'text',
      onClientError: 'function',
    },
  },
  'createServer node': {
    name: /createServer\(\)/,
    kinds: nodeKinds,
    open: true,
    make: (node) => createServer(() => {}, { node: any(node) }),
    options: {},
  },
  'createServer shutdown': {
    name: /shutdown\(\)/,
    kinds: shutdownKinds,
    make: (options) => void createServer(() => {}).shutdown(any(options)),
    options: { drain: 'number', grace: 'number' },
  },
  health: {
    name: /health\(\)/,
    kinds: healthKinds,
    make: (options) => health(any(options)),
    options: {
      checks: 'table',
      started: 'function',
      shows: 'function',
      maxAge: 'number',
      timeout: 'number',
      livePath: 'enum',
      readyPath: 'enum',
      server: 'made',
      problemBase: 'text',
      onFailure: 'function',
    },
  },
  'health check': {
    name: /the check "database" of health\(\)/i,
    kinds: healthCheckKinds,
    make: (one) => health({ checks: { database: any(one) } }),
    instead: ['a function'],
    required: { check: () => {} },
    options: { check: 'function', required: 'boolean' },
  },
  probes: {
    name: /probes\(\)/,
    kinds: probesKinds,
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
  bearer: {
    name: /bearer\(\)/,
    kinds: tokenKinds,
    make: (options) => bearer(any(options)),
    required: { keys: key },
    options: tokens,
  },
  'bearer keys': {
    name: /bearer\(\)/,
    kinds: tokenKeyKinds,
    make: (keys) => bearer(any({ keys })),
    instead: ['a function'],
    required: { ...key },
    options: { kid: 'text', algorithm: 'made', key: 'made' },
  },
  publicToken: {
    name: /publicToken\(\)/,
    kinds: tokenKinds,
    make: (options) => publicToken(any(options)),
    required: { keys: key },
    options: tokens,
  },
  authenticate: {
    name: /authenticate\(\)/,
    kinds: authenticateKinds,
    make: (options) => authenticate(any(options)),
    required: { field: 'Authorization', challenge: 'Basic realm="a"', identify: () => 1 },
    options: { field: 'text', challenge: 'text', identify: 'function' },
  },
  tokenIssuer: {
    name: /tokenIssuer\(\)/,
    kinds: tokenIssuerKinds,
    make: (options) => tokenIssuer(any(options)),
    required: { key },
    options: { key: 'made', issuer: 'text', audience: 'texts', lifetime: 'number', type: 'text' },
  },
  jwks: {
    name: /jwks\(\)/,
    kinds: jwksKinds,
    make: (options) => jwks('https://login.example/keys', any(options)),
    options: {
      maxAge: 'number',
      cooldown: ['number', '0.5'],
      timeout: 'number',
      fetch: 'function',
      onError: 'function',
    },
  },
  login: {
    name: /login\(\)/,
    kinds: loginKinds,
    make: (options) => login(any(options)),
    required: { find: () => undefined, token: () => '' },
    options: {
      find: 'function',
      verify: 'made',
      token: 'function',
      upgrade: 'function',
      attempts: 'table',
      ...stores,
      realm: 'text',
      onError: 'function',
    },
  },
  'login attempts': {
    name: /login\(\)/,
    kinds: attemptsKinds,
    make: (attempts) => login(any({ find: () => undefined, token: () => '', attempts })),
    options: { pair: 'table', address: 'table', account: 'table' },
  },
  scopePermission: {
    name: /scopePermission\(\)/,
    kinds: scopesKinds,
    make: (options) => scopePermission(any(options)),
    options: { of: 'function' },
  },
  needsRehash: {
    name: /needsRehash\(\)/,
    kinds: passwordKinds,
    make: (options) => needsRehash('', any(options)),
    options: { cost: 'number' },
  },
  rateLimit: {
    name: /rateLimit\(\)/,
    kinds: rateLimitKinds,
    make: (options) => rateLimit(any(options)),
    required: { limit: 600 },
    options: { ...limit, budgets: 'list', failures: 'table', key: 'function', ...stores, whenStoreFails: 'enum' },
  },
  'rateLimit budgets': {
    name: /rateLimit\(\)/,
    kinds: budgetKinds,
    make: (budget) => rateLimit(any({ limit: 600, budgets: [budget] })),
    required: { name: 'a', limit: 5 },
    options: { name: 'text', routes: 'enum', methods: 'enum', ...limit },
  },
  'rateLimit failures': {
    name: /rateLimit\(\)/,
    kinds: limitKinds,
    make: (failures) => rateLimit(any({ limit: 600, failures })),
    options: limit,
  },
  crossOrigin: {
    name: /crossOrigin\(\)/,
    kinds: crossOriginKinds,
    make: (options) => crossOrigin(any(options)),
    required: { origins: ['https://a.example'] },
    options: {
      origins: 'enum',
      credentials: 'boolean',
      maxAge: 'number',
      allowedHeaders: 'list',
      exposedHeaders: 'list',
    },
  },
  secureHeaders: {
    name: /secureHeaders\(\)/,
    kinds: secureHeadersKinds,
    make: (options) => secureHeaders(any(options)),
    options: { strictTransport: 'enum', contentSecurityPolicy: 'text', resourcePolicy: 'enum' },
  },
  ifMatch: {
    name: /ifMatch\(\)/,
    kinds: ifMatchKinds,
    make: (options) => ifMatch(any(options)),
    options: { required: 'boolean', weak: 'boolean', ...adopting },
  },
  listQuery: {
    name: /listQuery\(\)/,
    kinds: listQueryKinds,
    make: (options) => listQuery(orders, any(options)),
    options: { size: 'number', max: 'number', first: 'number', parameters: 'table', ...adopting },
  },
  recordBody: {
    name: /recordBody\(\)/,
    kinds: recordBodyKinds,
    make: (options) => recordBody(orders, any(options)),
    options: {
      id: 'function',
      jsonPatch: 'boolean',
      bodyLimit: 'number',
      depthLimit: 'number',
      timeout: 'number',
      ...adopting,
    },
  },
  negotiate: {
    name: /negotiate\(\)/,
    kinds: negotiateKinds,
    make: (options) => negotiate(any(options)),
    instead: ["'false'", "'no'", "'10'"],
    options: { offers: 'list', ...adopting },
  },
  noQuery: {
    name: /noQuery\(\)/,
    kinds: noQueryKinds,
    make: (options) => noQuery(any(options)),
    options: { parameters: 'table', ...adopting },
  },
  totalCount: {
    name: /totalCount\(\)/,
    kinds: totalCountKinds,
    make: (options) => totalCount(any(options)),
    options: { baseUrl: 'enum', ...adopting },
  },
  methodRules: {
    name: /methodRules\(\)/,
    kinds: methodsKinds,
    make: (options) => methodRules(any(options)),
    required: { on: 'collection', allow: ['GET'], permission: () => 'allow', resource: 'orders' },
    options: {
      on: 'enum',
      allow: 'list',
      baseUrl: 'enum',
      permission: 'function',
      resource: 'text',
      key: 'function',
      ...adopting,
    },
  },
  versions: {
    name: /versions\(\)/,
    kinds: versionsKinds,
    make: (options) => versions({ v1: () => {} }, any(options)),
    options: { baseUrl: 'enum' },
  },
  'versions v1': {
    name: /the version v1/i,
    kinds: versionEntryKinds,
    make: (entry) => versions({ v1: any(entry) }),
    instead: ['a function'],
    required: { handler: () => {}, deprecated: '2026-01-01' },
    options: { handler: 'function', paths: 'table', ...life },
  },
  problems: {
    name: /problems\(\)/,
    kinds: problemsKinds,
    make: (options) => problems(any(options)),
    options: { problemBase: 'text', onError: 'function', shape: 'function', ...adopting },
  },
  HttpProblem: {
    name: /new HttpProblem\(\)/,
    kinds: problemOptionKinds,
    make: (options) => new HttpProblem('rule', any(options)),
    options: { detail: 'text', errors: 'list', headers: 'table', cause: 'any' },
  },
  'HttpProblem of a service': {
    name: /new HttpProblem\(\)/,
    kinds: customProblemKinds,
    make: (kind) => new HttpProblem(any(kind)),
    required: { code: 'a', status: 400, title: 'A' },
    options: { code: 'text', status: 'number', title: 'text', clause: 'text' },
  },
  Unavailable: {
    name: /new Unavailable\(\)/,
    kinds: unavailableOptionKinds,
    make: (options) => new Unavailable(any(options)),
    options: { retryAfter: ['number', '-1', '0.5'], detail: 'text', cause: 'any', unchanged: 'boolean' },
  },
  adapterSuite: {
    name: /adapterSuite\(\)/,
    kinds: adapterSuiteKinds,
    make: (options) => adapterSuite(() => store, any(options)),
    options: {
      without: 'table',
      counts: 'enum',
      search: 'boolean',
      timeout: ['number', '0.5'],
      seed: ['number', '-1'],
      subject: 'made',
    },
  },
  'adapterSuite without': {
    name: /adapterSuite\(\)/,
    kinds: withoutKinds,
    make: (without) => adapterSuite(() => store, any({ without })),
    options: { create: 'text', replace: 'text', remove: 'text', attach: 'text', detach: 'text', recall: 'text' },
  },
  'adapterSuite subject': {
    name: /adapterSuite\(\)/,
    kinds: suiteSubjectKinds,
    make: (subject) => adapterSuite(() => store, any({ subject })),
    required: { definition: orders, records, change: (record: unknown) => record },
    options: { definition: 'made', records: 'made', change: 'function' },
  },
  checkService: {
    name: /checkService\(\)/,
    kinds: checkServiceKinds,
    make: (options) => resolveCheckOptions('checkService()', any(options)),
    required: { base: 'http://127.0.0.1/v1', target: {} },
    options: {
      base: 'enum',
      target: 'table',
      principals: 'list',
      account: 'enum',
      rate: ['number', '0.5'],
      budget: 'number',
      write: 'text',
      production: 'boolean',
      disposable: 'boolean',
      only: 'list',
      published: 'enum',
      direct: 'enum',
      onResult: 'function',
      onExchange: 'function',
    },
  },
  'checkService account': {
    name: /checkService\(\)/,
    kinds: accountKinds,
    make: (account) => resolveCheckOptions('checkService()', any({ base: 'http://127.0.0.1/v1', target: {}, account })),
    required: { user: 'ana', password: 'secret' },
    options: { user: 'text', password: 'text' },
  },
  'checkService principals': {
    name: /checkService\(\)/,
    kinds: principalKinds,
    make: (one) =>
      resolveCheckOptions('checkService()', any({ base: 'http://127.0.0.1/v1', target: {}, principals: [one] })),
    required: { name: 'reader', token: 'x' },
    options: {
      name: 'text',
      token: 'text',
      header: 'text',
      variable: ['enum', "'false'", "'no'"],
      forbidden: 'list',
      expired: 'boolean',
      readOnly: 'boolean',
    },
  },
  'target file': {
    name: /[Tt]he target/,
    kinds: targetFileKinds,
    make: (options) => readTarget(options),
    required: { collections: [] },
    options: {
      published: 'text',
      path: 'enum',
      collections: 'list',
      unlisted: 'list',
      login: 'enum',
      origin: 'enum',
      retired: 'list',
      principals: 'list',
      account: 'enum',
    },
  },
  'target file principals': {
    name: /[Tt]he target/,
    kinds: principalSourceKinds,
    make: (one) => readTarget({ collections: [], principals: [one] }),
    required: { name: 'reader' },
    options: {
      name: 'text',
      variable: ['enum', "'false'", "'no'"],
      command: 'text',
      header: 'text',
      forbidden: 'list',
      expired: 'boolean',
      readOnly: 'boolean',
    },
  },
  'target file account': {
    name: /[Tt]he target/,
    kinds: accountSourceKinds,
    make: (account) => readTarget({ collections: [], account }),
    required: { user: 'LOGIN_USER', password: 'LOGIN_PASSWORD' },
    options: { user: ['enum', "'false'", "'no'"], password: ['enum', "'false'", "'no'"] },
  },
  'target file collections': {
    name: /[Tt]he target/,
    kinds: collectionKinds,
    make: (one) => readTarget({ collections: [one] }),
    required: targetCollection,
    options: {
      template: 'enum',
      key: 'enum',
      methods: 'list',
      itemMethods: 'list',
      parameters: 'list',
      filters: 'list',
      sort: 'list',
      expand: 'list',
      itemExpand: 'list',
      flags: 'list',
      below: 'list',
      first: 'enum',
      largest: 'number',
      media: 'list',
      nullable: 'list',
      writeOnly: 'list',
      secured: 'boolean',
      deprecated: 'boolean',
      patches: 'list',
      associated: 'boolean',
      tagged: 'boolean',
      counted: 'boolean',
      create: 'enum',
    },
  },
  'target file filters': {
    name: /[Tt]he target/,
    kinds: targetFilterKinds,
    make: (one) => readTarget({ collections: [{ ...targetCollection, filters: [one] }] }),
    required: { name: 'state', type: 'string', many: false },
    options: { name: 'text', type: 'enum', many: 'boolean' },
  },
  'target file flags': {
    name: /[Tt]he target/,
    kinds: flagKinds,
    make: (one) => readTarget({ collections: [{ ...targetCollection, flags: [one] }] }),
    required: { name: 'urgent', methods: [] },
    options: { name: 'text', methods: 'list' },
  },
  'target file create': {
    name: /[Tt]he target/,
    kinds: creationKinds,
    make: (create) => readTarget({ collections: [{ ...targetCollection, create }] }),
    required: { members: [] },
    options: { body: 'table', members: 'list', marker: 'text', idempotent: 'boolean', unique: 'list' },
  },
  csv: {
    name: /csv\(\)/,
    kinds: csvKinds,
    make: (options) => csv(any(options)),
    options: { separator: 'enum', escapeFormulas: 'boolean', bom: 'boolean', fileName: 'text' },
  },
  ndjson: {
    name: /ndjson\(\)/,
    kinds: ndjsonKinds,
    make: (options) => ndjson(any(options)),
    options: { fileName: 'text' },
  },
  imports: {
    name: /imports\("order-imports"\)|endpoint\("order-imports"\)/,
    kinds: importKinds,
    make: (options) => imports('order-imports', orders, any(options)),
    required: { description: 'x', formats: [csv()], transaction: 'none' },
    options: {
      description: 'text',
      formats: 'made',
      transaction: ['made', 'a function'],
      maxRows: 'number',
      maxConcurrent: 'number',
      ...limits,
      area: 'text',
    },
  },
  usage: {
    name: /usage\(\)/,
    kinds: usageKinds,
    make: (options) => usage(any(options)),
    options: {
      store: 'made',
      client: ['enum', 'a function'],
      secret: 'enum',
      clients: 'number',
      days: 'number',
      interval: 'number',
      storeTimeout: 'number',
      onCount: 'function',
      onStoreFailure: 'function',
      onStoreRecovery: 'function',
    },
  },
  dueEnds: {
    name: /dueEnds\(\)/,
    kinds: dueEndsKinds,
    make: (options) =>
      dueEnds(
        [],
        { at: '2026-01-01T00:00:00.000Z', days: 30, since: undefined, gaps: [], calls: [], wouldBreak: [] },
        any(options),
      ),
    options: { within: 'number' },
  },
  observe: {
    name: /observe\(\)/,
    kinds: observeKinds,
    make: (options) => observe(any(options)),
    required: { usage: usage() },
    options: {
      usage: 'made',
      sample: ['number', '0.5'],
      budget: ['number', '0.5'],
      route: 'function',
      skip: 'function',
      parameters: 'table',
      allow: 'list',
      requireIfMatch: 'boolean',
      calls: 'boolean',
      onError: 'function',
    },
  },
  usagePage: {
    name: /usagePage\(\)/,
    kinds: usagePageKinds,
    make: (options) => usagePage(usage(), any(options)),
    required: { permission: () => 'allow' },
    options: { permission: 'function', resource: 'text' },
  },
  redisReplicaPositions: {
    name: /redisReplicaPositions\(\)/,
    kinds: redisReplicaPositionsKinds,
    make: (options) => redisReplicaPositions(any(options)),
    required: { sendCommand: () => Promise.resolve() },
    options: { sendCommand: 'function', prefix: 'text' },
  },
  redisUsageStore: {
    name: /redisUsageStore\(\)/,
    kinds: redisUsageStoreKinds,
    make: (options) => redisUsageStore(any(options)),
    required: { sendCommand: () => Promise.resolve() },
    options: { sendCommand: 'function', prefix: 'text' },
  },
}

/** Exports that have no options, or that take the options of a factory above. */
const others = [
  'causeText',
  'failureLine',
  'checkPassword',
  'clients',
  'ContractError',
  'contracts',
  'lines',
  'orders',
  'parcels',
  'readings',
  'snakeCase',
  'checkVersion',
  'coverageOf',
  'scheduledEnds',
  'memoryUsageStore',
  'reportOf',
  'ConfigurationError',
  'expectedVersions',
  'exposedHeaders',
  'getLog',
  'removeLeftovers',
  'hashPassword',
  'canonicalDocument',
  'DocumentError',
  'recordAnswer',
  'returnPreference',
  'sendTag',
  'preconditionFailed',
]

/**
 * Tables for objects that no factory takes: the options of a request or a job, and the entries of a
 * baseline file.
 */
const atRequests = [dataAccessKinds, changeKinds, rowsKinds, knownBreakKinds]

/** Whether the tested table of some factory includes all entries of `table`. */
const isSpread = (table: KindTable): boolean =>
  Object.values(factories).some(({ kinds }) => Object.entries(table).every(([name, kind]) => kinds[name] === kind))

const source = fileURLToPath(new URL('../../src', import.meta.url))
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const textOf = (file: string): string => readFileSync(join(source, file), 'utf8')
const isMisplaced = (kind: unknown): boolean => typeof kind === 'object' && kind !== null && 'instead' in kind

describe('options', () => {
  it('every factory of the package is tested', () => {
    const exported = [
      root,
      auth,
      conformance,
      middleware,
      memory,
      mock,
      description,
      docs,
      postgres,
      server,
      testing,
      transfer,
      counting,
    ].flatMap((module) => Object.keys(module))
    expect(exported.filter((name) => factories[name] === undefined && !others.includes(name))).toEqual([])
  })

  it('every option table is tested, and is exported by its file', async () => {
    const missing: string[] = []
    for (const file of files) {
      const text = textOf(file)
      if (!file.startsWith('options/') && /(?<!export )const \w+(?:: Kinds<| = .*satisfies Kinds<)/.test(text))
        missing.push(`${file}: not exported`)
      const names = [...text.matchAll(/export const (\w+): Kinds</g)].map(([, name]) => name as string)
      if (names.length === 0) continue
      const module = (await import(/* @vite-ignore */ join(source, file))) as Record<string, KindTable>
      for (const name of names) {
        const table = module[name] as KindTable
        const isHere =
          Object.values(factories).some(({ kinds }) => kinds === table) ||
          atRequests.includes(any(table)) ||
          isSpread(table)
        if (!isHere) missing.push(`${file}: ${name}`)
      }
    }
    expect(missing).toEqual([])
  })

  it('every public option type has an option table', () => {
    const exported = files
      .filter((file) => file.endsWith('index.ts'))
      .flatMap((file) => textOf(file).match(/\b\w+Options\b/g) ?? [])
    const tables = files.map(textOf).join('\n')
    // `LinkOptions` is a union of three types. `PasswordCheckOptions` is part of `LoginOptions`.
    // The table for `ResourceOptions` has the type `AnyOptions`.
    const exempt = ['LinkOptions', 'PasswordCheckOptions', 'ResourceOptions']
    const missing = [...new Set(exported)].filter(
      (type) => !exempt.includes(type) && !new RegExp(`Kinds<\\s*(?:NonNullable<)?${type}\\b`).test(tables),
    )
    expect(missing).toEqual([])
  })

  it('only files in src/options contain the message for an unknown option', () => {
    const own = files.filter(
      (file) =>
        !file.startsWith('options/') && /\bhas no option\b/.test(textOf(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')),
    )
    expect(own).toEqual([])
  })

  for (const [name, factory] of Object.entries(factories)) {
    const named = Object.keys(factory.kinds).filter((option) => !isMisplaced(factory.kinds[option]))
    it(`${name}: every option of its table is tested`, () => {
      expect(Object.keys(factory.options).sort()).toEqual(named.sort())
    })
    it(`${name}: the options must be an object`, () => {
      for (const [shown, value] of Object.entries(values)) {
        if (shown === '{}' || factory.instead?.includes(shown)) continue
        expect(() => factory.make(any(value)), shown).toThrow(ConfigurationError)
      }
    })
    if (factory.open !== true)
      it(`${name}: an unknown name is refused, and the message suggests a name`, () => {
        for (const option of named.filter((one) => !factory.tooShort?.includes(one))) {
          const stranger = `${option}x`
          const make = () => factory.make({ ...factory.required, [stranger]: undefined })
          expect(make, stranger).toThrow(factory.name)
          expect(make, stranger).toThrow(new RegExp(`has no option "${stranger}"\\. Did you mean "\\w+"\\?`))
        }
      })
    for (const [option, expected] of Object.entries(factory.options)) {
      const [kind, ...more] = typeof expected === 'string' ? [expected] : expected
      it(`${name}: a wrong kind of "${option}" is refused with a message that names the option`, () => {
        expect(() => factory.make({ ...factory.required })).not.toThrow()
        const taken: string[] = []
        for (const [shown, value] of Object.entries(values)) {
          if ((right[kind] as readonly string[]).includes(shown) || (more as string[]).includes(shown)) continue
          try {
            factory.make({ ...factory.required, [option]: value })
            taken.push(shown)
          } catch (error) {
            if (!(error instanceof ConfigurationError)) taken.push(`${shown}: ${error}`)
            else if (!error.message.includes(option) || !factory.name.test(error.message))
              taken.push(`${shown}: "${error.message}"`)
          }
        }
        expect(taken).toEqual([])
      })
    }
  }
})

it('if the option "version" of postgresAdapter() is an invalid string, the message shows valid values', () => {
  expect(() => onePostgres({ version: 'version' })).toThrow(
    'The option "version" of postgresAdapter() is of type string. Give \'xmin\' or an object such as ' +
      "{ column: 'version' }. [ERR-1 invalid-option]",
  )
})
