import { createServer } from 'node:http'
import type { Request, Response } from 'express'
import { describe, expect, it } from 'vitest'
import type { Permission } from '../../src/auth/permission.js'
import { scopePermission } from '../../src/auth/scopes.js'
import { authenticate } from '../../src/middleware/authenticate.js'
import { ifMatch, sendTag } from '../../src/middleware/if-match.js'
import { type MethodRulesOptions, methodNotAllowed, methodRules } from '../../src/middleware/methods.js'
import { ConfigurationError, HttpProblem } from '../../src/problem.js'
import { type App, type Express, majors, raw, service } from './majors.js'

type Handler = (req: Request, res: Response, next: (error?: unknown) => void) => unknown
const item = (allow: MethodRulesOptions['allow'] = ['GET', 'PUT', 'DELETE']) => methodRules({ on: 'item', allow })
const collection = () => methodRules({ on: 'collection', allow: ['POST', 'GET'] })

describe('methodRules(): options', () => {
  const build = (options: unknown) => () => methodRules(options as MethodRulesOptions)

  it('VERB-7: options that allow DELETE on a collection are refused', () => {
    expect(build({ on: 'collection', allow: ['GET', 'DELETE'] })).toThrow(ConfigurationError)
  })

  it('VERB-9: unknown methods, an unknown value of "on" and unknown options are refused', () => {
    expect(build({ on: 'item', allow: ['get'] })).toThrow(
      /"allow\[0\]" of methodRules\(\) is 'get'\. Give 'GET', 'POST'/,
    )
    expect(build({ on: 'item', allow: ['HEAD'] })).toThrow(/is 'HEAD'\. .*HEAD and OPTIONS are included automatically/)
    expect(build({ on: 'things', allow: ['GET'] })).toThrow(/'collection' or 'item'/)
    expect(build({ on: 'item', allow: ['GET'], baseUrl: '/private' })).toThrow(/baseUrl/)
    expect(build({ on: 'item', allows: ['GET'] })).toThrow(/Did you mean "allow"/)
    for (const options of [undefined, null, { on: 'item' }, { on: 'item', allow: 'GET' }])
      expect(build(options)).toThrow(ConfigurationError)
  })

  it('AUTH-4: "permission" requires "resource", and for an item also "key"', () => {
    const permission = () => 'allow' as const
    expect(build({ on: 'item', allow: ['GET'], permission })).toThrow(/Set both/)
    expect(build({ on: 'item', allow: ['GET'], resource: 'x' })).toThrow(/Set both/)
    expect(build({ on: 'item', allow: ['GET'], permission, resource: 'x' })).toThrow(/key: \(req\) => req\.params\.id/)
    expect(build({ on: 'item', allow: ['GET'], permission, resource: 'x', key: true })).toThrow(
      /"key" of methodRules\(\) is true\. Give a function or false/,
    )
    expect(build({ on: 'item', allow: ['GET'], permission, resource: 'x', key: false })).not.toThrow()
    expect(build({ on: 'collection', allow: ['GET'], permission, resource: 'x' })).not.toThrow()
  })

  it('VERB-9: a long method name is shortened in the message', () => {
    expect(methodNotAllowed('X'.repeat(5000), 'GET', false).message).toBe(
      `${'X'.repeat(20)} is not allowed here. Allowed: GET.`,
    )
  })
})

describe.each(majors)('methodRules() with a permission on %s', (_, express: Express) => {
  const who = authenticate({ field: 'X-User', challenge: 'User', identify: (name) => ({ name, clientes: ['1'] }) })
  const permission: Permission<{ clientes: string[] }> = ({ clientes }, action, _resource, key) =>
    key !== undefined && !clientes.includes(String(key))
      ? 'forbidden'
      : action === 'remove'
        ? 'method-not-allowed'
        : 'allow'
  const serving = (guard: ReturnType<typeof methodRules>, path = '/clientes/:id') =>
    service(express, (app: App) => {
      app.use(who)
      app.all(path, guard, (req: Request, res: Response) => void res.json(req.params))
    })

  it('AUTH-4: the permission function gets the key, and can refuse the item of another caller with 403', async () => {
    const { call } = serving(
      methodRules({
        on: 'item',
        allow: ['GET', 'DELETE'],
        permission,
        resource: 'clientes',
        key: (req: Request<{ id: string }>) => req.params.id,
      }),
    )
    expect((await call.get('/clientes/1').set('X-User', 'ana')).status).toBe(200)
    expect((await call.get('/clientes/2').set('X-User', 'ana')).status).toBe(403)
    expect((await call.options('/clientes/2').set('X-User', 'ana')).status).toBe(403)
    const refused = await call.delete('/clientes/1').set('X-User', 'ana')
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect((await call.options('/clientes/1').set('X-User', 'ana')).headers.allow).toBe('GET, HEAD, OPTIONS')
  })

  it('AUTH-4: an absent key, or a missing authentication middleware, causes 500', async () => {
    const guard = methodRules({
      on: 'item',
      allow: ['GET'],
      permission,
      resource: 'clientes',
      key: (req: Request<{ id: string }>) => req.params.id,
    })
    const { call, reported } = serving(guard, '/clientes/:cliente')
    expect((await call.get('/clientes/1').set('X-User', 'ana')).status).toBe(500)
    expect(String(reported[0]?.error)).toContain('returned no key')
    const open = service(express, (app: App) => app.all('/clientes/:id', guard))
    expect((await open.call.get('/clientes/1')).status).toBe(500)
  })
})

describe.each(majors)('methodRules() on %s', (_, express: Express) => {
  const at = (guard: ReturnType<typeof methodRules>, handler: Handler, path = '/sucursales/:id') =>
    service(express, (app: App) => {
      app.all(path, guard)
      app.all(path, handler)
    })

  it('VERB-9: a method that is not allowed gets 405 with the exact Allow, in a fixed order', async () => {
    const { call } = service(express, (app) => {
      app.all('/sucursales', collection())
      app.all('/sucursales/:id', methodRules({ on: 'item', allow: ['DELETE', 'GET'] }))
    })
    const deleted = await call.delete('/sucursales')
    expect([deleted.status, deleted.headers.allow]).toEqual([405, 'GET, HEAD, POST, OPTIONS'])
    expect(deleted.body).toMatchObject({ code: 'method-not-allowed', detail: expect.stringContaining('never deleted') })
    const put = await call.put('/sucursales/1')
    expect([put.status, put.headers.allow]).toEqual([405, 'GET, HEAD, DELETE, OPTIONS'])
  })

  it.each(['PROPFIND', 'TRACE', 'M-SEARCH', 'LOCK'])('VERB-9: the method %s gets 405', async (method) => {
    const { app } = at(item(), (_req, res) => res.json({}))
    const answer = await raw(app, `${method} /sucursales/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 405 /)
    expect(answer).toMatch(/^Allow: GET, HEAD, PUT, DELETE, OPTIONS\r$/m)
  })

  it('VERB-9: HEAD gets 405 if "allow" does not contain GET', async () => {
    const { call } = at(item(['PUT']), (_req, res) => res.json({}))
    expect((await call.head('/sucursales/1')).status).toBe(405)
  })

  it('VERB-9: OPTIONS gets 204 with Allow and no body, and keeps earlier headers', async () => {
    const { call } = service(express, (app) => {
      app.use((_req, res, next) => {
        res.set('Access-Control-Allow-Origin', '*').set('Vary', 'Origin')
        next()
      })
      app.use('/sucursales', collection())
    })
    const { status, headers, text } = await call.options('/sucursales')
    expect([status, text, headers.allow]).toEqual([204, '', 'GET, HEAD, POST, OPTIONS'])
    expect(headers).toMatchObject({ vary: 'Origin', 'access-control-allow-origin': '*' })
    expect(headers).not.toHaveProperty('content-length')
    expect(headers).not.toHaveProperty('content-type')
  })

  const endings: Record<string, Handler> = {
    'res.json': (_req, res) => res.json({ id: 1 }),
    'res.send text': (_req, res) => res.send('text'),
    'res.send bytes': (_req, res) => res.send(Buffer.from('bytes')),
    'res.end': (_req, res) => res.end(),
    'res.end with a body and a callback': (_req, res) => res.end('text', () => {}),
    'res.sendStatus': (_req, res) => res.sendStatus(200),
    'a 204': (_req, res) => res.status(204).end(),
    'a 304': (_req, res) => res.status(304).end(),
    'a status message': (_req, res) => {
      res.statusMessage = 'Fine'
      res.json({})
    },
    'res.redirect': (_req, res) => res.redirect('/elsewhere'),
    'res.location': (_req, res) => res.location('/sucursales/1').json({}),
    'res.flushHeaders': (_req, res) => {
      res.type('json').flushHeaders()
      res.end('{}')
    },
    'res.writeHead': (_req, res) => res.writeHead(200).end('{}'),
    'res.writeHead with headers': (_req, res) =>
      res.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 2, X: 'y' }).end('{}'),
    'res.writeHead with a message': (_req, res) =>
      res.writeHead(200, 'Fine', { 'Content-Type': 'text/plain' }).end('{}'),
    'res.writeHead with a list': (_req, res) =>
      res.writeHead(200, ['Content-Type', 'text/plain', 'Location', '/x', 'X', 'y'] as never).end('{}'),
    'res.write': (_req, res) => {
      res.set('Content-Type', 'text/plain')
      res.write('one', () => res.write('two', 'utf8', () => res.end('three')))
    },
    'a response after an await': async (_req, res) => {
      await new Promise((resolve) => setImmediate(resolve))
      res.json({})
    },
    'a response with a content coding': (_req, res) =>
      res.set('Content-Encoding', 'gzip').set('Transfer-Encoding', 'chunked').end('x'),
  }

  it.each(Object.entries(endings))(
    'VERB-8: HEAD of an item gets 302 without Location, without a body and without the headers of a body: %s',
    async (_name, handler) => {
      const { app, call } = at(item(), handler)
      const { status, headers } = await call.head('/sucursales/1')
      expect(status).toBe(302)
      for (const name of ['location', 'content-length', 'content-type', 'content-encoding', 'transfer-encoding'])
        expect(headers).not.toHaveProperty(name)
      const bytes = await raw(app, 'HEAD /sucursales/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      expect(bytes).toMatch(/^HTTP\/1\.1 302 Found\r\n/)
      expect(bytes.slice(bytes.indexOf('\r\n\r\n') + 4)).toBe('')
    },
  )

  it('VERB-8: headers passed to writeHead as an object or as a list reach the response', async () => {
    for (const name of ['res.writeHead with headers', 'res.writeHead with a list']) {
      const { call } = at(item(), endings[name] as Handler)
      expect((await call.head('/sucursales/1')).headers.x).toBe('y')
    }
  })

  it('headers that writeHead gets in a list replace earlier headers, and the list may repeat a name', async () => {
    const { call } = at(item(), (_req, res) => {
      res.setHeader('Set-Cookie', 'old=1')
      res.writeHead(200, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'X-Number', 7] as never).end('{}')
    })
    const { headers } = await call.head('/sucursales/1')
    expect([headers['set-cookie'], headers['x-number']]).toEqual([['a=1', 'b=2'], '7'])
  })

  it('VERB-8: HEAD of an item has the Etag, and If-None-Match does not turn the 302 into a 304', async () => {
    const plain = at(item(), (_req, res) => res.json({ id: 1 }))
    const { etag } = (await plain.call.head('/sucursales/1')).headers
    expect(etag).toMatch(/^W\//)
    expect((await plain.call.head('/sucursales/1').set('If-None-Match', etag as string)).status).toBe(302)

    const tagged = service(express, (app) => {
      app.get('/sucursales/:id', item(), ifMatch(), (req, res) => {
        if (!sendTag(req, res, '7')) res.json({})
      })
    })
    const first = await tagged.call.head('/sucursales/1')
    expect(first.headers.etag).toMatch(/^"7\./)
    const again = await tagged.call.head('/sucursales/1').set('If-None-Match', first.headers.etag as string)
    expect([again.status, again.headers.etag]).toEqual([302, first.headers.etag])
  })

  it('VERB-8: HEAD of an absent item stays a 404, and HEAD of a moved item stays a 301 with its Location', async () => {
    const { call } = at(item(), (req, res, next) =>
      req.params.id === '1'
        ? next(new HttpProblem('absent'))
        : req.params.id === '2'
          ? res.status(404).json({})
          : res.redirect(301, '/x'),
    )
    const absent = await call.head('/sucursales/1')
    expect([absent.status, absent.headers['content-type']]).toEqual([404, 'application/problem+json'])
    expect((await call.head('/sucursales/2')).status).toBe(404)
    const moved = await call.head('/sucursales/3')
    expect([moved.status, moved.headers.location]).toEqual([301, '/x'])
  })

  it('VERB-8: HEAD of an item gets the status of an error that the handler passes to next()', async () => {
    const { call, reported } = at(item(), async (req, _res, next) => {
      if (req.params.id === '1') next(new Error('secret'))
      else setImmediate(() => next(new HttpProblem('forbidden')))
    })
    expect((await call.head('/sucursales/1')).status).toBe(500)
    expect((await call.head('/sucursales/2')).status).toBe(403)
    expect(reported.map(({ problem }) => problem.code)).toEqual(['internal', 'forbidden'])
  })

  it('VERB-8: HEAD of a collection has the headers of its GET', async () => {
    const { call } = at(collection(), (_req, res) => res.set('x-total-count', '3').json([1, 2, 3]), '/sucursales')
    const { status, headers } = await call.head('/sucursales')
    expect([status, headers['x-total-count'], headers['content-length']]).toEqual([200, '3', '7'])
  })

  it.each([
    [200, 200],
    [202, 202],
    [204, 204],
    [201, 204],
    [206, 204],
  ])(
    'VERB-6: a DELETE whose handler sends %i and a body gets %i without a body, and the connection stays open',
    async (given, sent) => {
      const { app, call } = at(item(), (_req, res) => res.status(given).json({ id: 1 }))
      const { status, headers, text } = await call.delete('/sucursales/1')
      expect([status, text]).toEqual([sent, ''])
      expect(headers['content-length']).toBe(sent === 204 ? undefined : '0')
      for (const name of ['content-type', 'transfer-encoding', 'etag']) expect(headers).not.toHaveProperty(name)
      const two =
        'DELETE /sucursales/1 HTTP/1.1\r\nHost: a\r\n\r\nDELETE /sucursales/1 HTTP/1.1\r\nHost: a\r\nConnection: ' +
        'close\r\n\r\n'
      expect((await raw(app, two)).match(/HTTP\/1\.1 20\d/g)).toHaveLength(2)
    },
  )

  it('VERB-6: a streamed response to DELETE has no body, and its callbacks are called', async () => {
    const { call } = at(item(), (_req, res) => {
      res.write('one', () => res.write('two', () => res.end()))
    })
    const { status, text } = await call.delete('/sucursales/1')
    expect([status, text]).toEqual([200, ''])
  })

  it('VERB-6: the response to a DELETE that fails keeps its body', async () => {
    const { call } = at(item(), (_req, _res, next) => next(new HttpProblem('absent')))
    const { status, body } = await call.delete('/sucursales/1')
    expect([status, body.code]).toEqual([404, 'absent'])
  })

  describe('POST', () => {
    const creates: Record<string, Handler> = {
      'res.json': (_req, res) => res.status(201).json({ id: 1 }),
      'res.sendStatus': (_req, res) => res.sendStatus(202),
      'res.end': (_req, res) => res.status(201).end(),
      'res.writeHead': (_req, res) => {
        res.writeHead(201, { 'Content-Type': 'text/plain' })
        res.write('a')
        res.end('b')
      },
      'res.write': (_req, res) => {
        res.status(201).write('a', () => res.end('b'))
      },
      'a promise that is not awaited': (_req, res) => {
        void Promise.resolve().then(() => res.status(201).json({ id: 1 }))
      },
    }

    it.each(Object.entries(creates))(
      'VERB-2: 201 or 202 without Location becomes a 500, and the log says why: %s',
      async (_name, handler) => {
        const { call, reported } = at(collection(), handler, '/sucursales')
        const { status, body, headers } = await call.post('/sucursales')
        expect([status, body.code, headers['content-type']]).toEqual([500, 'internal', 'application/problem+json'])
        expect(JSON.stringify(body)).not.toContain('Location')
        expect(reported).toHaveLength(1)
        expect(reported[0]?.error).toBeInstanceOf(ConfigurationError)
        expect(String(reported[0]?.error)).toMatch(/The response to a POST has the status 20[12] without a Location/)
      },
    )

    it('VERB-2: 201 without Location becomes a 500 even if an async error handler replaces problems()', async () => {
      const app = express()
      app.post('/sucursales', collection(), (_req, res) => {
        res.writeHead(201)
        setImmediate(() => res.end('late'))
      })
      app.use((error: unknown, _req: Request, res: Response, next: (error?: unknown) => void) => {
        setTimeout(() => (res.headersSent ? next(error) : res.status(500).send('our own page')), 20)
      })
      const answer = await raw(
        app,
        'POST /sucursales HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
      )
      expect(answer).toMatch(/^HTTP\/1\.1 500 /)
      expect(answer).toContain('our own page')
      expect(answer).not.toContain('late')
    })

    it('VERB-2: a response with an absolute Location is unchanged', async () => {
      const { call } = at(
        collection(),
        (_req, res) => res.status(201).location('https://api.example.com/sucursales/1').json({ id: 1 }),
        '/sucursales',
      )
      const { status, headers, body } = await call.post('/sucursales')
      expect([status, headers.location, body]).toEqual([201, 'https://api.example.com/sucursales/1', { id: 1 }])
    })

    it('VERB-2, REP-5: a Location that begins with a slash becomes absolute', async () => {
      const create: Handler = (_req, res) => res.status(201).location('/sucursales/1').end()
      const { app, call } = at(collection(), create, '/sucursales')
      const post = () => call.post('/sucursales').set('Host', 'api.example.com').set('X-Forwarded-Proto', 'https')
      expect((await post()).headers.location).toBe('http://api.example.com/sucursales/1')
      app.set('trust proxy', true)
      expect((await post()).headers.location).toBe('https://api.example.com/sucursales/1')
      const based = at(
        methodRules({ on: 'collection', allow: ['POST'], baseUrl: 'https://a/private/' }),
        create,
        '/sucursales',
      )
      expect((await based.call.post('/sucursales')).headers.location).toBe('https://a/private/sucursales/1')
    })

    it('REP-5: a POST with a malformed Host gets 400 before the handler runs, unless a baseUrl is set', async () => {
      let created = 0
      const create: Handler = (_req, res) => {
        created += 1
        res.status(201).location('/sucursales/1').end()
      }
      const refused = await at(collection(), create, '/sucursales').call.post('/sucursales').set('Host', 'a@b')
      expect([refused.status, created]).toEqual([400, 0])
      const based = at(methodRules({ on: 'collection', allow: ['POST'], baseUrl: 'https://a' }), create, '/sucursales')
      expect((await based.call.post('/sucursales').set('Host', 'a@b')).status).toBe(201)
    })

    it.each(['1', './1', '//host/1', ''])('VERB-2: the Location "%s" counts as missing', async (location) => {
      const { call, reported } = at(
        collection(),
        (_req, res) => res.writeHead(201, { Location: location }).end(),
        '/sucursales',
      )
      expect((await call.post('/sucursales')).status).toBe(500)
      expect(String(reported[0]?.error)).toContain('Set the absolute URL')
    })

    it('VERB-2: the 200 of a POST that creates nothing is sent unchanged', async () => {
      const { app } = at(
        collection(),
        (_req, res) => res.writeHead(200, 'Fine', ['X', '1', 'Set-Cookie', 'a=b'] as never).end('{}'),
        '/sucursales',
      )
      const answer = await raw(
        app,
        'POST /sucursales HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
      )
      expect(answer).toMatch(/^HTTP\/1\.1 200 Fine\r\n/)
      expect(answer).toMatch(/X: 1\r\nSet-Cookie: a=b\r\n/)
    })
  })

  it('RFC 9110 8.7: Content-Location becomes absolute. Errors and empty responses have none', async () => {
    const { call } = service(express, (app) => {
      app.all('/sucursales', methodRules({ on: 'collection', allow: ['POST'], baseUrl: 'https://a/x' }))
      app.all('/sucursales/:id', methodRules({ on: 'item', allow: ['PUT', 'PATCH', 'DELETE'], baseUrl: 'https://a/x' }))
      const answer = (req: Request, res: Response, status = 200) =>
        res
          .status(Number(req.query.status ?? status))
          .set('Content-Location', String(req.query.at ?? '/v1/sucursales/1'))
          .json({ id: 1 })
      app.post('/sucursales', (req, res) => void answer(req, res.location('/v1/sucursales/1'), 201))
      app.all('/sucursales/:id', (req, res) => void answer(req, res))
    })
    const place = async (method: 'post' | 'put' | 'patch' | 'delete', path: string) =>
      (await call[method](path)).headers['content-location']
    const absolute = 'https://a/x/v1/sucursales/1'
    expect(await place('post', '/sucursales')).toBe(absolute)
    for (const method of ['put', 'patch'] as const) {
      expect(await place(method, '/sucursales/1')).toBe(absolute)
      expect(await place(method, '/sucursales/1?at=https://b/c')).toBe('https://b/c')
      expect(await place(method, '/sucursales/1?status=422')).toBeUndefined()
    }
    expect(await place('post', '/sucursales?status=500')).toBeUndefined()
    expect(await place('delete', '/sucursales/1')).toBeUndefined()
  })

  it('AUTH-4: without read permission, JSON Patch gets 403, because its result would reveal values', async () => {
    const who = authenticate({ field: 'X-Scope', challenge: 'Scope', identify: (scope) => ({ scope }) })
    const { call } = service(express, (app) => {
      app.use(who)
      app.all(
        '/sucursales/:id',
        methodRules({
          on: 'item',
          allow: ['PATCH'],
          permission: scopePermission(),
          resource: 'sucursales',
          key: false,
        }),
      )
      app.patch('/sucursales/:id', (_req, res) => void res.json({ id: 1 }))
    })
    const as = (scope: string, type: string) =>
      call.patch('/sucursales/1').set('X-Scope', scope).set('Content-Type', type).send('[]')
    await as('sucursales:write', 'application/json-patch+json').expect(403)
    await as('sucursales:write', 'application/merge-patch+json').expect(200)
    await as('*:read *:write', 'application/json-patch+json').expect(200)
  })

  it('AUTH-4: a caller without read permission gets the status and Etag of a write, but not the record', async () => {
    const who = authenticate({ field: 'X-Scope', challenge: 'Scope', identify: (scope) => ({ scope }) })
    const guard = { permission: scopePermission(), resource: 'sucursales' }
    const { call } = service(express, (app) => {
      app.use(who)
      app.all('/sucursales', methodRules({ on: 'collection', allow: ['POST'], ...guard }))
      app.all('/sucursales/:id', methodRules({ on: 'item', allow: ['PUT', 'PATCH'], ...guard, key: false }))
      app.post('/sucursales', (req, res) => {
        if (req.query.action !== undefined) res.json({ done: true })
        else
          res
            .status(201)
            .location('https://a/1')
            .set('Preference-Applied', 'return=representation')
            .json({ id: 1, secreto: 'x' })
      })
      app.put(
        '/sucursales/:id',
        (_req, res) => void res.set({ ETag: '"1"', 'Content-Location': '/sucursales/1' }).json({ id: 1, secreto: 'x' }),
      )
      app.patch(
        '/sucursales/:id',
        (req, res) => void res.status(req.query.bad === undefined ? 200 : 422).json({ id: 1, secreto: 'x' }),
      )
    })
    const as = (scope: string, method: 'post' | 'put' | 'patch', path: string) =>
      call[method](path).set('X-Scope', scope)
    const [writer, both] = ['sucursales:write', '*:read *:write']
    for (const [method, path, status, etag] of [
      ['post', '/sucursales', 201, undefined],
      ['put', '/sucursales/1', 200, '"1"'],
      ['patch', '/sucursales/1', 200, undefined],
    ] as const) {
      const { text, headers, ...answer } = await as(writer, method, path)
      expect([method, answer.status, text, headers['content-length'], headers['content-type'], headers.etag]).toEqual([
        method,
        status,
        '',
        '0',
        undefined,
        etag,
      ])
      expect([headers['preference-applied'], headers['content-location']]).toEqual([undefined, undefined])
      expect((await as(both, method, path)).body).toEqual({ id: 1, secreto: 'x' })
    }
    expect((await as(writer, 'post', '/sucursales?action')).body).toEqual({ done: true })
    expect((await as(writer, 'patch', '/sucursales/1?bad')).status).toBe(422)
  })

  describe.each(['before', 'behind'])('with compression %s methodRules()', (place) => {
    it('VERB-6, VERB-8: HEAD gets 302 without body headers, DELETE gets no body, and GET is compressed', async () => {
      const { call } = service(express, (app) => {
        if (place === 'before') app.use(compressing)
        app.all('/sucursales/:id', item())
        if (place === 'behind') app.use(compressing)
        app.all('/sucursales/:id', (_req, res) => res.json({ id: 1 }))
      })
      const head = await call.head('/sucursales/1')
      expect([head.status, head.headers['content-encoding'], head.headers['content-length']]).toEqual([
        302,
        undefined,
        undefined,
      ])
      const deleted = await call.delete('/sucursales/1')
      expect([deleted.status, deleted.text]).toEqual([200, ''])
      const got = await call.get('/sucursales/1').buffer(true)
      expect(got.headers['x-compressed']).toBe('1')
    })
  })

  it('VERB-8: HEAD of an item gets 302 with methodRules() mounted on a router or in a sub-app', async () => {
    const { call } = service(express, (app) => {
      const router = express.Router()
      router.use('/a/:id', item())
      router.get('/a/:id', (_req, res) => void res.json({}))
      const sub = express()
      sub.get('/:id', item(), (_req, res) => void res.json({}))
      app.use('/api', router)
      app.use('/sub', sub)
    })
    expect((await call.head('/api/a/1')).status).toBe(302)
    expect((await call.put('/api/a/1')).status).toBe(404)
    expect((await call.head('/sub/1')).status).toBe(302)
  })
})

it('VERB-8: HEAD of an item gets 302 if methodRules() runs in a Node.js server without Express', async () => {
  const guard = item()
  const server = createServer((req, res) => guard(req, res, () => res.end('text')))
  const answer = await raw(
    (req, res) => server.emit('request', req, res),
    'HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  )
  expect(answer).toMatch(/^HTTP\/1\.1 302 Found/)
})

/**
 * Wraps the response like the middleware `compression`: the headers change when the head is sent,
 * and a body that is passed to `end` is sent by `write`.
 */
function compressing(_req: Request, res: Response, next: () => void): void {
  const { writeHead, write, end } = res
  res.writeHead = ((...rest: unknown[]) => {
    res.removeHeader('Content-Length')
    if (_req.method !== 'HEAD') res.setHeader('Content-Encoding', 'identity')
    res.setHeader('X-Compressed', '1')
    return (writeHead as (...rest: unknown[]) => Response).apply(res, rest)
  }) as typeof writeHead
  res.end = ((chunk: unknown, ...rest: unknown[]) => {
    if (chunk !== undefined && typeof chunk !== 'function') (write as (chunk: unknown) => boolean).call(res, chunk)
    return (end as (...rest: unknown[]) => Response).apply(
      res,
      rest.filter((argument) => typeof argument === 'function'),
    )
  }) as typeof end
  next()
}
