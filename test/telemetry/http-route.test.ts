/**
 * The attribute `http.route` of spans, with the unmodified OpenTelemetry instrumentations for HTTP
 * and Express.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { tracedRequest } from '../../src/telemetry/http-route.js'
import { type ExpressFolders, makeExpressFolders } from './express-folders.js'

const program = fileURLToPath(new URL('traced-service.mjs', import.meta.url))
const contrato = '/v1/contratos/{id}'

/**
 * The route of each span, by the request and the status of the span. `null` stands for a span
 * without a route.
 */
const expected: Readonly<Record<string, string | null>> = {
  'GET /v1/contratos/C1 304': contrato,
  'GET /v1/contratos/C1 401': contrato,
  'GET /v1/contratos/none 404': contrato,
  'HEAD /v1/contratos/C1 302': contrato,
  'GET /v1/contratos?limit=1 200': '/v1/contratos',
  'GET /v1/contratos?unknown=1 400': '/v1/contratos',
  'GET /v1/contratos/C1 415': contrato,
  'DELETE /v1/contratos 405': '/v1/contratos',
  'PATCH /v1/contratos/C1 428': contrato,
  'PATCH /v1/contratos/C1 412': contrato,
  'POST /v1/contratos 422': '/v1/contratos',
  'POST /v1/contratos 201': '/v1/contratos',
  'OPTIONS /v1/contratos/C1 204': contrato,
  'GET /v1/averias/broken 500': '/v1/averias/{id}',
  'GET /v1/averias/down 503': '/v1/averias/{id}',
  'GET /v1/cerrado 410': '/v1/cerrado',
  'GET /v2/contratos/C1 410': '/v2/contratos/{id}',
  'GET /v0/contratos/C1 410': null,
  'GET /v9/contratos/C1 404': null,
  'GET /v1/nada/C1 404': null,
  'GET /v1/contratos/C1/nada 404': null,
  'GET /v1/contratos/%ff 400': null,
  'GET /limited/v1/contratos/C1 200': `/limited${contrato}`,
  'GET /limited/v1/contratos/C1 429': `/limited${contrato}`,
  'GET /limited/v1/nada 429': null,
  'GET /areas/sur/v1/contratos/C1 200': `/areas/{area}${contrato}`,
  'GET /alone/v3/contratos/C1 200': '/alone/v3/contratos/{id}',
  'GET /alone/v3/contratos/none 404': '/alone/v3/contratos/{id}',
  'GET /v1/a-mano 200': '/v1/a-mano',
  'GET /v1/a-mano/7 200': '/v1/a-mano/:id',
  'GET /v1/roto 500': '/v1/roto',
  'GET /v1/pasa 404': null,
  'GET /v1/clientes/7/notas/8 200': '/v1/clientes/{cliente}/notas/:nota',
  'GET /v1/clientes/7/roto 500': '/v1/clientes/{cliente}/roto',
  'GET /areas/sur/v1/clientes/7/notas/8 200': '/areas/{area}/v1/clientes/{cliente}/notas/:nota',
  'GET /old/v5/cosas/7 200': '/old/v5/cosas/:id',
  'GET /v1/cuelga/7 gone': '/v1/cuelga/:id',
  'GET /v1/averias/hangs gone': '/v1/averias/{id}',
}

interface Seen {
  readonly request: string
  readonly route: string | null
  readonly name: string
}

let folders: ExpressFolders
beforeAll(() => {
  folders = makeExpressFolders()
})
afterAll(() => folders.remove())

async function spansOf(major: 4 | 5, way: string, instrumentations: string, server: string): Promise<readonly Seen[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    program,
    folders[major],
    way,
    instrumentations,
    server,
  ])
  return JSON.parse(stdout) as Seen[]
}

describe.each([
  [5, 'import', 'http,express', 'listen'],
  [5, 'require', 'http', 'createServer'],
  [4, 'import', 'http,express', 'createServer'],
  [4, 'require', 'http,express', 'listen'],
] as const)(
  'the spans of Express %s (loaded by: %s; instrumentations: %s; server: %s)',
  (major, way, instrumentations, server) => {
    let seen: readonly Seen[]
    beforeAll(async () => {
      seen = await spansOf(major, way, instrumentations, server)
    })

    it('ERR-2: the route of a span is the full template of the request path, or absent for an unknown path', () => {
      const ours = seen.filter(({ request }) => !request.includes('/beside/'))
      expect(Object.fromEntries(ours.map(({ request, route }) => [request, route]))).toEqual(expected)
    })

    it('the span name consists of the method and, if known, the template of the path', () => {
      const wrong = seen.filter(
        ({ request, route, name }) => name !== [request.split(' ')[0], route ?? []].flat().join(' '),
      )
      expect(wrong).toEqual([])
    })

    it('other routes of the app get their http.route from Express’s instrumentation, if it is installed', () => {
      const appRoute = seen.find(({ request }) => request.includes('/beside/'))
      expect(appRoute?.route).toBe(instrumentations.includes('express') ? '/beside/:id' : null)
    })
  },
)

describe('tracedRequest()', () => {
  const key = Symbol.for('opentelemetry.js.api.1')
  const holder = globalThis as { [key]?: unknown }
  const before = holder[key]
  afterEach(() => {
    if (before === undefined) delete holder[key]
    else holder[key] = before
  })

  it.each([
    ['the OpenTelemetry API is not registered', undefined],
    ['no context manager is registered', { version: '1.9.0' }],
    ['the context manager has no method active()', { context: {} }],
    ['no context is active', { context: { active: () => undefined } }],
    ['the active context has no values', { context: { active: () => ({}) } }],
    ['the request is not traced', { context: { active: () => ({ getValue: () => undefined }) } }],
    ['the traced object is not a request', { context: { active: () => ({ getValue: () => ({ type: 'grpc' }) }) } }],
    [
      'active() throws',
      {
        context: {
          active: () => {
            throw new Error('broken tracer')
          },
        },
      },
    ],
  ])('returns undefined if %s', (_what, registered) => {
    holder[key] = registered
    expect(tracedRequest()).toBeUndefined()
  })
})
