/** All workloads: which servers have them, what makes an answer right, and what is sent while the clock runs. */

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
  /** Servers that have it. Default: all but those that have only what names them. */
  readonly servers?: readonly ServerName[]
  /** Servers ask for a token, and count. Those that always do get one in every workload. */
  readonly secured?: true
  /** Servers that are secured have the fields for browsers too: CORS and secure headers. */
  readonly browsers?: true
  /** Requests bear no token, although the server may ask for one elsewhere. */
  readonly anonymous?: true
  /** The data is in PostgreSQL. */
  readonly database?: true
  /** The library's data comes from an adapter of a team's own. */
  readonly ownAdapter?: true
  /** The status of every answer while the clock runs. */
  readonly status: number
  /** Whether turns go by the tag of the answer before. */
  readonly tags?: true
  /** How many requests are under way at a time. Default 10. */
  readonly connections?: number
  /** Requests before the first round, as far as ten seconds have room for them, and a second more: a compiler is not done earlier. Default 5,000. */
  readonly warmUp?: number
  /** Throws where a server answers anything else than it should. */
  check(ask: Ask, keys: Keys): Promise<void>
  /** The turns of one connection. What it has to know first it asks for, before the clock runs. */
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
  title: 'the same page, expanded',
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
  title: 'nine pages of any branch and size to one PATCH',
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
  title: `${workload.title}, by an own adapter`,
  servers: ['raw', ...byHandAndMounted],
  ownAdapter: true,
})

const full = {
  servers: ['express', 'express-helper', 'fastify', 'fastify-tuned', 'api', 'api-helper'],
  secured: true,
  browsers: true,
} as const
const fromShop = { origin: shop }

/** Writes stand behind reads: those in PostgreSQL leave larger tables. */
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
    title: 'the page as XML',
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

/** The table above, read as what it satisfies. */
export const workloadOf = (name: WorkloadName): Workload => workloads[name]
