/**
 * Hono on its Node server, with Hono's own middleware for tokens and for the entity tags of lists.
 * Hono has no middleware for rate limits, so the rate limit is hand-written.
 */
import type { webcrypto } from 'node:crypto'
import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { etag } from 'hono/etag'
import { HTTPException } from 'hono/http-exception'
import { jwt, sign } from 'hono/jwt'
import { authorize, type Caller, logIn, minuteLimit } from '../by-hand/access.js'
import { parseListQuery, parseNumero } from '../by-hand/list-query.js'
import { openStore } from '../by-hand/open-store.js'
import { absent, malformed, Problem, problemOf, problemType, stale } from '../by-hand/problem.js'
import { addressOf, newPiece, patchedPiece, represent } from '../by-hand/representation.js'
import type { Row, Store } from '../by-hand/store.js'
import type { Start } from './setting.js'

type Env = { Variables: { jwtPayload: Caller } }

export const start: Start = async (setting) => {
  const app = new Hono<Env>()
  const store = openStore(setting.database)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', Buffer.from(setting.secret, 'base64'), algorithm, false, [
    'sign',
    'verify',
  ])
  app.onError(answerProblem)
  app.notFound((c) => answerProblem(absent(), c))
  app.get('/login', async (c) => {
    const caller = await logIn(c.req.header('authorization'), setting.account)
    const token = await sign({ ...caller, exp: Math.floor(Date.now() / 1000) + 3600 }, key, 'HS256')
    return c.body(null, 200, { 'x-authorization-token': token, 'cache-control': 'no-store' })
  })
  if (setting.secured) secure(app, key)
  app.route('/v1/pre-piezas', piecesRoutes(store))
  return createAdaptorServer({ fetch: app.fetch }) as Server
}

function piecesRoutes(store: Store): Hono<Env> {
  const routes = new Hono<Env>()

  routes.get('/', etag(), async (c) => {
    const query = parseListQuery(single(c.req.queries()))
    const { rows, total } = await store.list(query)
    return c.json(
      rows.map((row) => represent(row, query.expand)),
      200,
      { 'x-total-count': String(total) },
    )
  })

  routes.post('/', async (c) => {
    const { piece, contract } = await newPiece(await bodyOf(c, 'application/json'), store)
    const created = await store.create(piece, contract)
    return c.body(null, 201, { location: addressOf(created.piece.numero), etag: tagOf(created) })
  })

  routes.get('/:numero', async (c) => {
    const row = await find(store, c.req.param('numero'))
    const tag = tagOf(row)
    return c.req.header('if-none-match') === tag
      ? c.body(null, 304, { etag: tag })
      : c.json(represent(row), 200, { etag: tag })
  })

  routes.patch('/:numero', async (c) => {
    const row = await find(store, c.req.param('numero'))
    const expected = c.req.header('if-match')
    if (expected !== undefined && expected !== tagOf(row)) throw stale()
    const { piece, contract } = await patchedPiece(row, await bodyOf(c, 'application/merge-patch+json'), store)
    const saved = await store.replace(piece, contract, row.version)
    if (saved === undefined) throw stale()
    return c.json(represent(saved), 200, { etag: tagOf(saved) })
  })

  return routes
}

const tagOf = ({ version }: Row): string => `"${version}"`

/**
 * Converts the list of values of each query parameter to a string if there is only one value. The
 * values of a repeated parameter stay a list.
 */
function single(queries: Record<string, string[]>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  )
}

async function find(store: Store, id: string): Promise<Row> {
  const numero = parseNumero(id)
  const row = numero === undefined ? undefined : await store.read(numero)
  if (row === undefined) throw absent()
  return row
}

async function bodyOf(c: Context, type: string): Promise<unknown> {
  if (c.req.header('content-type') !== type) throw new Problem(415, 'The media type is not supported', `Send ${type}.`)
  try {
    return await c.req.json()
  } catch {
    throw malformed('The body is not JSON.')
  }
}

function secure(app: Hono<Env>, key: webcrypto.CryptoKey): void {
  const count = minuteLimit()
  app.use(jwt({ secret: key, alg: 'HS256', realm: 'api' }))
  app.use(async (c, next) => {
    const caller = c.get('jwtPayload')
    authorize(caller, c.req.method === 'GET' ? 'read' : 'write')
    const { remaining, reset } = count(caller.sub)
    await next()
    c.header('ratelimit', `"default"; r=${remaining}; t=${reset}`)
  })
}

function answerProblem(error: Error, c: Context): Response {
  const problem =
    error instanceof HTTPException
      ? new Problem(error.status, 'Authentication is required', error.message, {
          'www-authenticate': 'Bearer realm="api"',
        })
      : problemOf(error)
  const body = JSON.stringify(problem.body(c.req.path))
  return c.body(body, problem.status as 400, { ...problem.headers, 'content-type': problemType })
}
