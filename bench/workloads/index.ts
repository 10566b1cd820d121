/** All workloads: their servers, the checks of their responses, and the timed requests. */

import { shop } from '../by-hand/browsers.js'
import type { ServerName } from '../servers/index.js'
import type { Ask } from './ask.js'
import { checkFull, checkFullNotModified } from './browser-checks.js'
import {
  basic,
  checkCreate,
  checkExpandedPage,
  checkItem,
  checkLogin,
  checkMixed,
  checkNotModified,
  checkPage,
  checkPatch,
  checkToken,
  checkXmlPage,
} from './checks.js'
import type { Keys } from './keys.js'
import { anyPages, creates, inTurn, items, mixed, pages, patches, type Turn, tagged } from './turns.js'

export interface Workload {
  readonly title: string
  /** The servers that run the workload. Default: all servers without the mark `onlyIfListed`. */
  readonly servers?: readonly ServerName[]
  /**
   * Servers require a token and apply a rate limit. Without this option, requests have a token only
   * if they are sent to servers that always require a token.
   */
  readonly secured?: true
  /** Secured servers also send header fields for browsers: CORS and secure headers. */
  readonly browsers?: true
  /** Requests have no token, even if the server requires a token for other requests. */
  readonly anonymous?: true
  /** The data is in PostgreSQL. */
  readonly database?: true
  /** The library reads its data from a custom adapter. */
  readonly ownAdapter?: true
  /** The expected status of every timed response. */
  readonly status: number
  /** Whether each request contains the entity tag of the previous response. */
  readonly tags?: true
  /** The number of connections. Each has one request in flight. Default: 10. */
  readonly connections?: number
  /**
   * The maximum number of requests of the first warm-up, which takes at most ten seconds. A second
   * warm-up of at most one second follows. Default: 5,000.
   */
  readonly warmUp?: number
  /** Checks responses of a server. Throws if a response is wrong. */
  check(ask: Ask, keys: Keys): Promise<void>
  /**
   * Returns the requests of one connection. Data that the requests need, such as entity tags, is
   * fetched before the timing starts.
   */
  turns(ask: Ask, connection: number, keys: Keys): Promise<Turn> | Turn
}

const item: Workload = {
  title: 'item GET',
  status: 200,
  check: checkItem,
  turns: (_ask, connection) => items(connection),
}
const notModified: Workload = {
  title: '304 of an item',
  status: 304,
  check: checkNotModified,
  turns: (ask, connection) => tagged(ask, connection),
}
const page: Workload = {
  title: 'page of 25, filtered and sorted',
  status: 200,
  check: (ask) => checkPage(ask),
  turns: () => pages(''),
}
const pageAny: Workload = {
  title: 'pages of any branch and size',
  status: 200,
  check: (ask) => checkPage(ask),
  turns: (_ask, connection) => anyPages(connection),
}
const pageExpanded: Workload = {
  title: 'page of 25, expanded',
  status: 200,
  check: checkExpandedPage,
  turns: () => pages('&expand=contrato'),
}
const create: Workload = {
  title: 'POST',
  status: 201,
  check: checkCreate,
  turns: (_ask, connection) => creates(connection),
}
const patch: Workload = { title: 'PATCH with If-Match', status: 200, tags: true, check: checkPatch, turns: patches }
const nineToOne: Workload = {
  title: 'nine pages of any branch and size, then one PATCH',
  status: 200,
  tags: true,
  check: checkMixed,
  turns: mixed,
}

const byHandAndMounted = [
  'express',
  'express-helper',
  'fastify',
  'fastify-tuned',
  'mounted',
  'mounted-helper',
  'mounted-subscribed',
  'api-helper',
] as const

const inPostgres = (workload: Workload): Workload => ({
  ...workload,
  title: `${workload.title}, in PostgreSQL`,
  servers: byHandAndMounted,
  database: true,
})

const readInPostgres = (workload: Workload): Workload => ({
  ...inPostgres(workload),
  servers: ['sql-json', ...byHandAndMounted],
})

const overOwnAdapter = (workload: Workload): Workload => ({
  ...workload,
  title: `${workload.title}, over a custom adapter`,
  servers: ['raw', ...byHandAndMounted],
  ownAdapter: true,
})

const full = {
  servers: ['express', 'express-helper', 'fastify', 'fastify-tuned', 'api', 'api-helper'],
  secured: true,
  browsers: true,
} as const
const fromShop = { origin: shop }

/**
 * In PostgreSQL, workloads that write come after those that only read, because writes enlarge the
 * tables.
 */
const workloads = {
  item,
  'not-modified': notModified,
  page,
  'page-any': pageAny,
  'page-expanded': pageExpanded,
  create,
  patch,
  mixed: nineToOne,
  token: {
    title: 'item GET with token and rate limit',
    status: 200,
    secured: true,
    check: (ask, keys) =>
      checkToken(ask, {
        good: keys.token('*:read *:write'),
        forged: keys.forged(),
        scopeless: keys.token('none:read'),
      }),
    turns: (_ask, connection) => items(connection),
  },
  'full-item': {
    title: 'item GET with token, limit, CORS and secure headers',
    ...full,
    status: 200,
    check: checkFull,
    turns: (_ask, connection) => items(connection, fromShop),
  },
  'full-not-modified': {
    title: '304 with token, limit, CORS and secure headers',
    ...full,
    status: 304,
    check: checkFullNotModified,
    turns: (ask, connection) => tagged(ask, connection, fromShop),
  },
  'xml-page': {
    title: 'page of 25 as XML',
    servers: ['express', 'express-helper', 'mounted', 'mounted-helper', 'api', 'api-helper'],
    status: 200,
    check: checkXmlPage,
    turns: () => pages('', { accept: 'application/xml' }),
  },
  'adapter-item': overOwnAdapter(item),
  'adapter-page': overOwnAdapter(page),
  'adapter-page-any': overOwnAdapter(pageAny),
  'pg-item': readInPostgres(item),
  'pg-not-modified': readInPostgres(notModified),
  'pg-page': readInPostgres(page),
  'pg-page-any': readInPostgres(pageAny),
  'pg-page-expanded': readInPostgres({ ...pageExpanded, title: 'page of 25, expanded' }),
  'pg-patch': inPostgres(patch),
  'pg-mixed': inPostgres(nineToOne),
  'pg-create': inPostgres(create),
  login: {
    title: 'login',
    servers: ['raw', 'express', 'fastify', 'hono', 'api'],
    status: 200,
    connections: 2,
    warmUp: 4,
    anonymous: true,
    check: (ask, keys) => checkLogin(ask, keys.password, keys.isToken),
    turns: (_ask, _connection, keys) => inTurn([{ path: '/login', headers: { authorization: basic(keys.password) } }]),
  },
} satisfies Record<string, Workload>

export type WorkloadName = keyof typeof workloads

export const workloadNames = Object.keys(workloads) as WorkloadName[]

/** Returns a workload by its name, typed as `Workload`. */
export const workloadOf = (name: WorkloadName): Workload => workloads[name]
