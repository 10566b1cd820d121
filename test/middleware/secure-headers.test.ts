import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, defineResource, endpoint, endpointReply, mount } from '../../src/index.js'
import { type SecureHeadersOptions, secureHeaders } from '../../src/middleware/secure-headers.js'
import { ConfigurationError } from '../../src/problem.js'
import { type App, type Express, majors, service } from './majors.js'

const csp = "default-src 'none'; frame-ancestors 'none'"
const defaults = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': csp,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

describe('secureHeaders(): options', () => {
  it('the message for "strictTransport: true" suggests a duration', () => {
    expect(() => secureHeaders({ strictTransport: true } as never)).toThrow(
      'is true. Give a whole number of seconds from 0 or a value such as "max-age=63072000; includeSubDomains".',
    )
  })

  it('invalid options are refused', () => {
    for (const options of [
      { strictTransport: -1 },
      { strictTransport: 1.5 },
      { strictTransport: 'a\r\nb' },
      { contentSecurityPolicy: '' },
      { contentSecurityPolicy: true },
      { resourcePolicy: 'é' },
      { resourcePolicy: 'same-orgin' },
      { resourcePolicy: null },
      { strictTransports: 1 },
    ]) {
      expect(() => secureHeaders(options as unknown as SecureHeadersOptions)).toThrow(ConfigurationError)
    }
  })
})

describe.each(majors)('safe defaults on %s', (_, express: Express) => {
  it('are set on a 200 and on a 404, and do not replace headers of other middleware', async () => {
    const { call } = service(express, (app: App) => {
      app.use((_req, res, next) => {
        res.set('Referrer-Policy', 'origin')
        next()
      })
      app.use(secureHeaders({ strictTransport: 60, resourcePolicy: false }))
      app.get('/', (_req, res) => void res.send('x'))
    })
    for (const path of ['/', '/nothing']) {
      const { headers } = await call.get(path)
      expect(headers).toMatchObject({
        'content-security-policy': csp,
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'origin',
        'strict-transport-security': 'max-age=60',
      })
      expect(headers).not.toHaveProperty('cross-origin-resource-policy')
      expect(headers).not.toHaveProperty('x-powered-by')
    }
  })

  const notas = defineResource({
    collection: 'notas',
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  })
  const versions = () =>
    ({
      v1: {
        resources: [
          mount(notas, memoryAdapter(notas, { records: [{ id: 1 }] })),
          endpoint('page', {
            description: 'Has a policy of its own.',
            methods: {
              GET: {
                handle: () =>
                  endpointReply({ status: 200, body: 1, headers: { 'content-security-policy': "default-src 'self'" } }),
              },
            },
          }),
        ],
        routes: (_req: never, res: never) => (res as { end(text: string): void }).end('by hand'),
      },
      v0: 'retired',
    }) as const

  it('api() sets the security headers by default, also on problems, 304, 410 and hand-written routes', async () => {
    const { call } = service(express, (app: App) =>
      app.use(api({ versions: versions(), baseUrl: 'https://api.test' }) as never),
    )
    const { headers } = await call.get('/v1/notas/1')
    const etag = headers.etag as string
    for (const [status, answer] of [
      [200, await call.get('/v1/notas')],
      [304, await call.get('/v1/notas/1').set('If-None-Match', etag)],
      [404, await call.get('/v1/notas/2')],
      [410, await call.get('/v0/notas/2')],
      [204, await call.options('/v1/notas')],
      [200, await call.get('/v1/by-hand')],
    ] as const) {
      expect(answer.status).toBe(status)
      expect(answer.headers).toMatchObject(defaults)
      expect(answer.headers).not.toHaveProperty('x-powered-by')
      expect(answer.headers).not.toHaveProperty('strict-transport-security')
    }
    expect((await call.get('/v1/page')).headers['content-security-policy']).toBe("default-src 'self'")
  })

  it('api() keeps headers of earlier middleware, and adds none with "secureHeaders: false"', async () => {
    const { call } = service(express, (app: App) => {
      app.use('/mine', (_req, res, next) => {
        res.set('Content-Security-Policy', "default-src 'self'")
        next()
      })
      app.use('/mine', api({ versions: versions() }) as never)
      app.use('/none', api({ versions: versions(), secureHeaders: false }) as never)
    })
    const mine = await call.get('/mine/v1/notas/1')
    expect([mine.headers['content-security-policy'], mine.headers['x-frame-options']]).toEqual([
      "default-src 'self'",
      'DENY',
    ])
    expect((await call.get('/none/v1/notas/1')).headers).not.toHaveProperty('x-frame-options')
  })
})
