/**
 * A correct service on Hono. Clients send their token in `x-authorization-token`. Lists have page
 * links, but no total. PUT and DELETE respond with 200.
 */
import { getRequestListener } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { serving } from '../serving.js'
import {
  type Book,
  books,
  names,
  type Planted,
  page,
  problem,
  tagOf,
  takesJson,
  token,
  type Wrong,
  wrongMembers,
} from './shelf.js'

export async function startHono(planted?: Planted) {
  const store = books()
  let last = store.size
  const app = new Hono({ strict: false })
  const refuse = (c: Context, status: number, code: string, errors?: readonly Wrong[]): Response =>
    new Response(c.req.method === 'HEAD' ? null : JSON.stringify(problem(status, code, errors)), {
      status,
      headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...allowOf(c, status) },
    })
  const send = (c: Context, value: unknown, headers: Record<string, string> = {}): Response => {
    const text = JSON.stringify(value)
    const etag = tagOf(text)
    const all = { etag, 'cache-control': 'private, max-age=0', vary: 'x-authorization-token', ...headers }
    const field = c.req.header('if-none-match')
    if (c.req.method === 'GET' && field !== undefined && names(field, etag, true))
      return new Response(null, { status: 304, headers: all })
    return new Response(c.req.method === 'HEAD' ? null : text, {
      headers: { ...all, 'content-type': 'application/json' },
    })
  }
  app.use('/v2/*', async (c, next) => {
    const isKnown = c.req.header('x-authorization-token') === token
    // This check runs before any handler, so that a refused request changes nothing.
    if (isKnown && c.req.method !== 'OPTIONS' && !takesJson(c.req.header('accept')))
      return refuse(c, 415, 'not-acceptable')
    if (isKnown) return next()
    const refused = refuse(c, 401, 'unauthenticated')
    refused.headers.set('www-authenticate', 'Token')
    return refused
  })
  app.get('/v2/books', (c) => {
    const { pathname, search, origin } = new URL(c.req.url)
    const found = page([...store.values()], search.slice(1), planted === 'pages overlap')
    if ('errors' in found) return refuse(c, 400, 'invalid-query', found.errors)
    const query = new URLSearchParams(search)
    const [number, size] = [Number(query.get('offest') ?? 1), Number(query.get('limit') ?? 5)]
    const to = (target: number): string => {
      query.set('offest', String(target))
      return `<${origin}${pathname}?${query}>`
    }
    const link = [
      ...(number > 1 ? [`${to(number - 1)}; rel=prev`] : []),
      ...(number * size < found.total ? [`${to(number + 1)}; rel=next`] : []),
      `${to(1)}; rel=first`,
    ]
    return send(c, found.shown, { link: link.join(', ') })
  })
  const bodyOf = async (c: Context): Promise<Response | Partial<Book>> => {
    if (c.req.header('content-type')?.split(';')[0] !== 'application/json') return refuse(c, 415, 'media-type')
    const body: unknown = await c.req.json().catch(() => undefined)
    if (body === undefined) return refuse(c, 400, 'malformed')
    const errors = wrongMembers(body)
    return errors.length > 0 ? refuse(c, 422, 'invalid', errors) : (body as Partial<Book>)
  }
  const blank = { title: '', author: '', year: null, available: false }
  app.post('/v2/books', async (c) => {
    const body = await bodyOf(c)
    if (body instanceof Response) return body
    last += 1
    const id = `b-${String(last).padStart(3, '0')}`
    store.set(id, { ...blank, ...body, id })
    return new Response(null, { status: 201, headers: { location: `${new URL(c.req.url).origin}/v2/books/${id}` } })
  })
  app.on(['GET', 'PUT', 'DELETE'], '/v2/books/:id', async (c) => {
    if (/%(?![0-9a-f]{2})/i.test(new URL(c.req.url).pathname)) return refuse(c, 400, 'undecodable')
    const id = c.req.param('id')
    const find = (): Book | undefined => store.get(id)
    if (find() === undefined) return refuse(c, 404, 'no-item')
    if (c.req.method === 'GET') return send(c, find())
    if (c.req.method === 'HEAD')
      return planted === 'HEAD is 200' ? send(c, find()) : new Response(null, { status: 302 })
    const body = c.req.method === 'PUT' ? await bodyOf(c) : {}
    if (body instanceof Response) return body
    if ((body.id ?? id) !== id)
      return refuse(c, 422, 'invalid', [{ detail: 'The id must equal the id in the path.', pointer: '/id' }])
    const book = find()
    if (book === undefined) return refuse(c, 404, 'no-item')
    const field = c.req.header('if-match')
    if (planted !== 'If-Match ignored' && field !== undefined && !names(field, tagOf(JSON.stringify(book)), false))
      return refuse(c, 412, 'stale')
    const none = c.req.header('if-none-match')
    if (none !== undefined && names(none, tagOf(JSON.stringify(book)), true)) return refuse(c, 412, 'known')
    if (c.req.method === 'DELETE') {
      store.delete(id)
      return new Response(null)
    }
    store.set(id, { ...blank, ...body, id })
    return send(c, find())
  })
  app.all('/v2/books', (c) => (c.req.method === 'OPTIONS' ? options(c) : refuse(c, 405, 'method-not-allowed')))
  app.all('/v2/books/:id', (c) => (c.req.method === 'OPTIONS' ? options(c) : refuse(c, 405, 'method-not-allowed')))
  app.notFound((c) => refuse(c, 404, 'no-route'))
  return serving(getRequestListener(app.fetch))
}

const methodsOf = (c: Context): string =>
  /^\/v2\/books\/?$/.test(c.req.path) ? 'GET, HEAD, OPTIONS, POST' : 'GET, HEAD, OPTIONS, PUT, DELETE'

const options = (c: Context): Response => new Response(null, { status: 204, headers: { allow: methodsOf(c) } })

const allowOf = (c: Context, status: number): Record<string, string> => (status === 405 ? { allow: methodsOf(c) } : {})
