/** Malformed and unusual requests to each step of examples/legacy. No response is a 5xx. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, serveStep, steps } from './legacy-steps.js'

const token = { Authorization: 'Bearer office-token' }
const bodies = [
  '',
  '{}',
  '[]',
  'null',
  '"text"',
  '{"depot":null}',
  '{"depot":{"href":"x"}}',
  '{"depot":["a"]}',
  '{"status":["open"]}',
]
const oddBodies = [
  ...bodies,
  '{"code":"","recipient":""}',
  '{"__proto__":{"code":"x"}}',
  '{"id":7,"revision":"1"}',
  '{',
  '\u0000',
  'x'.repeat(200_000),
]
const paths = [
  '/v1/deliveries?page=-1',
  '/v1/deliveries?page=2&page=3',
  '/v1/deliveries?per_page=0',
  '/v1/deliveries?per_page=1e9',
  '/v1/deliveries?status[x]=open',
  '/v1/deliveries?status=open&status=out',
  '/v1/deliveries?page=%00&=&&_',
  '/v1/deliveries?__proto__=1&constructor=2',
  '/v1/deliveries.csv?status[]=out',
  '/v1/deliveries/02',
  '/v1/deliveries/__proto__',
  '/v1/deliveries/2/',
  '/v1/deliveries/%2e%2e',
  '/v1/deliveries/%E0%A4%A',
  '/v1/depot/x',
  '/v1//deliveries',
  '/v2/deliveries/2',
  '/',
]

describe.each(steps)('step %d of examples/legacy', (step) => {
  let service: Served
  beforeAll(async () => {
    service = await serveStep(step)
  })
  afterAll(() => service.close())
  const call = async (method: string, path: string, init: RequestInit = {}) => {
    const { status } = await fetch(service.base + path, { method, redirect: 'manual', headers: token, ...init })
    return status
  }

  it.each(paths)('GET, HEAD, DELETE and OPTIONS of %s get no 5xx', async (path) => {
    for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS'])
      expect(await call(method, path), method).toBeLessThan(500)
  })

  it.each(oddBodies.map((body) => [body.slice(0, 40), body] as const))(
    'POST, PATCH and DELETE with this body get no 5xx: %s',
    async (_, body) => {
      for (const type of ['application/json', 'text/plain', 'application/json; charset=utf-16', '']) {
        const headers = { ...token, ...(type === '' ? {} : { 'Content-Type': type }) }
        for (const [method, path] of [
          ['POST', '/v1/deliveries'],
          ['PATCH', '/v1/deliveries/5'],
          ['POST', '/v1/deliveries/6/cancel'],
          ['DELETE', '/v1/deliveries/9999'],
        ] as const)
          expect(
            await call(method, path, { headers, body: Buffer.from(body) }),
            `${method} ${path} ${type}`,
          ).toBeLessThan(500)
      }
    },
  )

  it.each(['', 'Bearer', 'Bearer ', 'Basic b2ZmaWNl', 'Bearer office-token, Bearer x', 'Bearer __proto__'])(
    'GET with the credentials %j gets 401',
    async (value) => {
      expect(await call('GET', '/v1/deliveries/2', { headers: { Authorization: value } })).toBe(401)
    },
  )
})
