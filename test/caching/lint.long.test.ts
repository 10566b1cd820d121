/**
 * Checks the responses of the example service with the linter, for many combinations of methods,
 * paths, callers and header fields.
 */
import http from 'node:http'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAccess } from '../../examples/pre-piezas/access.js'
import { generate } from '../../examples/pre-piezas/data/generator.js'
import { createService } from '../../examples/pre-piezas/service.js'
import { tokenIssuer } from '../../src/auth/index.js'
import { crossOrigin } from '../../src/middleware/index.js'
import { listen } from '../clauses/fixture.js'
import { embeddedStores } from '../examples/stores.js'
import { type Exchanged, lint } from './lint.js'
import { packing } from './service.js'

type Fields = Readonly<Record<string, string>>

const access = await openAccess({ publicUser: 'ana', publicPassword: 'x' })
const { stores, fill } = await embeddedStores()
const data = generate(60)
const serviceOf = (rateLimit: number) => createService({ rateLimit }, { stores, access, counters: { close() {} } }).app

const agent = new http.Agent({ keepAlive: true })
afterAll(() => agent.destroy())

function send(port: number, method: string, path: string, request: Fields, body?: string): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const headers =
      body === undefined
        ? request
        : { 'Content-Type': 'application/json', ...request, 'Content-Length': Buffer.byteLength(body) }
    const asked = http.request({ host: '127.0.0.1', port, agent, method, path, headers }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('error', reject)
      const { statusCode: status = 0, rawHeaders } = res
      res.on('end', () => resolve({ method, path, request, status, rawHeaders, body: Buffer.concat(chunks) }))
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

const fieldOf = ({ rawHeaders }: Exchanged, name: string): string | undefined =>
  rawHeaders[rawHeaders.findIndex((one, at) => at % 2 === 0 && one.toLowerCase() === name) + 1]

const inside = { Authorization: `Bearer ${access.privateToken()}` }
const outside = {
  'x-authorization-token': tokenIssuer({ key: access.key, audience: access.publicAudience })({
    ...access.find('ana')?.principal,
    sub: 'ana',
  }),
}
const reader = {
  Authorization: `Bearer ${tokenIssuer({ key: access.key })({ sub: 'lector', scope: 'pre-piezas:read' })}`,
}

const credentialsOf = (path: string): string | undefined =>
  /^\/v[18]\//.test(path) ? 'Authorization' : /^\/public\/v1\//.test(path) ? 'x-authorization-token' : undefined

const [contrato, cliente] = [data.contratos[0], data.clientes[0]]
const code = encodeURIComponent(String(contrato?.codigoDeContratoInterno))
const client = encodeURIComponent(String((cliente as { codigo?: unknown } | undefined)?.codigo ?? 1))
const privatePaths = [
  '/v8/pre-piezas',
  '/v8/pre-piezas?limit=2&offest=2&expand=contrato',
  '/v8/pre-piezas/1',
  '/v1/pre-piezas/1?expand=contrato',
  '/v1/clientes?limit=1',
  '/v8/pre-piezas/1/componentes',
  `/v8/contratos/${code}`,
  `/v8/contratos/${code}/activo`,
  `/v8/clientes/${client}/contratos`,
  '/v8/sucursales?limit=2',
  '/v8/sucursales/none',
  '/v8/search?q=a',
  '/v8/search',
  '/v8/pre-piezas/999999',
  '/v8/pre-piezas?offset=2',
  '/v8/nada',
  '/v0/x',
  '/v7/x',
  '/nothing',
]
const publicPaths = [
  '/public/v1/pre-piezas/1',
  '/public/v1/pre-piezas',
  `/public/v1/contratos/${code}`,
  '/public/v1/nada',
  '/public/login',
]

/**
 * The callers, each with its credentials, the paths that it requests, and the statuses that it
 * gets.
 */
const callers: readonly (readonly [name: string, Fields, paths: readonly string[], statuses: readonly number[]])[] = [
  ['an operator', inside, privatePaths, [200, 204, 302, 304, 400, 404, 405, 410, 412, 415, 422]],
  ['a reader', reader, privatePaths, [200, 204, 302, 304, 400, 403, 404, 405, 410, 412, 415]],
  ['a caller without credentials', {}, [...privatePaths, ...publicPaths], [204, 401, 404, 405, 410]],
  ['a caller with an invalid token', { Authorization: 'Bearer x' }, privatePaths.slice(0, 3), [401]],
  ['a customer', outside, publicPaths, [200, 204, 302, 304, 400, 401, 404, 405, 412, 415]],
  [
    'a caller that logs in',
    { Authorization: `Basic ${Buffer.from('ana:x').toString('base64')}` },
    ['/public/login'],
    [200, 204, 405],
  ],
]

const packed = () =>
  express()
    .disable('x-powered-by')
    .use(crossOrigin({ origins: ['https://shop.example.com'] }), packing())
    .use(serviceOf(0))

describe.each([
  ['unmodified', () => serviceOf(0), {}],
  [
    'behind compression() and crossOrigin()',
    packed,
    { 'Accept-Encoding': 'gzip, br', Origin: 'https://shop.example.com' },
  ],
] as const)('the example service, %s', (_, open, extra) => {
  let port = 0
  let close = async (): Promise<void> => {}
  beforeAll(async () => {
    await fill(data)
    const served = await listen(open())
    port = served.port
    close = served.close
  }, 60_000)
  afterAll(() => close())

  it.each(callers)(
    'HDR-1..6, ERR-3: the linter finds no fault in the responses to %s',
    async (_, credentials, paths, expected) => {
      const faults: string[] = []
      const statuses = new Set<number>()
      const check = async (method: string, path: string, fields: Fields, body?: string): Promise<Exchanged> => {
        const exchanged = await send(port, method, path, { ...extra, ...credentials, ...fields }, body)
        statuses.add(exchanged.status)
        const found = lint(exchanged, credentialsOf(path))
        if (extra !== undefined && 'Origin' in extra && !/origin/i.test(fieldOf(exchanged, 'vary') ?? ''))
          found.push('no Vary: Origin')
        faults.push(
          ...found.map((fault) => `${method} ${path} ${JSON.stringify(fields)} ${exchanged.status}: ${fault}`),
        )
        return exchanged
      }
      for (const path of paths) {
        for (const accept of ['application/json', 'text/html']) {
          const whole = await check('GET', path, { Accept: accept })
          const etag = whole.rawHeaders.includes('Etag') ? (fieldOf(whole, 'etag') as string) : '*'
          const conditions: Fields[] = [
            {},
            { 'If-None-Match': etag },
            { 'If-Match': '"no.x"' },
            { 'If-Match': etag, 'If-None-Match': `"x", W/${etag}` },
          ]
          for (const condition of conditions) {
            for (const method of ['GET', 'HEAD', 'OPTIONS']) await check(method, path, { Accept: accept, ...condition })
          }
          for (const [method, body] of [
            ['PUT', '{}'],
            ['PATCH', '{"lote":"x"}'],
            ['POST', '{'],
            ['DELETE', undefined],
          ] as const) {
            for (const condition of [
              { 'If-Match': '"no.x"' },
              ...(method === 'DELETE' ? [] : [{ 'Content-Type': 'text/plain' }, {}]),
            ] as Fields[]) {
              await check(method, path, { Accept: accept, ...condition }, body)
            }
          }
        }
      }
      expect(faults).toEqual([])
      expect([...statuses].sort()).toEqual(expected)
    },
    60_000,
  )

  it('HDR-1..6: the linter finds no fault in the responses to writes, for three values of Prefer', async () => {
    const seen: string[] = []
    const check = async (method: string, path: string, fields: Fields = {}, body?: string) => {
      const exchanged = await send(port, method, path, { ...extra, ...inside, ...fields }, body)
      seen.push(`${method} ${exchanged.status}`)
      expect([method, path, lint(exchanged, credentialsOf(path))]).toEqual([method, path, []])
      return exchanged
    }
    for (const prefer of ['return=minimal', 'return=representation', 'x=y']) {
      const fields = { Prefer: prefer }
      const name = prefer.replace(/\W/g, '')
      await check('PATCH', '/v8/pre-piezas/2', fields, '{"lote":"x"}')
      await check('POST', '/v8/sucursales', fields, JSON.stringify({ nomenclatura: name, descripcion: 'x' }))
      await check('PUT', `/v8/sucursales/${name}`, fields, '{"descripcion":"y"}')
      await check('DELETE', `/v8/sucursales/${name}`, fields)
      for (const method of ['PUT', 'GET', 'HEAD', 'DELETE', 'GET'])
        await check(method, `/v8/contratos/${code}/activo`, fields)
    }
    expect([...new Set(seen)].sort()).toEqual([
      'DELETE 204',
      'GET 204',
      'GET 404',
      'HEAD 302',
      'PATCH 200',
      'POST 201',
      'PUT 200',
      'PUT 204',
    ])
  })
})

it('LIMIT-1: the linter finds no fault in the 429 response to a request above the rate limit', async () => {
  const { port, close } = await listen(serviceOf(1))
  const answers = [
    await send(port, 'GET', '/v8/pre-piezas/1', inside),
    await send(port, 'GET', '/v8/pre-piezas/1', inside),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 429])
  expect(answers.map((answer) => lint(answer, 'Authorization'))).toEqual([[], []])
  await close()
})

it('the linter detects wrong header fields, and other statuses with the header fields of a 200', () => {
  const faultsOf = (status: number, fields: Fields, body = '', method = 'GET') =>
    lint(
      { method, path: '/', request: {}, status, rawHeaders: Object.entries(fields).flat(), body: Buffer.from(body) },
      'Authorization',
    )
  const right = {
    Date: 'Sat, 01 Jan 2028 00:00:00 GMT',
    'Content-Type': 'application/json',
    'Content-Length': '2',
    Vary: 'Accept, Authorization',
    'Cache-Control': 'private, no-cache',
    Etag: '"1.x"',
  }
  expect(faultsOf(200, right, '{}')).toEqual([])
  for (const [name, value] of [
    ['Date', 'today'],
    ['Content-Type', 'json'],
    ['Content-Length', '3'],
    ['Vary', 'Accept'],
    ['Vary', 'Authorization'],
    ['Cache-Control', 'no-cache'],
    ['Cache-Control', 'private no-cache'],
    ['Etag', '1.x'],
    ['Etag', '"a b"'],
    ['Link', '</a b>; rel="next"'],
    ['Link', '/a; rel="next"'],
    ['Location', '/a'],
    ['Content-Encoding', 'gzip'],
    ['WWW-Authenticate', 'Bearer'],
    ['X-Empty', ''],
  ] as const) {
    expect([name, value, faultsOf(200, { ...right, [name]: value }, '{}').length > 0]).toEqual([name, value, true])
  }
  for (const status of [201, 204, 302, 304, 401, 404, 405, 410, 429, 503])
    expect([status, faultsOf(status, right, '{}').length > 0]).toEqual([status, true])
})
