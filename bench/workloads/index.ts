/** All workloads: which servers have them, what makes an answer right, and what is sent while the clock runs. */

import { piecesPath } from '../data/addresses.js'
import { branchCount, pieceCount } from '../data/records.js'
import type { ServerName } from '../servers/index.js'
import type { Ask } from './ask.js'
import {
  basic,
  changeable,
  checkCreate,
  checkExpandedPage,
  checkItem,
  checkLogin,
  checkNotModified,
  checkPage,
  checkPatch,
  checkToken,
  checkXmlPage,
  mergePatch,
  newBody,
  pageQuery,
} from './checks.js'
import type { Keys } from './keys.js'

/** A request, as the load generator writes it. */
export interface Sent {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** What one connection sends: the next request, given the tag of the answer before. */
export type Turn = (tag: string | undefined) => Sent

export interface Workload {
  readonly title: string
  /** Servers that have it. Default: all. */
  readonly servers?: readonly ServerName[]
  /** Servers ask for a token, and count. Those that always do get one in every workload. */
  readonly secured?: true
  /** The data is in PostgreSQL. */
  readonly database?: true
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

const onDatabase = ['express', 'fastify', 'mounted', 'mounted-helper', 'api-helper'] as const

/** Items in turn: each connection another row of them. */
const items = (connection: number, make: (path: string) => Sent): Turn => {
  const sent = Array.from({ length: 50 }, (_, at) => make(`${piecesPath}/${1 + ((connection * 997 + at * 101) % pieceCount)}`))
  return inTurn(sent)
}

const inTurn = (sent: readonly Sent[]): Turn => {
  let at = 0
  return () => sent[at++ % sent.length] as Sent
}

/** Pages of the same query, the first ten in turn. */
const pages = (tail: string, headers: Readonly<Record<string, string>> = {}): Turn =>
  inTurn(Array.from({ length: 10 }, (_, page) => ({ path: `${piecesPath}${pageQuery}&offest=${page + 1}${tail}`, headers })))

/** 2,000 queries in turn: pages of any branch, and of any of five sizes. None is asked for again soon. */
const anyPages = (connection: number): Turn => {
  let at = connection * 197
  return () => {
    at += 1
    const branch = 1 + (at % branchCount)
    const page = 1 + (Math.floor(at / branchCount) % 10)
    const size = 21 + (Math.floor(at / (10 * branchCount)) % 5)
    return { path: `${piecesPath}?sucursalDeDistribucion=${branch}&sort=-fechaDeEntrada&offest=${page}&limit=${size}` }
  }
}

async function tagged(ask: Ask, connection: number): Promise<Turn> {
  const sent: Sent[] = []
  for (let at = 0; at < 10; at++) {
    const path = `${piecesPath}/${1 + ((connection * 997 + at * 101) % pieceCount)}`
    sent.push({ path, headers: { 'if-none-match': (await ask(path)).headers.etag ?? '' } })
  }
  return inTurn(sent)
}

async function patches(ask: Ask, connection: number): Promise<Turn> {
  const path = `${piecesPath}/${changeable(connection)}`
  const first = (await ask(path)).headers.etag
  let value = 0
  return (tag) => {
    value = (value + 1) % 100_000
    return {
      method: 'PATCH',
      path,
      headers: { 'content-type': mergePatch, 'if-match': tag ?? first ?? '' },
      body: `{"valorDeclarado":${value}}`,
    }
  }
}

const creates = (connection: number): Turn =>
  inTurn(
    Array.from({ length: branchCount }, (_, at) => ({
      method: 'POST',
      path: piecesPath,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(newBody(connection + at)),
    })),
  )

const workloads = {
  item: { title: 'item GET', status: 200, check: checkItem, turns: (_ask, connection) => items(connection, (path) => ({ path })) },
  'not-modified': { title: '304 of an item', status: 304, check: checkNotModified, turns: tagged },
  page: { title: 'page of 25, filtered and sorted', status: 200, check: (ask) => checkPage(ask), turns: () => pages('') },
  'page-any': {
    title: 'pages of any branch and size',
    status: 200,
    check: (ask) => checkPage(ask),
    turns: (_ask, connection) => anyPages(connection),
  },
  'page-expanded': { title: 'the same page, expanded', status: 200, check: checkExpandedPage, turns: () => pages('&expand=contrato') },
  create: { title: 'POST', status: 201, check: checkCreate, turns: (_ask, connection) => creates(connection) },
  patch: { title: 'PATCH with If-Match', status: 200, tags: true, check: checkPatch, turns: patches },
  token: {
    title: 'item GET with token and rate limit',
    status: 200,
    secured: true,
    check: (ask, keys) =>
      checkToken(ask, { good: keys.token('*:read *:write'), forged: keys.forged(), scopeless: keys.token('none:read') }),
    turns: (_ask, connection) => items(connection, (path) => ({ path })),
  },
  'xml-page': {
    title: 'the page as XML',
    servers: ['express', 'express-helper', 'mounted', 'mounted-helper', 'api', 'api-helper'],
    status: 200,
    check: checkXmlPage,
    turns: () => pages('', { accept: 'application/xml' }),
  },
  'pg-item': {
    title: 'item GET from PostgreSQL',
    servers: onDatabase,
    database: true,
    status: 200,
    check: checkItem,
    turns: (_ask, connection) => items(connection, (path) => ({ path })),
  },
  'pg-page': {
    title: 'page from PostgreSQL',
    servers: onDatabase,
    database: true,
    status: 200,
    check: (ask) => checkPage(ask),
    turns: () => pages(''),
  },
  'pg-patch': {
    title: 'PATCH with If-Match in PostgreSQL',
    servers: onDatabase,
    database: true,
    status: 200,
    tags: true,
    check: checkPatch,
    turns: patches,
  },
  login: {
    title: 'login',
    servers: ['raw', 'express', 'fastify', 'hono', 'api'],
    status: 200,
    connections: 2,
    warmUp: 4,
    check: (ask, keys) => checkLogin(ask, keys.password, keys.isToken),
    turns: (_ask, _connection, keys) => inTurn([{ path: '/login', headers: { authorization: basic(keys.password) } }]),
  },
} satisfies Record<string, Workload>

export type WorkloadName = keyof typeof workloads

export const workloadNames = Object.keys(workloads) as WorkloadName[]

/** The table above, read as what it satisfies. */
export const workloadOf = (name: WorkloadName): Workload => workloads[name]
