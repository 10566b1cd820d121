/**
 * Fastify 5 with its plugins, and with schemas for requests and responses. The tuned server derives
 * entity tags from row versions instead of hashes, and caches verified tokens.
 */
import { createHash } from 'node:crypto'
import type { Server } from 'node:http'
import fastifyEtag from '@fastify/etag'
import fastifyJwt from '@fastify/jwt'
import fastifyRateLimit from '@fastify/rate-limit'
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchema,
  type onRequestHookHandler,
} from 'fastify'
import { authorize, type Caller, limit, logIn } from '../by-hand/access.js'
import { corsFields, preflightFields, secureFields, shop } from '../by-hand/browsers.js'
import { parseListQuery, parseNumero } from '../by-hand/list-query.js'
import { openStore } from '../by-hand/open-store.js'
import { absent, invalid, Problem, problemOf, problemType, stale } from '../by-hand/problem.js'
import { addressOf, newPiece, patchedPiece, represent } from '../by-hand/representation.js'
import type { Row, Store } from '../by-hand/store.js'
import { piecesPath } from '../data/addresses.js'
import { contratoSchema, piezaSchema, shown } from '../data/resources.js'
import type { Setting, Start } from './setting.js'

export const start: Start = (setting) => makeApp(setting, false)
export const startTuned: Start = (setting) => makeApp(setting, true)

async function makeApp(setting: Setting, tuned: boolean): Promise<Server> {
  const store = openStore(setting.database)
  // Validation must not change bodies. By default, Fastify's Ajv converts values to the types of
  // the schema, such as a number to a string, and removes members that a schema forbids.
  const app = fastify({
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, formats: { 'local-date-time': dateTime } } },
  })
  app.setErrorHandler(answerProblem)
  app.setNotFoundHandler((req, reply) => answerProblem(absent(), req, reply))
  app.addContentTypeParser(
    'application/merge-patch+json',
    { parseAs: 'string' },
    app.getDefaultJsonParser('error', 'error'),
  )
  await app.register(fastifyEtag)
  await app.register(fastifyJwt, {
    secret: Buffer.from(setting.secret, 'base64'),
    verify: { algorithms: ['HS256'], ...(tuned ? { cache: true } : {}) },
    sign: { expiresIn: '1h' },
  })
  if (setting.browsers === true) app.addHook('onRequest', setBrowserHeaders)
  app.get('/login', async (req, reply) => {
    const caller = await logIn(req.headers.authorization, setting.account)
    reply.headers({ 'x-authorization-token': app.jwt.sign({ ...caller }), 'cache-control': 'no-store' }).send()
  })
  // These routes are registered in a separate Fastify context, so that `/login` requires no token.
  await app.register(async (own) => {
    if (setting.secured) await secure(own)
    routes(own, store, tuned ? versionTag : hashTag)
  })
  await app.ready()
  return app.server as Server
}

type TagOf = (row: Row, reply: FastifyReply) => string

function routes(app: FastifyInstance, store: Store, tagOf: TagOf): void {
  app.get(piecesPath, { schema: schemas.page }, async (req, reply) => {
    const query = parseListQuery(req.query as Record<string, unknown>)
    const { rows, total } = await store.list(query)
    reply.header('x-total-count', total)
    return rows.map((row) => represent(row, query.expand))
  })

  app.post(piecesPath, { schema: schemas.create }, async (req, reply) => {
    const { piece, contract } = await newPiece(req.body, store)
    const created = await store.create(piece, contract)
    reply.code(201).headers({ location: addressOf(created.piece.numero), etag: tagOf(created, reply) })
    reply.send()
  })

  app.get(`${piecesPath}/:numero`, { schema: schemas.item }, async (req, reply) => {
    const row = await find(store, req)
    if (tagOf === versionTag) {
      const tag = versionTag(row)
      reply.header('etag', tag)
      if (req.headers['if-none-match'] === tag) return reply.code(304).send()
    }
    return represent(row)
  })

  app.patch(`${piecesPath}/:numero`, { schema: schemas.patch }, async (req, reply) => {
    const row = await find(store, req)
    const expected = req.headers['if-match']
    if (expected !== undefined && expected !== tagOf(row, reply)) throw stale()
    const { piece, contract } = await patchedPiece(row, req.body, store)
    const saved = await store.replace(piece, contract, row.version)
    if (saved === undefined) throw stale()
    if (tagOf === versionTag) reply.header('etag', versionTag(saved))
    return represent(saved)
  })
}

const versionTag = ({ version }: Row): string => `"${version}"`

/**
 * Computes the entity tag from the payload, as Fastify's plugin for entity tags does. To get the
 * payload, this function serializes the current representation.
 */
const hashTag: TagOf = (row, reply) => {
  const text = reply.compileSerializationSchema(answered)(represent(row))
  return `"${createHash('sha1').update(text).digest('base64')}"`
}

async function find(store: Store, req: FastifyRequest): Promise<Row> {
  const numero = parseNumero((req.params as { numero: string }).numero)
  const row = numero === undefined ? undefined : await store.read(numero)
  if (row === undefined) throw absent()
  return row
}

const setBrowserHeaders: onRequestHookHandler = (req, reply, done) => {
  reply.headers(secureFields)
  if (req.headers.origin === shop) {
    if (req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined) {
      reply.code(204).headers(preflightFields).send()
      return
    }
    reply.headers(corsFields)
  }
  done()
}

async function secure(app: FastifyInstance): Promise<void> {
  app.addHook('onRequest', async (req) => {
    try {
      await req.jwtVerify()
    } catch {
      throw new Problem(401, 'Authentication is required', 'The token is missing or not valid.', {
        'www-authenticate': 'Bearer realm="api"',
      })
    }
    authorize(req.user as Caller, req.method === 'GET' ? 'read' : 'write')
  })
  await app.register(fastifyRateLimit, {
    max: limit,
    timeWindow: '1 minute',
    hook: 'preHandler',
    keyGenerator: (req) => (req.user as Caller).sub,
  })
}

function answerProblem(error: FastifyError | Error, req: FastifyRequest, reply: FastifyReply): void {
  const { validation, statusCode } = error as FastifyError
  const problem =
    validation !== undefined
      ? invalid(error.message)
      : !(error instanceof Problem) && statusCode !== undefined && statusCode < 500
        ? new Problem(statusCode, 'The request is malformed', error.message)
        : problemOf(error)
  reply
    .code(problem.status)
    .headers(problem.headers)
    .type(problemType)
    .send(JSON.stringify(problem.body(req.url)))
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}$/
const { contratoId: _, ...members } = piezaSchema.properties
const link = { type: 'object', required: ['href'], properties: { href: { type: 'string' } } }
const { numero: __, ...sentMembers } = members

/** The schema of the body of a POST. */
const sent = {
  type: 'object',
  required: ['contrato', ...piezaSchema.required.filter((name) => name !== 'contratoId' && name !== 'numero')],
  properties: { contrato: link, ...sentMembers },
}

/**
 * The schema of a piece in responses. `contrato` is a link, or the contract itself if the link is
 * expanded.
 */
const answered = {
  type: 'object',
  properties: {
    contrato: {
      type: 'object',
      properties: {
        href: { type: 'string' },
        ...contratoSchema.properties,
        ...Object.fromEntries(shown.map((name) => [name, { type: 'boolean' }])),
      },
    },
    ...members,
    fechaDeEntrada: { type: 'string' },
  },
}

const schemas: Readonly<Record<'page' | 'create' | 'item' | 'patch', FastifySchema>> = {
  page: { response: { 200: { type: 'array', items: answered } } },
  create: { body: sent },
  item: { response: { 200: answered } },
  patch: { body: { type: 'object' }, response: { 200: answered } },
}
