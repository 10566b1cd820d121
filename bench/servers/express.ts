/**
 * Idiomatic Express 5: middleware for each task, strong entity tags from row versions, and one
 * `KeyObject` for all tokens, which is created when the server starts.
 */
import { createServer } from 'node:http'
import cors from 'cors'
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express'
import { rateLimit } from 'express-rate-limit'
import { authenticate, authorize, type Caller, issueToken, keyOf, limit, logIn } from '../by-hand/access.js'
import { corsOptions, secureFields } from '../by-hand/browsers.js'
import { parseListQuery, parseNumero } from '../by-hand/list-query.js'
import { openStore } from '../by-hand/open-store.js'
import { absent, Problem, problemOf, problemType, stale } from '../by-hand/problem.js'
import { addressOf, newPiece, patchedPiece, represent } from '../by-hand/representation.js'
import type { Row, Store } from '../by-hand/store.js'
import { pageXml } from '../by-hand/xml.js'
import { loadHelper } from './library.js'
import type { Setting, Start } from './setting.js'

export const start: Start = (setting) => createServer(appOf(setting))

/** Runs the app of `start` on the HTTP server of the library's `createServer()`. */
export const startOnHelper: Start = async (setting) => (await loadHelper(setting.checkout)).createServer(appOf(setting))

const appOf = (setting: Setting): Express => makeApp(setting, piecesRouter(openStore(setting.database)))

/** Creates the app. `pieces` is the router of the pieces. */
export function makeApp(setting: Setting, pieces: express.Router): Express {
  const app = express()
  app.disable('x-powered-by')
  const key = keyOf(setting.secret)
  app.get('/login', async (req, res) => {
    const caller = await logIn(req.get('authorization'), setting.account)
    res.set({ 'x-authorization-token': issueToken(caller, key), 'Cache-Control': 'no-store' }).end()
  })
  if (setting.browsers === true) app.use(secureHeaders, cors(corsOptions))
  if (setting.secured) app.use(...secured(setting))
  app.use('/v1/pre-piezas', pieces)
  app.use(() => {
    throw absent()
  })
  app.use(problems)
  return app
}

function piecesRouter(store: Store): express.Router {
  const router = express.Router()

  router.get('/', async (req, res) => {
    const query = parseListQuery(req.query)
    const { rows, total } = await store.list(query)
    const pieces = rows.map((row) => represent(row, query.expand))
    res.set('X-Total-Count', String(total)).vary('Accept')
    const type = req.accepts(['json', 'xml'])
    if (type === 'json') res.json(pieces)
    else if (type === 'xml') res.type('xml').send(pageXml(pieces))
    else throw new Problem(415, 'No acceptable media type', 'JSON and XML are available.')
  })

  router.post('/', express.json(), mediaType('application/json'), async (req, res) => {
    const { piece, contract } = await newPiece(req.body, store)
    const { piece: created, version } = await store.create(piece, contract)
    res.status(201).location(addressOf(created.numero)).set('ETag', `"${version}"`).end()
  })

  router.get('/:numero', async (req, res) => {
    const row = await find(store, req)
    res.set('ETag', `"${row.version}"`)
    if (req.fresh) res.status(304).end()
    else res.json(represent(row))
  })

  router.patch('/:numero', express.json({ type: mergePatch }), mediaType(mergePatch), async (req, res) => {
    const row = await find(store, req)
    const expected = req.get('if-match')
    if (expected !== undefined && expected !== `"${row.version}"`) throw stale()
    const { piece, contract } = await patchedPiece(row, req.body, store)
    const saved = await store.replace(piece, contract, row.version)
    if (saved === undefined) throw stale()
    res.set('ETag', `"${saved.version}"`).json(represent(saved))
  })

  return router
}

const mergePatch = 'application/merge-patch+json'

async function find(store: Store, req: Request<{ numero: string }>): Promise<Row> {
  const numero = parseNumero(req.params.numero)
  const row = numero === undefined ? undefined : await store.read(numero)
  if (row === undefined) throw absent()
  return row
}

const secureHeaders: RequestHandler = (_req, res, next) => {
  res.set(secureFields)
  next()
}

const mediaType =
  (type: string): RequestHandler<never> =>
  (req, _res, next) => {
    if (!req.is(type)) throw new Problem(415, 'The media type is not supported', `Send ${type}.`)
    next()
  }

function secured({ secret }: Setting): [RequestHandler, RequestHandler] {
  const key = keyOf(secret)
  const who: RequestHandler = (req, res, next) => {
    const caller = authenticate(req.get('authorization'), key)
    authorize(caller, req.method === 'GET' ? 'read' : 'write')
    res.locals.caller = caller
    next()
  }
  const often = rateLimit({
    windowMs: 60_000,
    limit,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    keyGenerator: (_req, res) => (res.locals.caller as Caller).sub,
  })
  return [who, often]
}

const problems: ErrorRequestHandler = (error, req, res, _next) => {
  const problem = problemOf(error)
  res
    .status(problem.status)
    .set(problem.headers)
    .type(problemType)
    .send(JSON.stringify(problem.body(req.originalUrl)))
}
