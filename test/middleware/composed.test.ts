import type { Request, Response } from 'express'
import { describe, expect, it } from 'vitest'
import { defineResource } from '../../src/definition/resource.js'
import { checkVersion, ifMatch, preconditionFailed, sendTag } from '../../src/middleware/if-match.js'
import { listQuery } from '../../src/middleware/list-query.js'
import { methodRules } from '../../src/middleware/methods.js'
import { negotiate } from '../../src/middleware/negotiate.js'
import { recordBody } from '../../src/middleware/record-body.js'
import { totalCount } from '../../src/middleware/total-count.js'
import { versions } from '../../src/middleware/versions.js'
import { HttpProblem } from '../../src/problem.js'
import { type Express, majors, service } from './majors.js'

interface Sucursal {
  readonly nomenclatura: string
  readonly descripcion: string
}

const sucursales = defineResource({
  collection: 'sucursales',
  key: 'nomenclatura',
  schema: {
    type: 'object',
    required: ['nomenclatura', 'descripcion'],
    properties: { nomenclatura: { type: 'string' }, descripcion: { type: 'string' } },
  },
  filters: { descripcion: true },
  sort: ['descripcion'],
})

/** A hand-written service that combines several stand-alone middleware. */
function branches(express: Express) {
  const rows = new Map<string, { value: Sucursal; version: number }>()
  const query = listQuery(sucursales)
  const count = totalCount()
  const body = recordBody(sucursales, { id: (req: Request) => req.params.id as string })
  const format = negotiate('application/json', 'text/csv')

  const rowOf = (id: unknown) => {
    const row = rows.get(String(id))
    if (row === undefined) throw new HttpProblem('absent')
    return row
  }
  const v1 = express.Router()
  v1.use(express.json())

  v1.all('/sucursales', methodRules({ on: 'collection', allow: ['GET', 'POST'] }))
  v1.get('/sucursales', format, query, count, (req: Request, res: Response) => {
    const { where, offset, size, sort } = query.of(req)
    const found = [...rows.values()]
      .map((row) => row.value)
      .filter((row) => where.every(({ value }) => row.descripcion === value))
    if (sort[0]?.descending) found.reverse()
    count.set(req, res, found.length)
    const page = found.slice(offset, offset + size)
    if (format.of(req) === 'text/csv') res.type('csv').send(page.map((row) => Object.values(row).join(',')).join('\n'))
    else res.json(page)
  })
  v1.post('/sucursales', format, (req: Request, res: Response) => {
    const value = req.body as Sucursal
    if (rows.has(value.nomenclatura)) throw new HttpProblem('duplicate')
    rows.set(value.nomenclatura, { value, version: 1 })
    res
      .status(201)
      .location(`${req.baseUrl}/sucursales/${encodeURIComponent(value.nomenclatura)}`)
      .end()
  })

  v1.all('/sucursales/:id', methodRules({ on: 'item', allow: ['GET', 'PUT', 'DELETE'] }), format, ifMatch())
  v1.get('/sucursales/:id', (req: Request, res: Response) => {
    const row = rowOf(req.params.id)
    res.set('Cache-Control', 'private, no-cache')
    if (!sendTag(req, res, String(row.version), format.of(req))) res.json(row.value)
  })
  v1.put('/sucursales/:id', body, (req: Request, res: Response) => {
    const id = String(req.params.id)
    const row = rowOf(id)
    checkVersion(req, String(row.version))
    const next = { value: body.over(req, row.value) as Sucursal, version: row.version + 1 }
    if (rows.get(id)?.version !== row.version) throw preconditionFailed()
    rows.set(id, next)
    sendTag(req, res, String(next.version), format.of(req))
    res.json(next.value)
  })
  v1.delete('/sucursales/:id', (req: Request, res: Response) => {
    checkVersion(req, String(rowOf(req.params.id).version))
    rows.delete(String(req.params.id))
    res.json({ deleted: true })
  })
  v1.get('/fails', () => {
    throw new Error('secret')
  })

  return service(express, (app) => {
    app.disable('x-powered-by')
    app.use((_req, res, next) => {
      res.set({ 'Access-Control-Allow-Origin': 'https://a', Vary: 'Origin', 'X-Content-Type-Options': 'nosniff' })
      next()
    })
    app.use(
      '/private',
      versions({
        v1: { handler: v1, deprecated: '2026-01-01', sunset: '2126-01-01', successor: 'v8' },
        v8: v1,
        v0: 'retired',
      }),
    )
  })
}

describe.each(majors)('several stand-alone middleware in one service on %s', (_, express: Express) => {
  it('VERB, QUERY, HDR, ERR, VER: respond as the conventions require', async () => {
    const { call, reported } = branches(express)
    const path = '/private/v8/sucursales'
    const item = `${path}/A%20B`
    const seen: unknown[] = []
    const note = (name: string, { status, body }: { status: number; body?: { code?: string } }) =>
      seen.push([name, status, body?.code])

    const created = await call.post(path).set('Host', 'h').send({ nomenclatura: 'A B', descripcion: 'uno' })
    expect([created.status, created.headers.location, created.text]).toEqual([
      201,
      'http://h/private/v8/sucursales/A%20B',
      '',
    ])
    await call.post(path).send({ nomenclatura: 'C', descripcion: 'dos' })
    note('again', await call.post(path).send({ nomenclatura: 'C', descripcion: 'dos' }))
    note('malformed', await call.post(path).set('Content-Type', 'application/json').send('{'))

    const listed = await call.get(`${path}?limit=1&sort=-descripcion`).set('Host', 'h')
    expect(listed.body).toEqual([{ nomenclatura: 'C', descripcion: 'dos' }])
    expect(listed.headers).toMatchObject({ 'x-total-count': '2', vary: 'Origin, Accept' })
    expect(listed.headers.link).toContain(
      '<http://h/private/v8/sucursales?limit=1&sort=-descripcion&offest=2>; rel="next"',
    )
    expect((await call.get(path).set('Accept', 'text/csv')).text).toBe('A B,uno\nC,dos')
    note('accept', await call.get(path).set('Accept', 'text/html'))
    note('query', await call.get(`${path}?offset=2`))
    note('delete all', await call.delete(path))

    const got = await call.get(item)
    const { etag = '' } = got.headers
    expect([got.body.descripcion, etag.slice(0, 3)]).toEqual(['uno', '"1.'])
    const fresh = await call.get(item).set('If-None-Match', etag).set('Cache-Control', 'no-cache')
    expect([fresh.status, fresh.headers.vary, fresh.headers['cache-control'], fresh.headers.etag]).toEqual([
      304,
      'Origin, Accept',
      'private, no-cache',
      etag,
    ])
    const head = await call.head(item).set('If-None-Match', etag)
    expect([head.status, head.headers.etag, head.headers.location]).toEqual([302, etag, undefined])
    note('head absent', await call.head(`${path}/none`))

    const put = await call.put(item).set('If-Match', etag).send({ nomenclatura: 'A B', descripcion: 'tres' })
    expect([put.status, put.headers.etag?.slice(0, 3), put.body.descripcion]).toEqual([200, '"2.', 'tres'])
    note('put stale', await call.put(item).set('If-Match', etag).send({ descripcion: 'cuatro' }))
    note('put if none', await call.put(item).set('If-None-Match', '*').send({ descripcion: 'cuatro' }))
    note('put absent', await call.put(`${path}/none`).set('If-Match', etag).send({ descripcion: 'cuatro' }))
    note('put invalid', await call.put(item).send({}))
    note('delete stale', await call.delete(item).set('If-Match', etag))
    note('delete if none', await call.delete(item).set('If-None-Match', '*'))
    const deleted = await call.delete(item).set('If-Match', put.headers.etag as string)
    expect([deleted.status, deleted.text]).toEqual([200, ''])
    note('get deleted', await call.get(item))

    const options = await call.options(item)
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, PUT, DELETE, OPTIONS'])
    const old = await call.get('/private/v1/sucursales/C').set('Host', 'h')
    expect(old.headers).toMatchObject({
      deprecation: '@1767225600',
      link: '<http://h/private/v8/sucursales/C>; rel="successor-version"',
    })
    const retired = await call.put('/private/v0/sucursales/C').send({})
    expect([retired.status, retired.text]).toEqual([410, ''])
    note('version', await call.get('/private/v5/sucursales'))
    note('path', await call.get('/private/v8/nada'))
    const failed = await call.get('/private/v8/fails')
    note('failed', failed)
    expect(failed.text).not.toContain('secret')
    expect(failed.headers).toMatchObject({
      'access-control-allow-origin': 'https://a',
      'x-content-type-options': 'nosniff',
      vary: 'Origin, Accept',
    })

    expect(seen).toEqual([
      ['again', 422, 'duplicate'],
      ['malformed', 400, 'malformed-body'],
      ['accept', 415, 'unsupported-accept'],
      ['query', 400, 'invalid-query'],
      ['delete all', 405, 'method-not-allowed'],
      ['head absent', 404, undefined],
      ['put stale', 412, 'stale'],
      ['put if none', 412, 'precondition-failed'],
      ['put absent', 404, 'absent'],
      ['put invalid', 422, 'invalid-body'],
      ['delete stale', 412, 'stale'],
      ['delete if none', 412, 'precondition-failed'],
      ['get deleted', 404, 'absent'],
      ['version', 404, 'unknown-version'],
      ['path', 404, 'unknown-path'],
      ['failed', 500, 'internal'],
    ])
    expect(reported.filter(({ problem }) => problem.status >= 500).map(({ error }) => String(error))).toEqual([
      'Error: secret',
    ])
  })
})
