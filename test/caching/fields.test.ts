/**
 * The header fields of a 304, of problems, and of the 204 of an endpoint (RFC 9110 15.4.5; HDR-4,
 * HDR-6).
 */
import { describe, expect, it } from 'vitest'
import { authenticate } from '../../src/auth/index.js'
import type { Middleware } from '../../src/index.js'
import { crossOrigin } from '../../src/middleware/index.js'
import { grounds, packing, serveOver } from './service.js'

const [, overMemory] = grounds[0] as (typeof grounds)[number]

const paths = [
  '/v1/contratos/C1',
  '/v1/contratos/C1?expand=cliente',
  '/v1/contratos',
  '/v1/contratos/C1/lineas',
  '/v1/clientes/1/contratos/C1',
  '/v1/contratos/C1/activo',
  '/v1/recuento',
  '/v1/avisos',
]
/** Fields of the 200 that a 304 must have with the same values. */
const kept = ['etag', 'cache-control', 'vary', 'content-location', 'expires']
/** The names of fields that describe a body. A 304 has none of these fields. */
const ofBodies = /^(?:content-(?!location|security-policy)|transfer-encoding|x-total-count|last-modified|accept-ranges)/

const caller = authenticate({ field: 'x-authorization-token', challenge: 'Test', identify: (name) => name })
const fronts: readonly (readonly [name: string, before: readonly Middleware[], vary: string])[] = [
  ['nothing', [], 'Accept, x-authorization-token'],
  ['compression()', [packing()], 'Accept, x-authorization-token, Accept-Encoding'],
  ['crossOrigin()', [crossOrigin({ origins: ['https://shop.example.com'] })], 'Origin, Accept, x-authorization-token'],
]

describe.each(fronts)('with %s in front', (_, before, vary) => {
  it('HDR-4: a 304 has the fields of the 200 that RFC 9110 15.4.5 requires, and no fields about a body', async () => {
    const { send, close } = await serveOver(overMemory, { authenticate: caller, principal: undefined as never }, before)
    const sorted = (field: unknown): string[] => String(field).split(', ').sort()
    for (const path of paths) {
      const headers = { 'x-authorization-token': 'ana', 'accept-encoding': 'gzip' }
      const whole = await send('GET', path, headers)
      const again = await send('GET', path, { ...headers, 'if-none-match': String(whole.headers.etag) })
      expect([path, again.status, again.text]).toEqual([path, 304, ''])
      const part = ({ headers: all }: typeof whole) =>
        kept.map((name) => [name, name === 'vary' ? sorted(all[name]) : all[name]])
      // A 204 is never encoded, so its Vary does not name Accept-Encoding. The Vary of a 304 for
      // the same URL can name it.
      if (whole.status === 200) expect([path, part(again)]).toEqual([path, part(whole)])
      if (whole.status === 200) expect([path, sorted(again.headers.vary)]).toEqual([path, sorted(vary)])
      expect([path, Object.keys(again.headers).filter((name) => ofBodies.test(name))]).toEqual([path, []])
      expect(Object.keys(again.headers).filter((name) => !(name in whole.headers))).toEqual([])
      expect([path, 'date' in again.headers]).toEqual([path, true])
    }
    await close()
  })

  it('HDR-6: a problem has no-store, and its Vary names the request fields that determine the problem', async () => {
    const { send, close } = await serveOver(overMemory, { authenticate: caller, principal: undefined as never }, before)
    const as = { 'x-authorization-token': 'ana' }
    for (const [status, method, path, headers] of [
      [401, 'GET', '/v1/contratos', {}],
      [404, 'GET', '/v1/contratos/none', as],
      [404, 'GET', '/v1/nada', as],
      [405, 'DELETE', '/v1/contratos', as],
      [412, 'DELETE', '/v1/contratos/C1', { ...as, 'If-Match': '"0.x"' }],
      [412, 'GET', '/v1/contratos', { ...as, 'If-Match': '"0.x"' }],
      [415, 'GET', '/v1/contratos', { ...as, Accept: 'text/html' }],
      [400, 'GET', '/v1/contratos?x=1', as],
    ] as const) {
      const answer = await send(method, path, headers)
      const names = String(answer.headers.vary).split(', ').sort()
      expect([status, path, answer.status, answer.headers['cache-control'], answer.headers.etag, names]).toEqual([
        status,
        path,
        status,
        'no-store',
        undefined,
        vary.split(', ').sort(),
      ])
    }
    await close()
  })
})

it('HDR-6: the 204 of an endpoint has Cache-Control: private, no-cache by default', async () => {
  const { send, close } = await serveOver(overMemory, { authenticate: caller, principal: undefined as never })
  const { status, headers } = await send('GET', '/v1/silencio', { 'x-authorization-token': 'ana' })
  expect([status, headers['cache-control'], headers.vary]).toEqual([
    204,
    'private, no-cache',
    'Accept, x-authorization-token',
  ])
  await close()
})

it('HDR-3, HDR-4: two callers get different tags for one URL if they see different records', async () => {
  const { send, close } = await serveOver(overMemory, { authenticate: caller, principal: undefined as never })
  const tags = await Promise.all(
    ['ana', 'eva'].map(
      async (name) => (await send('GET', '/v1/avisos', { 'x-authorization-token': name })).headers.etag,
    ),
  )
  expect(new Set(tags).size).toBe(2)
  const crossed = await send('GET', '/v1/avisos', { 'x-authorization-token': 'eva', 'if-none-match': String(tags[0]) })
  expect([crossed.status, crossed.text.includes('ana')]).toEqual([200, false])
  await close()
})
