/**
 * A correct service on Fastify. It has bearer tokens, and lists with a total but without page
 * links. PATCH responds with 200, and DELETE with 204.
 */
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
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

const itemMethods = ['GET', 'HEAD', 'OPTIONS', 'PATCH', 'DELETE']
const listMethods = ['GET', 'HEAD', 'OPTIONS', 'POST']

export async function startFastify(planted?: Planted) {
  const store = books()
  let last = store.size
  const app = Fastify({ exposeHeadRoutes: false, routerOptions: { caseSensitive: true, ignoreTrailingSlash: true } })
  const refuse = (reply: FastifyReply, status: number, code: string, errors?: readonly Wrong[]) =>
    reply
      .code(status)
      .header('cache-control', 'no-store')
      .type('application/problem+json')
      .send(problem(status, code, errors))
  const send = (request: FastifyRequest, reply: FastifyReply, value: unknown) => {
    const text = JSON.stringify(value)
    const tag = tagOf(text)
    reply.header('etag', tag).header('cache-control', 'private, no-cache').header('vary', 'Accept, Authorization')
    const field = request.headers['if-none-match']
    if (request.method === 'GET' && field !== undefined && names(field, tag, true)) return reply.code(304).send()
    return reply.type('application/json').send(request.method === 'HEAD' ? undefined : text)
  }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'string' },
    (_request, text, done) => {
      try {
        done(null, JSON.parse(String(text)))
      } catch {
        done(Object.assign(new Error('malformed'), { statusCode: 400 }))
      }
    },
  )
  app.setErrorHandler((error, _request, reply) =>
    refuse(reply, (error as { statusCode?: number }).statusCode ?? 500, 'refused'),
  )
  app.setNotFoundHandler((_request, reply) => refuse(reply, 404, 'no-route'))
  app.addHook('onRequest', async (request, reply) => {
    const isKnown = request.headers.authorization === `Bearer ${token}`
    // This check runs before any handler, so that a refused request changes nothing.
    if (isKnown && request.method !== 'OPTIONS' && !takesJson(request.headers.accept))
      return refuse(reply, 415, 'not-acceptable')
    if (isKnown) return
    if (!request.url.startsWith('/v2')) return refuse(reply, 404, 'no-route')
    return refuse(reply.header('www-authenticate', 'Bearer'), 401, 'unauthenticated')
  })
  const other = (path: string, methods: readonly string[]) =>
    app.route({
      method: ['OPTIONS', 'PUT', 'POST', 'PATCH', 'DELETE'].filter(
        (one) => one === 'OPTIONS' || !methods.includes(one),
      ),
      url: path,
      handler: (request, reply) => {
        reply.header('allow', methods.join(', '))
        return request.method === 'OPTIONS' ? reply.code(204).send() : refuse(reply, 405, 'method-not-allowed')
      },
    })
  other('/v2/books', listMethods)
  other('/v2/books/:id', itemMethods)
  app.route({
    method: ['GET', 'HEAD'],
    url: '/v2/books',
    handler: (request, reply) => {
      const found = page([...store.values()], request.url.split('?')[1] ?? '', planted === 'pages overlap')
      if ('errors' in found) return refuse(reply, 400, 'invalid-query', found.errors)
      return send(request, reply.header('x-total-count', found.total), found.shown)
    },
  })
  app.post('/v2/books', (request, reply) => {
    const errors = wrongMembers(request.body)
    if (errors.length > 0) return refuse(reply, 422, 'invalid', errors)
    last += 1
    const id = `b-${String(last).padStart(3, '0')}`
    const blank: Book = { id, title: '', author: '', year: null, available: false }
    store.set(id, { ...blank, ...(request.body as Partial<Book>), id })
    return reply.code(201).header('location', `http://${request.headers.host}/v2/books/${id}`).send()
  })
  app.route<{ Params: { id: string } }>({
    method: ['GET', 'HEAD'],
    url: '/v2/books/:id',
    handler: (request, reply) => {
      const book = store.get(request.params.id)
      if (book === undefined) return refuse(reply, 404, 'no-item')
      return request.method === 'HEAD' && planted !== 'HEAD is 200'
        ? reply.code(302).send()
        : send(request, reply, book)
    },
  })
  app.route<{ Params: { id: string } }>({
    method: ['PATCH', 'DELETE'],
    url: '/v2/books/:id',
    handler: (request, reply) => {
      const book = store.get(request.params.id)
      if (book === undefined) return refuse(reply, 404, 'no-item')
      const field = request.headers['if-match']
      if (planted !== 'If-Match ignored' && field !== undefined && !names(field, tagOf(JSON.stringify(book)), false))
        return refuse(reply, 412, 'stale')
      const none = request.headers['if-none-match']
      if (none !== undefined && names(none, tagOf(JSON.stringify(book)), true)) return refuse(reply, 412, 'known')
      if (request.method === 'DELETE') {
        store.delete(book.id)
        return reply.code(204).send()
      }
      const errors = wrongMembers(request.body)
      if (errors.length > 0) return refuse(reply, 422, 'invalid', errors)
      const next = { ...book, ...(request.body as Partial<Book>), id: book.id }
      store.set(book.id, next)
      return send(request, reply, next)
    },
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return { origin, close: () => app.close() }
}
