import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, HttpProblem, mount } from '../../src/index.js'
import { crossOrigin } from '../../src/middleware/index.js'
import { type App, type Express, majors, service } from '../middleware/majors.js'

const notas = defineResource({
  collection: 'notas',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
})

describe.each(majors)('a problem after hand-written routes of api(), on %s', (_name, express: Express) => {
  const representation = {
    Etag: '"1"',
    'Last-Modified': 'Wed, 01 Jan 2025 00:00:00 GMT',
    'Accept-Ranges': 'bytes',
    'Content-Disposition': 'attachment',
    'Content-Encoding': 'gzip',
    'Content-Language': 'es',
    'Content-Location': '/a/1',
    'Content-Type': 'text/csv',
    Location: '/b',
    'x-total-count': '3',
    Link: '</help>; rel="help", </a?offest=2>; rel="next"',
    'Set-Cookie': 'a=1',
    'Cache-Control': 'public',
  }
  const routes = express
    .Router()
    .use((_req, res, next) => {
      res.set(representation)
      next()
    })
    .get('/thrown', () => {
      throw new HttpProblem('rule', { detail: 'no' })
    })
    .get('/crash', (_req, _res, next) => next(new Error('boom')))
    .get('/sent', (_req, res) => {
      res.removeHeader('Content-Encoding')
      res.status(201).end('sent')
    })
  const { call } = service(express, (app: App) => {
    app.use((_req, res, next) => {
      res.set({ 'x-app': '1', Vary: 'Origin' })
      next()
    })
    app.use(
      api({
        versions: { v1: { resources: [mount(notas, memoryAdapter(notas))], routes: routes as never } },
        cors: crossOrigin({ origins: ['https://a.test'] }),
        onError: () => {},
      } as never) as never,
    )
  })

  it.each([
    ['/v1/thrown', 422],
    ['/v1/crash', 500],
    ['/v1/unknown', 404],
  ])('ERR-3: the problem at %s has no header fields of the representation that it replaces', async (path, expected) => {
    const { status, headers, body } = await call.get(path).set('Origin', 'https://a.test')
    expect([status, body.status, headers['content-type']]).toEqual([expected, expected, 'application/problem+json'])
    const kept = ['content-type', 'link', 'set-cookie', 'cache-control']
    for (const name of Object.keys(representation).map((name) => name.toLowerCase()))
      if (!kept.includes(name)) expect(headers).not.toHaveProperty(name)
    expect(headers).toMatchObject({
      link: '</help>; rel="help"',
      'cache-control': 'no-store',
      'set-cookie': ['a=1'],
      'x-app': '1',
      'x-request-id': expect.any(String),
      'x-content-type-options': 'nosniff',
    })
    expect(headers.vary).toContain('Origin')
  })

  it('HDR-8: a response that a route sends itself keeps its header fields', async () => {
    const { status, headers } = await call.get('/v1/sent')
    expect([status, headers.etag, headers.location, headers['x-total-count']]).toEqual([201, '"1"', '/b', '3'])
  })
})
