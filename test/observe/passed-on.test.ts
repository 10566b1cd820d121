/**
 * Services whose routes pass requests on: to error handlers, to a middleware that responds to every
 * request, or to another path.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express5, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { observe, usage } from '../../src/usage/index.js'
import { type Express, listen, majors } from '../middleware/majors.js'

let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'observed-'))
  await writeFile(join(folder, 'list.json'), '[1]')
})

afterAll(() => rm(folder, { recursive: true }))

type Front = ReturnType<typeof observe>

function service(express: Express, rest: string, front: Front) {
  const app = express()
  app.disable('etag')
  app.use(front as RequestHandler)
  app.use('/assets', express.static(folder, { etag: false }))
  app.use('/health', (_req, res) => void res.json({ ok: true }))
  app.use('/states', (_req, res) => void res.json(['new']))
  app.use((req, res, next) => {
    if (req.headers['x-refused'] !== undefined) return void res.status(401).json({})
    if (req.url === '/latest') req.url = '/1'
    next()
  })
  app.all(rest, (_req, _res, next) => next())
  const notes = express.Router()
  notes.get('/:id', (req, res, next) => {
    const { id } = req.params
    if (id === 'refused') return next(Object.assign(new Error('no'), { status: 404 }))
    if (id !== 'missing') Object.assign(res.locals, { data: { id: 1 } })
    next()
  })
  app.use('/v1/notes', notes)
  app.get('/v1/parcels/:id/events', (_req, res) => void res.set('x-total-count', '1').json([]))
  app.get('/v1/parcels/:id/:part', (_req, res) => void res.set('Etag', '"1"').json({}))
  app.get('/v1/:collection', (_req, res) => void res.set('x-total-count', '1').json([]))
  app.get('/v1/parcels/:from..:to', (_req, res) => void res.json([1]))
  app.get('/v1', (_req, res) => void res.json({ links: [] }))
  app.get('/', (_req, res) => void res.json({ name: 'service' }))
  app.get('/:code', (_req, res) => void res.status(204).end())
  app.get('/v1/records/:id.:format', (_req, res) => void res.type('text').send('1'))
  app.use((_req, res, next) => {
    const { data } = res.locals
    if (data === undefined) next()
    else res.set('Etag', '"1"').json(data)
  })
  app.use((_req, res) => void res.status(404).json({ error: 'nowhere' }))
  const failed: ErrorRequestHandler = (error, _req, res, _next) =>
    void res.status(error.status).json({ error: 'failed' })
  app.use(failed)
  return app
}

async function findingsOf(express: Express, rest: string, requests: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>()
  const counts = usage({
    onCount: ({ kind, subject, route, detail }) => {
      if (kind === 'would_break') found.add(`${subject} ${route} ${detail}`)
    },
  })
  const port = await listen(service(express, rest, observe({ usage: counts, budget: 1 })))
  for (const request of requests) {
    const [path, word = 'GET'] = request.split(' ')
    const how = word.startsWith('x-') ? { headers: { [word]: 'x' } } : { method: word }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, how)
    await answer.text()
  }
  await counts.close()
  return [...found]
}

describe.each(majors)('observe() for routes that pass requests on, %s', (_name, express) => {
  const rest = express === (express5 as unknown as Express) ? '/v1/*rest' : '/v1/*'
  const of = (...requests: string[]) => findingsOf(express, rest, requests)

  it('names the route of an error response that an outer error handler sent', async () => {
    expect(await of('/v1/notes/refused')).toEqual(['ERR-3 /v1/notes/{id} JSON'])
  })

  it('names the route of a 404 that a later middleware sent', async () => {
    expect(await of('/v1/notes/missing')).toEqual(['ERR-3 /v1/notes/{id} JSON'])
  })

  it('reports no 404 for a path that only a wildcard route matches', async () => {
    expect(await of('/v1/nothing/at/all/here')).toEqual([])
  })

  it('does not name the route /:code for a path to which another handler responds, such as /states', async () => {
    expect(await of('/short', '/health', '/latest', '/health', '/states')).toEqual(['QUERY-7 /states x-total-count'])
  })

  it('does not treat an index, such as the root or the path of a version, as a collection', async () => {
    expect(await of('/short', '/v1/things', '/', '/v1')).toEqual([])
  })

  it('does not treat the lists at /v1/:collection and /v1/parcels/:from..:to as items', async () => {
    expect(await of('/v1/things', '/v1/parcels/1..3', '/v1/things HEAD')).toEqual([])
  })

  it('if several known routes match, names the one with the most literal segments', async () => {
    expect(await of('/v1/parcels/1/state', '/v1/parcels/1/events', '/v1/parcels/1/events x-refused')).toEqual([
      'AUTH-4 /v1/parcels/{id}/events WWW-Authenticate',
      'ERR-3 /v1/parcels/{id}/events JSON',
    ])
  })

  it('reports a format in the path, even if the format is a path parameter as in /:id.:format', async () => {
    expect(await of('/v1/records/1.csv')).toEqual(['PATH-4 /v1/records/{id}.{format} {id}.{format}'])
  })

  it('does not treat a file as a list', async () => {
    expect(await of('/assets/list.json')).toEqual([])
  })
})
