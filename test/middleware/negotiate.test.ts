import { describe, expect, it } from 'vitest'
import { negotiate } from '../../src/middleware/negotiate.js'
import { ConfigurationError } from '../../src/problem.js'
import { type Express, majors, service } from './majors.js'

describe('negotiate(): options', () => {
  it.each(['json', 'application/', '*/*', 'text/*', 'application/json; charset', ''])(
    'HDR-1: the offer "%s" is refused',
    (offer) => {
      expect(() => negotiate(offer)).toThrow(ConfigurationError)
    },
  )

  it.each([5, null, ['application/json'], { json: true }])(
    'HDR-1: the offer %j is refused, because it is not a string',
    (offer) => {
      expect(() => negotiate(offer as never)).toThrow(ConfigurationError)
    },
  )
})

describe.each(majors)('negotiate() on %s', (_, express: Express) => {
  const format = negotiate('application/json', 'text/csv; charset=utf-8', 'application/vnd.api+json; version=2')
  const { call } = service(express, (app) => {
    app.use((_req, res, next) => {
      res.set('Vary', 'Origin')
      next()
    })
    app.all('/a', format, (req, res) => void res.json({ format: format.of(req) }))
  })

  it.each([
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['text/*', 'text/csv; charset=utf-8'],
    ['TEXT/CSV', 'text/csv; charset=utf-8'],
    ['text/csv;charset=UTF-8', 'text/csv; charset=utf-8'],
    ['application/json;charset=utf-8', 'application/json'],
    ['application/json;q=0, */*;q=0.1', 'text/csv; charset=utf-8'],
    ['text/csv;q=0.5, application/json;q=0.4', 'text/csv; charset=utf-8'],
    ['application/vnd.api+json;version=2', 'application/vnd.api+json; version=2'],
  ])('HDR-1: Accept %s chooses %s', async (accept, chosen) => {
    const get = call.get('/a')
    if (accept !== undefined) get.set('Accept', accept)
    const { body, headers } = await get
    expect([body.format, headers.vary]).toEqual([chosen, 'Origin, Accept'])
  })

  it.each([
    'text/html',
    'application/json;q=0',
    'application/json;charset=latin1',
    '*/*;q=0',
    'rubbish',
    'application/vnd.api+json;version=3',
  ])('HDR-1: Accept %s gets a 415 that lists the offers, except on OPTIONS', async (accept) => {
    for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const) {
      const { status, body, headers } = await call[method]('/a').set('Accept', accept)
      expect([status, body.code, headers.vary]).toEqual([415, 'unsupported-accept', 'Origin, Accept'])
      expect(body.errors[0]).toMatchObject({
        header: 'Accept',
        allowed: expect.arrayContaining(['application/json', 'text/csv; charset=utf-8']),
      })
    }
    expect((await call.head('/a').set('Accept', accept)).status).toBe(415)
    expect((await call.options('/a').set('Accept', accept)).status).toBe(200)
  })

  it.each([
    ['Accept', 'Accept'],
    ['accept, Origin', 'accept, Origin'],
    ['*', '*'],
    ['', 'Accept'],
    [['Origin', 'Cookie'], 'Origin, Cookie, Accept'],
  ])('HDR-1: Vary %j becomes %s', async (before, after) => {
    const { call } = service(express, (app) => {
      app.use((_req, res, next) => {
        res.setHeader('Vary', before)
        next()
      })
      app.get('/a', negotiate(), (_req, res) => void res.end())
    })
    expect((await call.get('/a')).headers.vary).toBe(after)
  })

  it('HDR-1: a Vary: Origin that is set later is kept next to Accept', async () => {
    const { call } = service(
      express,
      (app) => void app.get('/a', negotiate(), (_req, res) => void res.vary('Origin').end()),
    )
    expect((await call.get('/a')).headers.vary).toBe('Accept, Origin')
  })

  it('HDR-1: each of two negotiate() middlewares returns its own choice, and a missing negotiate() is reported', async () => {
    const one = negotiate('text/csv', 'text/plain')
    const two = negotiate('application/json', 'text/plain')
    const { call, reported } = service(express, (app) => {
      app.get('/both', one, two, (req, res) => void res.json([one.of(req), two.of(req)]))
      app.get('/one', one, (req, res) => void res.json(two.of(req)))
    })
    expect((await call.get('/both')).body).toEqual(['text/csv', 'application/json'])
    expect((await call.get('/one')).status).toBe(500)
    expect(String(reported[0]?.error)).toContain('The middleware negotiate() did not run')
  })
})
