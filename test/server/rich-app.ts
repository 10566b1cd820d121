/**
 * An app that uses many features of Express. It is the same for every server and for both major
 * versions of Express.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createReadStream } from 'node:fs'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import type { NextFunction, Request, Response } from 'express'
import { api, defineResource, mount } from 'express-rest-conventions'
import { memoryAdapter } from 'express-rest-conventions/memory'
import type { App, Express } from '../middleware/majors.js'

const file = fileURLToPath(new URL('../../LICENSE', import.meta.url))
const store = new AsyncLocalStorage<string>()

/** Describes the chain of prototypes of an object. */
const chain = (object: object): string[] => {
  const names: string[] = []
  for (let at = Object.getPrototypeOf(object); at !== null; at = Object.getPrototypeOf(at)) {
    names.push(`${at.constructor?.name}:${Object.hasOwn(at, 'app') ? 'app' : Object.keys(at).length}`)
  }
  return names
}

const looks = (req: Request, res: Response): object => ({
  request: req instanceof IncomingMessage,
  response: res instanceof ServerResponse,
  constructors: [req.constructor === IncomingMessage, res.constructor === ServerResponse],
  names: [inspect(req, { depth: 0 }).split(' ')[0], inspect(res, { depth: 0 }).split(' ')[0]],
  tags: [String(req), Object.prototype.toString.call(res)],
  own: [Reflect.ownKeys(req).map(String), Reflect.ownKeys(res).map(String)],
  chains: [chain(req), chain(res)],
  enumerable: Object.keys(req),
})

export function richApp(express: Express): App {
  const app = express()
  app.set('trust proxy', true)
  app.set('json spaces', 1)
  app.use((req, _res, next) => store.run(req.url, next))
  app.use(express.json())
  app.get('/looks', (req, res) => res.json(looks(req, res)))
  app.get('/proxy', ({ ip, ips, protocol, secure, hostname, subdomains, xhr }, res) =>
    res.json({ ip, ips, protocol, secure, hostname, subdomains, xhr }),
  )
  app.get('/words', (req, res) =>
    res.json({
      path: req.path,
      original: req.originalUrl,
      base: req.baseUrl,
      query: req.query,
      get: req.get('X-Odd'),
      accepts: req.accepts(['json', 'html']),
      language: req.acceptsLanguages('es', 'en'),
      range: req.range(100),
      fresh: req.fresh,
      stale: req.stale,
    }),
  )
  app.post('/is', (req, res) => res.json({ is: req.is(['json', 'text/*']), body: req.body ?? null }))
  app.get('/send/:kind', (req, res) => {
    const kinds: Record<string, unknown> = {
      text: 'háblame',
      buffer: Buffer.from([0, 255, 10]),
      object: { a: [1, null] },
      empty: '',
      none: null,
    }
    res.send(kinds[req.params.kind])
  })
  app.get('/status/:status', (req, res) => void res.sendStatus(Number(req.params.status)))
  app.get('/redirect', (_req, res) => res.redirect(301, '/send/text'))
  app.get('/file', (_req, res) => res.sendFile(file))
  app.get('/download', (_req, res) => res.download(file, 'licencia ñ.txt'))
  app.get('/missing', (_req, res) => res.sendFile(`${file}.none`))
  app.use('/static', express.static(fileURLToPath(new URL('../../docs', import.meta.url))))
  app.get('/cookie', (_req, res) =>
    res.cookie('a', 'b c', { httpOnly: true }).clearCookie('d').append('Link', '<x>').links({ next: '/n' }).jsonp([1]),
  )
  app.get('/format', (_req, res) => res.format({ text: () => res.send('t'), json: () => res.send({ j: 1 }) }))
  app.get('/stream', (_req, res) => void Readable.from(['uno ', 'dos ', 'tres']).pipe(res))
  app.get('/pipe', (_req, res) => void createReadStream(file).pipe(res.type('text')))
  app.post('/echo', (req, res) => void req.pipe(res))
  app.post('/trailers', (req, res) => void req.resume().on('end', () => res.json(req.trailers)))
  app.post('/stack', (req, res) => {
    // A stack trace contains the class names of the objects, as in `IncomingMessage.emit`.
    req
      .resume()
      .on('end', () => res.json((new Error().stack ?? '').split('\n').map((line) => line.trim().split(' ')[1])))
  })
  app.get('/raw', (_req, res) => {
    res.writeHead(
      202,
      'Taken',
      [
        ['X-One', '1'],
        ['X-One', '2'],
      ].flat(),
    )
    res.write('a')
    setImmediate(() => res.end('b'))
  })
  app.get('/hints', (_req, res) => {
    res.writeEarlyHints({ link: '</style.css>; rel=preload' })
    res.json(store.getStore())
  })
  app.get('/locals', (_req, res) => {
    res.locals.a = 1
    res.json(res.locals)
  })
  app.get('/throws', () => {
    throw Object.assign(new Error('teapot'), { status: 418, expose: true })
  })
  app.get('/extended', (req, res) => {
    const extended = res as unknown as { later?: (text: string) => void; early: (text: string) => void }
    const who = (req as unknown as { who: string }).who
    if (extended.later === undefined) extended.early(who)
    else extended.later(who)
  })
  app.use('/sub', subApp(express))
  app.get('/sub/back', (req, res) =>
    res.json({ back: (req as unknown as { who: string }).who, app: req.app === app, ...looks(req, res) }),
  )
  const nested = express()
  nested.use('/deeper', subApp(express))
  app.use('/nested', nested)
  app.use(library())
  app.use((error: Error & { status?: number }, _req: Request, res: Response, _next: NextFunction) => {
    res.status(error.status ?? 500).json({ error: error.message })
  })
  return app
}

/** A sub-app. Express sets the prototypes of a sub-app on requests, and removes them again. */
function subApp(express: Express): App {
  const sub = express()
  Object.defineProperty(sub.request, 'who', { configurable: true, get: () => 'sub' })
  sub.get('/looks', (req, res) =>
    res.json({ who: (req as unknown as { who: string }).who, base: req.baseUrl, ...looks(req, res) }),
  )
  sub.get('/error', () => {
    throw new Error('Thrown by the sub-app.')
  })
  sub.get('/back', (_req, _res, next) => next())
  return sub
}

const cosas = defineResource({
  collection: 'cosas',
  key: 'id',
  schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, nombre: { type: 'string' } } },
  sort: ['id', 'nombre'],
})

// All apps share one store, because the ETags of two stores would differ: each store starts its
// versions with its own random string.
const adapter = memoryAdapter(cosas, { records: Array.from({ length: 30 }, (_, id) => ({ id, nombre: `cosa ${id}` })) })

const library = () => api({ baseUrl: 'http://x', versions: { v1: [mount(cosas, adapter)] } })
