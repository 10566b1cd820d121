/**
 * A service without `conventions` and a service whose clauses have the mode `enforce` send the same
 * bytes, except for `Date` and the entity tag.
 */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type express from 'express'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Finding } from '../../src/conventions/finding.js'
import { api, problems } from '../../src/index.js'
import {
  ifMatch,
  listQuery,
  methodRules,
  negotiate,
  noQuery,
  recordBody,
  totalCount,
} from '../../src/middleware/index.js'
import { majors } from '../middleware/majors.js'
import { allIn, apiOptions, around, customers, orders } from './fixture.js'

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

const findings: Finding[] = []
const hooks = { onFinding: (event: Finding) => void findings.push(event) }
const quiet = { onError: () => {} }

/**
 * Two services, each with its own data: one without `conventions`, and one in which each clause
 * that can have a mode has the mode `enforce`.
 */
type Pair = readonly [http.RequestListener, http.RequestListener]

const apis = (major: typeof express): Pair => {
  const base = { baseUrl: 'https://api.example', requireIfMatch: true, ...quiet }
  return [
    major().use(api({ ...apiOptions(), ...base })),
    major().use(api({ ...apiOptions(), ...base, ...hooks, ...around, conventions: allIn('enforce') })),
  ]
}

const handWritten = (major: typeof express): Pair => {
  const app = (modes: boolean): http.RequestListener => {
    const given = (conventions: object) => (modes ? { conventions, ...hooks } : {})
    const made = major()
    const query = listQuery(orders, given({ 'QUERY-8': 'enforce', 'QUERY-5': { mode: 'enforce', upTo: 40 } }))
    const count = totalCount({ baseUrl: 'https://api.example', ...given({ 'QUERY-7': 'enforce' }) })
    const format = negotiate({
      offers: ['application/json', 'text/csv'],
      ...given({ 'HDR-1': { mode: 'enforce', as: 'json' } }),
    })
    const body = recordBody(customers, given({ 'HDR-5': { mode: 'enforce', types: ['*/*'] } }))
    const rules = methodRules({
      on: 'item',
      allow: ['GET', 'PUT', 'PATCH', 'DELETE'],
      ...given({ 'VERB-6': 'enforce', 'VERB-8': 'enforce' }),
    })
    const none = noQuery(given({ 'QUERY-8': 'enforce' }))
    const guard = ifMatch({ required: true, ...given({ 'HDR-3': 'enforce' }) })
    made.get('/v1/orders', format, query, count, (req, res) => {
      count.set(req, res, 45)
      res.json(query.of(req))
    })
    made.post('/v1/customers', body, (req, res) => void res.status(200).json(body.of(req)))
    made.all('/v1/orders/:id', none, rules)
    made.get('/v1/orders/:id', (_req, res) => void res.json({ id: 1 }))
    made.delete('/v1/orders/:id', guard, (_req, res) => void res.status(205).json({ id: 1 }))
    made.use(
      problems({
        ...quiet,
        ...(modes ? { shape: () => ({ body: 'x' }), conventions: { 'ERR-3': 'enforce' }, ...hooks } : {}),
      }),
    )
    return made
  }
  return [app(false), app(true)]
}

const send = (port: number, { method, path, headers, body }: Sent): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = http.request(
      { host: '127.0.0.1', port, method, path, headers: { 'x-request-id': 'one', ...headers }, agent: false },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const fields = response.rawHeaders.join('\n').replace(/Date\n.*/, '')
          // Removes the entity tag, because each store starts the versions of its records with a
          // random string.
          resolve(
            `${response.statusCode} ${response.statusMessage}\n${fields}\n${Buffer.concat(chunks).toString('latin1')}`.replace(
              /(\nEtag\n")[^"]*"/i,
              '$1"',
            ),
          )
        })
      },
    )
    sent.on('error', reject).end(body)
  })

const maybe = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
const name = fc.constantFrom('limit', 'offest', 'state', 'foo', '_', 'page', 'expand', 'sort', 'after')
const value = fc.constantFrom('1', '2', '20', '40', '41', 'new', 'customer', 'x', '', '%ff', '-id')
const requests: fc.Arbitrary<Sent> = fc
  .record({
    method: fc.constantFrom('GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
    path: fc.constantFrom(
      '/v1/orders',
      '/v1/orders/1',
      '/v2/orders/2/open',
      '/v1/orders/1/lines',
      '/v1/customers',
      '/v1/search',
      '/v9/x',
      '/v1/x',
    ),
    query: fc.array(fc.tuple(name, value), { maxLength: 3 }),
    accept: maybe(['application/json', 'application/xml', 'image/png', '*/*', 'text/csv']),
    type: maybe([
      'application/json',
      'text/plain',
      'application/merge-patch+json',
      'application/x-www-form-urlencoded',
    ]),
    ifMatch: maybe(['*', '"1"', 'W/"2"', 'x']),
    body: maybe([
      '{"id":77,"state":"new"}',
      '{"state":"sent"}',
      '{"id":5,"name":"Ana"}',
      '{',
      '[]',
      '{"state":"a","customer":"https://api.example/v1/customers/1"}',
    ]),
  })
  .map(({ method, path, query, accept, type, ifMatch, body }) => ({
    method,
    path: query.length === 0 ? path : `${path}?${query.map((pair) => pair.join('=')).join('&')}`,
    headers: {
      ...(accept === undefined ? {} : { accept }),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    },
    body: method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? undefined : body,
  }))

describe.each(majors)('clauses in the mode "enforce", on %s', (_, major) => {
  describe.each([
    ['api()', apis],
    ['single middlewares', handWritten],
  ] as const)('%s', (_name, make) => {
    const servers: http.Server[] = []
    const ports: number[] = []
    beforeAll(async () => {
      for (const listener of make(major)) {
        const server = http.createServer(listener)
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
        servers.push(server)
        ports.push((server.address() as AddressInfo).port)
      }
    })
    afterAll(() => {
      for (const server of servers) server.close()
    })

    it('sends the same bytes as without conventions, except Date and Etag, and reports no findings', async () => {
      await fc.assert(
        fc.asyncProperty(requests, async (sent) => {
          const [plain, moded] = await Promise.all(ports.map((port) => send(port, sent)))
          expect(moded).toBe(plain)
          expect(findings).toEqual([])
        }),
        { numRuns: 300 },
      )
    })
  })
})
