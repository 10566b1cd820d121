import type { Request, Response } from 'express'
import { describe, expect, it } from 'vitest'
import { checkVersion, expectedVersions, ifMatch, preconditionFailed, sendTag } from '../../src/middleware/if-match.js'
import { ConfigurationError, HttpProblem } from '../../src/problem.js'
import { type Express, majors, raw, service } from './majors.js'

const show = (req: Request, res: Response) => void res.json({ expected: expectedVersions(req) ?? null })

describe.each(majors)('ifMatch() on %s', (_, express: Express) => {
  const expecting = (options = {}) => service(express, (app) => void app.put('/a', ifMatch(options), show)).call

  it.each([
    [undefined, null],
    ['*', null],
    ['"3.x"', ['3']],
    ['"3.x", "4.y","5.z"', ['3', '4', '5']],
    ['"a%20b.x"', ['a b']],
    ['"a.b.x"', ['a.b']],
    ['W/"3.x"', []],
    ['W/"3.x", "4.y"', ['4']],
    ['3', []],
    ['"3', []],
    ['""', []],
    ['*, "3.x"', ['3']],
    ['"3.x" "4.y"', []],
    [', ,', []],
  ])('HDR-3: If-Match: %s expects the versions %j (null: any version)', async (field, versions) => {
    const put = expecting().put('/a')
    if (field !== undefined) put.set('If-Match', field)
    expect((await put).body.expected).toEqual(versions)
  })

  it('HDR-3: several header lines are one list', async () => {
    const { app } = service(express, (app) => void app.put('/a', ifMatch(), show))
    const answer = await raw(
      app,
      'PUT /a HTTP/1.1\r\nHost: a\r\nIf-Match: "3.x"\r\nIf-Match: "4.x"\r\nContent-Length: 0\r\nConnection: ' +
        'close\r\n\r\n',
    )
    expect(answer).toContain('{"expected":["3","4"]}')
  })

  it('HDR-3: a weak tag can match if the option "weak" is true', async () => {
    expect((await expecting({ weak: true }).put('/a').set('If-Match', 'W/"3.x"')).body.expected).toEqual(['3'])
  })

  it('HDR-3: with "required", PUT, PATCH and DELETE without If-Match get 428, and other methods do not', async () => {
    const { call } = service(express, (app) => void app.all('/a', ifMatch({ required: true }), show))
    for (const method of ['put', 'patch', 'delete'] as const) {
      const { status, body } = await call[method]('/a')
      expect([status, body.code]).toEqual([428, 'precondition-required'])
      expect((await call[method]('/a').set('If-Match', '*')).status).toBe(200)
    }
    for (const method of ['get', 'post', 'options'] as const) expect((await call[method]('/a')).status).toBe(200)
  })

  it('HDR-3: without the middleware, the log says what is missing, and the client gets no details', async () => {
    const { call, reported } = service(express, (app) => {
      app.put('/expected', show)
      app.put('/check', (req) => checkVersion(req, '1'))
      app.get('/tag', (req, res) => void sendTag(req, res, '1'))
    })
    for (const answer of [await call.put('/expected'), await call.put('/check'), await call.get('/tag')]) {
      expect([answer.status, answer.body.code]).toEqual([500, 'internal'])
      expect(answer.text).not.toContain('ifMatch')
    }
    for (const { error } of reported) {
      expect(error).toBeInstanceOf(ConfigurationError)
      expect(String(error)).toContain('did not run for this request. Mount it before')
    }
    expect(reported).toHaveLength(3)
  })

  it.each([
    ['3.x', {}, /no valid entity tag.*double quotes/],
    ['', {}, /no valid entity tag/],
    ['W/"3.x"', {}, /only weak entity tags.*weakIfMatch/],
    ['W/"2.x"', { weak: true }, /does not name the current version/],
    ['W/"3.x", "2.x"', {}, /does not name the current version/],
    ['"2.x"', {}, /does not name the current version/],
  ])(
    'HDR-3: with If-Match: %s and the options %j, the detail of the 412 gives the reason',
    async (tag, options, detail) => {
      const { call } = service(express, (app) => {
        app.put('/a', ifMatch(options), (req) => checkVersion(req, '3'))
        app.get('/a', ifMatch(options), (req, res) => void (sendTag(req, res, '3') ? undefined : res.json({})))
      })
      for (const method of ['put', 'get'] as const) {
        const { status, body } = await call[method]('/a').set('If-Match', tag)
        expect([method, status, body.code, body.detail]).toEqual([method, 412, 'stale', expect.stringMatching(detail)])
      }
    },
  )

  describe('checkVersion', () => {
    const call = service(express, (app) => {
      app.all('/a', ifMatch(), (req, res) => {
        checkVersion(req, '3')
        res.json({ done: true })
      })
    }).call

    it.each([
      ['If-Match', '"3.any"', 200],
      ['If-Match', '*', 200],
      ['If-Match', '"2.x", "3.y"', 200],
      ['If-Match', '"2.x"', 412],
      ['If-Match', 'W/"3.x"', 412],
      ['If-None-Match', '"2.x"', 200],
      ['If-None-Match', '"3.x"', 412],
      ['If-None-Match', 'W/"3.x"', 412],
      ['If-None-Match', '*', 412],
      ['If-None-Match', 'rubbish', 200],
    ])('HDR-3, HDR-4: with %s: %s, a write to a record with version 3 gets %i', async (name, value, status) => {
      for (const method of ['put', 'patch', 'delete'] as const)
        expect((await call[method]('/a').set(name, value)).status).toBe(status)
    })
  })

  describe('sendTag', () => {
    const reading = (version: unknown, variant?: string) =>
      service(express, (app) => {
        app.all('/a', ifMatch(), (req, res) => {
          res.set('Cache-Control', 'private, no-cache').set('Vary', 'Origin, Accept')
          if (!sendTag(req, res, version as string, ...(variant === undefined ? [] : [variant]))) res.json({ id: 1 })
        })
      })

    it('HDR-2: the tag is strong and contains the version of the record, and Express does not replace it', async () => {
      const { headers, body } = await reading('7').call.get('/a')
      expect(headers.etag).toMatch(/^"7\.[\w-]{27}"$/)
      expect(body).toEqual({ id: 1 })
      expect((await reading('a "b"/ñ').call.get('/a')).headers.etag).toMatch(/^"a%20%22b%22\/%C3%B1\.[\w-]{27}"$/)
    })

    it('HDR-2: each variant of a version has its own tag, regardless of the characters in the variant', async () => {
      const variants = [undefined, 'application/json', 'a.b"c\r\n', '€ñ', 'x'.repeat(100_000)]
      const tags = await Promise.all(
        variants.map(async (variant) => (await reading('7', variant).call.get('/a')).headers.etag as string),
      )
      expect(new Set(tags).size).toBe(variants.length)
      for (const tag of tags) expect(tag).toMatch(/^"7\.[\w-]{27}"$/)
    })

    it.each(['', 'no-cache', 'max-age=0'])(
      'HDR-4: a matching If-None-Match gets 304, also with Cache-Control "%s" in the request',
      async (cacheControl) => {
        const { call } = reading('7')
        const { etag = '' } = (await call.get('/a')).headers
        for (const field of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
          const { status, headers, text } = await call
            .get('/a')
            .set('If-None-Match', field)
            .set('Cache-Control', cacheControl)
          expect([status, text], field).toEqual([304, ''])
          expect(headers).toMatchObject({ etag, vary: 'Origin, Accept', 'cache-control': 'private, no-cache' })
          expect(headers).not.toHaveProperty('content-type')
          expect(headers).not.toHaveProperty('content-length')
        }
        for (const field of ['"7.other"', '"x"', etag.slice(1), `${etag}x`]) {
          expect((await call.get('/a').set('If-None-Match', field)).status, field).toBe(200)
        }
      },
    )

    it('HDR-4: If-None-Match never turns a write into a 304', async () => {
      const { call } = reading('7')
      const { status, headers } = await call.put('/a').set('If-None-Match', '*')
      expect([status, headers.etag?.slice(0, 3)]).toEqual([200, '"7.'])
    })

    it('HDR-3: a GET whose If-Match does not match gets 412 without an Etag', async () => {
      const { call } = reading('7')
      const { status, headers, body } = await call.get('/a').set('If-Match', '"6.x"')
      expect([status, body.code, headers.etag]).toEqual([412, 'stale', undefined])
      expect((await call.get('/a').set('If-Match', '"7.any"')).status).toBe(200)
    })

    it.each([7, 7n, undefined, null])(
      'HDR-2: a version that is not a string (%s) is reported to the service',
      async (version) => {
        const { call, reported } = reading(version)
        expect((await call.get('/a')).status).toBe(500)
        expect(String(reported[0]?.error)).toContain('Pass the version of the record as a string')
      },
    )
  })

  it('HDR-3: of 1,000 writers with the same tag, exactly one succeeds', async () => {
    const rows = new Map([['1', { version: 1, name: 'before' }]])
    const compareAndSet = async (id: string, name: string, versions: readonly string[] | undefined) => {
      await new Promise((resolve) => setImmediate(resolve))
      const row = rows.get(id)
      if (row === undefined) throw new HttpProblem('absent')
      if (versions !== undefined && !versions.includes(String(row.version))) return undefined
      const next = { version: row.version + 1, name }
      rows.set(id, next)
      return next
    }
    const { app } = service(express, (app) => {
      app.put('/a/:id', ifMatch(), (req, res, next) => {
        compareAndSet(req.params.id as string, String(req.query.name), expectedVersions(req))
          .then((row) => {
            if (row === undefined) throw preconditionFailed()
            sendTag(req, res, String(row.version))
            res.json(row)
          })
          .catch(next)
      })
    })
    const { listen } = await import('./majors.js')
    const port = await listen(app)
    const put = async (i: number) =>
      (await fetch(`http://127.0.0.1:${port}/a/1?name=${i}`, { method: 'PUT', headers: { 'If-Match': '"1.x"' } }))
        .status
    const statuses = await Promise.all(Array.from({ length: 1000 }, (_, i) => put(i)))
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 412)).toHaveLength(999)
    expect(rows.get('1')?.version).toBe(2)
  })
})

it.each([
  [{ require: true }, /Did you mean "required"/],
  [{ weak: 'yes' }, /"weak" of ifMatch\(\) is 'yes'\. Give a boolean/],
  [null, /The options of ifMatch\(\) are null\. Give an object/],
])('HDR-3: ifMatch() with %j is refused', (options, message) => {
  const build = () => ifMatch(options as never)
  expect(build).toThrow(ConfigurationError)
  expect(build).toThrow(message)
})
