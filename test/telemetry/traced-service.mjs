/**
 * A service with the real SDK of OpenTelemetry. It runs in its own process, because
 * instrumentations must be loaded before the modules that they change. It prints the server spans
 * of its requests as JSON.
 *
 * Arguments: a folder that `express-folders.ts` creates, which determines the version of Express;
 * `import` or `require`, which determines how Express is loaded; the names of the instrumentations,
 * separated by commas; `listen` for a server of `node:http`, or `createServer` for a server of the
 * library.
 */
import http from 'node:http'
import { createRequire, register } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SpanKind } from '@opentelemetry/api'
import { ExpressInstrumentation } from '@opentelemetry/instrumentation-express'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

const [folder, way, names, server] = process.argv.slice(2)

if (way === 'import') register('@opentelemetry/instrumentation/hook.mjs', import.meta.url)
const exporter = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
provider.register()
const instrumentations = { http: new HttpInstrumentation(), express: new ExpressInstrumentation() }
for (const [name, instrumentation] of Object.entries(instrumentations)) {
  if (!names.split(',').includes(name)) instrumentation.disable()
}

// OpenTelemetry's hook for ES modules recognizes a package by the name in the import statement. So
// `express.mjs` in the folder imports `express` by its name.
const express =
  way === 'import'
    ? (await import(pathToFileURL(join(folder, 'express.mjs')).href)).default
    : createRequire(join(folder, 'any.cjs'))('express')
const library = new URL('../../dist/', import.meta.url)
const load = (path) => import(new URL(path, library).href)
const { api, defineResource, endpoint, HttpProblem, mount, resourceRouter, Unavailable } = await load('index.js')
const { memoryAdapter } = await load('adapters/memory/index.js')
const { rateLimit, versions } = await load('middleware/index.js')
const { createServer } = await load('server/index.js')

const contratos = defineResource({
  collection: 'contratos',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, nombre: { type: 'string' } } },
})
const records = () => memoryAdapter(contratos, { records: [{ id: 'C1', nombre: 'uno' }] })
const broken = defineResource({
  collection: 'averias',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
})
const failing = {
  list: () => ({ items: [], total: 0 }),
  read: async ([id]) => {
    if (id === 'hangs') return new Promise(() => arrived())
    throw id === 'down' ? new Unavailable() : new Error('broken')
  },
}

let arrived = () => {}
const hand = express.Router()
hand.get('/cuelga/:id', () => arrived())
hand.get('/a-mano/:id', (_req, res) => res.send('by hand'))
hand.get('/a-mano', (_req, res) => res.send('by hand'))
hand.get('/roto', (_req, _res, next) => next(new Error('broken')))
hand.get('/pasa', (_req, _res, next) => next())
const nested = express.Router()
nested.use((_req, _res, next) => next())
nested.get('/notas/:nota', (_req, res) => res.send('nested'))
nested.get('/roto', (_req, _res, next) => next(new Error('broken')))
hand.use('/clientes/:cliente', nested)

const service = (limit) =>
  api({
    principal: (req) => {
      if (req.headers['x-user'] === 'nobody')
        throw new HttpProblem('unauthenticated', { headers: { 'WWW-Authenticate': 'Bearer' } })
      return { sub: 'ana' }
    },
    rateLimit: rateLimit({ limit }),
    requireIfMatch: true,
    onError: () => {},
    versions: {
      v1: {
        resources: [
          mount(contratos, records()),
          mount(broken, failing),
          endpoint('cerrado', {
            description: 'Has been closed.',
            methods: {
              GET: {
                handle: () => {
                  throw new HttpProblem('gone')
                },
              },
            },
          }),
        ],
        routes: hand,
      },
      v2: { resources: [mount(contratos, records())], sunset: '2020-01-01', retireAtSunset: true },
      v0: 'retired',
    },
  })

const app = express()
app.use('/alone/v3', resourceRouter(contratos, records()))
const old = express.Router()
old.get('/cosas/:id', (_req, res) => res.send('old'))
app.use('/old', versions({ v5: old }))
app.use('/areas/:area', service(10_000))
app.use('/limited', service(1))
app.use(service(10_000))
app.get('/beside/:id', (_req, res) => res.send('beside'))

const listening = server === 'listen' ? http.createServer(app) : createServer(app)
await new Promise((resolve) => listening.listen(0, '127.0.0.1', resolve))
const { port } = listening.address()

const send = (method, path, headers = {}, body = undefined) =>
  new Promise((resolve, reject) => {
    const sized =
      body === undefined
        ? headers
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers }
    const req = http.request({ host: '127.0.0.1', port, method, path, headers: sized }, (res) => {
      res.resume().on('end', () => resolve({ status: res.statusCode, headers: res.headers }))
    })
    req.on('error', reject)
    req.end(body)
  })

/** Sends a GET, and disconnects as soon as its handler has started. */
const leave = (path) =>
  new Promise((resolve) => {
    const req = http.request({ host: '127.0.0.1', port, path })
    req.on('error', () => resolve({ status: 'gone' }))
    arrived = () => req.destroy()
    req.end()
  })

const { headers } = await send('GET', '/v1/contratos/C1')
const requests = [
  ['GET', '/v1/contratos/C1', { 'if-none-match': headers.etag }],
  ['GET', '/v1/contratos/C1', { 'x-user': 'nobody' }],
  ['GET', '/v1/contratos/none'],
  ['HEAD', '/v1/contratos/C1'],
  ['GET', '/v1/contratos?limit=1'],
  ['GET', '/v1/contratos?unknown=1'],
  ['GET', '/v1/contratos/C1', { accept: 'image/png' }],
  ['DELETE', '/v1/contratos'],
  ['PATCH', '/v1/contratos/C1', {}, '{}'],
  ['PATCH', '/v1/contratos/C1', { 'if-match': '"x"' }, '{"nombre":"dos"}'],
  ['POST', '/v1/contratos', {}, '{"nombre":1}'],
  ['POST', '/v1/contratos', {}, '{"id":"C2"}'],
  ['OPTIONS', '/v1/contratos/C1'],
  ['GET', '/v1/averias/broken'],
  ['GET', '/v1/averias/down'],
  ['GET', '/v1/cerrado'],
  ['GET', '/v2/contratos/C1'],
  ['GET', '/v0/contratos/C1'],
  ['GET', '/v9/contratos/C1'],
  ['GET', '/v1/nada/C1'],
  ['GET', '/v1/contratos/C1/nada'],
  ['GET', '/v1/contratos/%ff'],
  ['GET', '/limited/v1/contratos/C1'],
  ['GET', '/limited/v1/contratos/C1'],
  ['GET', '/limited/v1/nada'],
  ['GET', '/areas/sur/v1/contratos/C1'],
  ['GET', '/alone/v3/contratos/C1'],
  ['GET', '/alone/v3/contratos/none'],
  ['GET', '/v1/a-mano'],
  ['GET', '/v1/a-mano/7'],
  ['GET', '/v1/roto'],
  ['GET', '/v1/pasa'],
  ['GET', '/v1/clientes/7/notas/8'],
  ['GET', '/v1/clientes/7/roto'],
  ['GET', '/areas/sur/v1/clientes/7/notas/8'],
  ['GET', '/old/v5/cosas/7'],
  ['GET', '/beside/7'],
  ['GET', '/v1/cuelga/7', 'leaves'],
  ['GET', '/v1/averias/hangs', 'leaves'],
]
exporter.reset()
const seen = []
for (const [method, path, fields, body] of requests) {
  const { status } = await (fields === 'leaves' ? leave(path) : send(method, path, fields, body))
  // The span ends when the connection has accepted the response.
  while (!exporter.getFinishedSpans().some(({ kind }) => kind === SpanKind.SERVER))
    await new Promise((resolve) => setImmediate(resolve))
  const span = exporter.getFinishedSpans().find(({ kind }) => kind === SpanKind.SERVER)
  seen.push({ request: `${method} ${path} ${status}`, route: span.attributes['http.route'] ?? null, name: span.name })
  exporter.reset()
}
console.log(JSON.stringify(seen))
process.exit(0)
