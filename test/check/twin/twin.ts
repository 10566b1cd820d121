/**
 * The twin: a test service that keeps the conventions without this library. It is written by hand
 * in Express and keeps its records in memory. With a fault, it violates one rule.
 */
import express, { type Express, type Request, type Response } from 'express'
import { originOf, problem, sendValue, shownCustomer, shownOrder } from './answers.js'
import { type Data, data, type Order } from './data.js'
import type { Fault } from './faults.js'
import { flagsOf } from './flags.js'
import { labelsOf, logIn } from './labels.js'
import { misplaced } from './misplaced.js'
import { parcelsOf } from './parcels.js'
import { type ListQuery, readQuery } from './query.js'
import { subjectOf } from './tokens.js'
import { writesOf } from './writes.js'

export interface Twin {
  readonly data: Data
  /** The number of failed logins of each user. */
  readonly failures: Map<string, number>
  has(fault: Fault): boolean
  subject(req: Request): string | undefined
}

export function twinApp(fault?: Fault): Express {
  const has = (one: Fault): boolean => one === fault
  const twin: Twin = {
    data: data(),
    failures: new Map(),
    has,
    subject(req) {
      const login = has('token of the login refused') ? undefined : req.get('x-authorization-token')
      return subjectOf(login ?? req.get('Authorization')?.replace(/^Bearer /, '') ?? '', has)
    },
  }
  const app = express().disable('x-powered-by').disable('etag').set('query parser', false)
  app.set('case sensitive routing', !has('paths in any case')).set('strict routing', has('trailing slash is 404'))
  app.use((req, res, next) => (isPreflight(req, res, twin) ? res.status(204).end() : next()))
  app.get('/login', (req, res) => logIn(req, res, twin))
  app.use('/v0', (_req, res) => res.status(410).end(has('retired version with a body') ? 'Gone.' : undefined))
  app.use(has('unknown version is v1') ? /^\/v\d+/ : '/v1', versionRouter(twin))
  if (has('paths without a version')) app.use(versionRouter(twin))
  app.use((_req, res) => problem(res, 404, 'no-route', 'There is no such path.', twin))
  app.use((_error: unknown, _req: Request, res: Response, _next: unknown) =>
    problem(res, has('undecodable path is 500') ? 500 : 400, 'undecodable', 'The path cannot be decoded.', twin),
  )
  return app
}

function versionRouter(twin: Twin) {
  const { has } = twin
  const methods = ['GET', 'HEAD', 'OPTIONS']
  const router = express.Router({ caseSensitive: !has('paths in any case'), strict: has('trailing slash is 404') })
  router.use((req, res, next): unknown => {
    const isHead = req.method === 'HEAD' && has('HEAD needs no credentials')
    if (isHead) return next()
    if (has('malformed token is 500') && req.get('Authorization') === 'Bearer x')
      return problem(res, 500, 'fault', 'A fault.', twin)
    const subject = twin.subject(req)
    const isOpen = has('writes need no credentials') && !methods.includes(req.method)
    if (subject !== undefined || isOpen || has('no credentials needed')) return next()
    if (!has('401 without challenge')) res.set('WWW-Authenticate', 'Bearer')
    return problem(res, 401, 'unauthenticated', 'Send a token.', twin)
  })
  router.use('/customers', (req, res, next): unknown => {
    if (twin.subject(req) !== 'guest' || has('no permission needed')) return next()
    return problem(res, 403, 'forbidden', 'You have no permission for this request.', twin)
  })
  const listMethods = [...methods, 'POST', ...(has('Allow of the list names DELETE') ? ['DELETE'] : [])]
  const itemMethods = [
    ...methods,
    'PUT',
    'PATCH',
    'DELETE',
    ...(has('Allow names an unsupported method') ? ['POST'] : []),
  ]
  router.use(writesOf(twin))
  router.use(labelsOf(twin))
  router.use(flagsOf(twin))
  router.use(misplaced(twin))
  router.use(parcelsOf(twin))
  route(router, '/orders', listMethods, twin, (req, res) => listOrders(req, res, twin))
  route(router, '/orders/:id', itemMethods, twin, (req, res) => {
    const { id } = req.params as { id: string }
    const isNumber = has('leading zeros accepted') ? /^\d+$/ : /^[1-9]\d*$/
    const plain = has('format suffixes in paths')
      ? id.replace(/\.json$/, '')
      : has('ids decoded twice')
        ? decodeURIComponent(id)
        : id
    const order = isNumber.test(plain) ? twin.data.orders.get(Number(plain)) : undefined
    if (has('item is 500') && order !== undefined && req.method === 'GET')
      return problem(res, 500, 'fault', 'A fault.', twin)
    const expand = new URLSearchParams(req.url.split('?')[1]).getAll('expand')
    return sendItem(req, res, order && shownOrder(req, order, expand, twin), twin)
  })
  route(router, '/customers', methods, twin, (req, res) => {
    const all = [...twin.data.customers.values()].map((one) => shownCustomer(req, one, twin))
    return sendPage(req, res, all, twin, [])
  })
  route(router, '/customers/:id', methods, twin, (req, res) => {
    const customer = twin.data.customers.get((req.params as { id: string }).id)
    return sendItem(req, res, customer && shownCustomer(req, customer, twin), twin)
  })
  return router
}

type Handler = (req: Request, res: Response) => unknown

/** Handles GET, HEAD and OPTIONS of a path. Methods that no earlier route handles get 405. */
export function route(
  router: express.Router,
  path: string,
  methods: readonly string[],
  twin: Twin,
  read: Handler,
): void {
  router.all(path, (req, res) => {
    if (req.method === 'GET' || req.method === 'HEAD') return read(req, res)
    const isReader = twin.subject(req) === 'reader' && !twin.has('Allow is the same for everybody')
    const offered = isReader ? methods.filter((one) => ['GET', 'HEAD', 'OPTIONS'].includes(one)) : methods
    if (!(req.method === 'OPTIONS' && twin.has('OPTIONS without Allow'))) res.set('Allow', offered.join(', '))
    if (req.method === 'OPTIONS') return res.status(204).end()
    if (twin.has('POST of an item is 404') && req.method === 'POST')
      return problem(res, 404, 'no-route', 'Nothing.', twin)
    if (twin.has('PUT of the list is 404') && req.method === 'PUT')
      return problem(res, 404, 'no-route', 'Nothing.', twin)
    return problem(res, 405, 'method-not-allowed', `Allowed: ${methods.join(', ')}.`, twin)
  })
}

export function sendItem(req: Request, res: Response, value: object | undefined, twin: Twin): unknown {
  const isHead = req.method === 'HEAD'
  if (value === undefined && !(isHead && twin.has('HEAD of a missing item is 302'))) {
    if (twin.has('missing item is 200') && !isHead) return sendValue(req, res, {}, twin)
    return problem(res, 404, 'no-item', 'There is no such item.', twin)
  }
  if (!isHead || twin.has('HEAD of an item is 200')) return sendValue(req, res, value, twin)
  if (twin.has('HEAD with Location')) res.set('Location', originOf(req))
  return res.status(302).end()
}

function listOrders(req: Request, res: Response, twin: Twin): unknown {
  return sendPage(req, res, undefined, twin)
}

/**
 * Sends a page of `all`, filtered by the string members that `filters` names. Without `all`, it
 * sends a page of the orders that match the query.
 */
export function sendPage(
  req: Request,
  res: Response,
  all: readonly object[] | undefined,
  twin: Twin,
  filters?: readonly string[],
): unknown {
  const { has } = twin
  const raw = req.url.split('?')[1] ?? ''
  const query = readQuery(raw, twin, filters)
  if ('errors' in query) return problem(res, 400, 'invalid-query', query.errors.join(' '), twin, query.errors)
  const { page, size } = query
  const texts = query.where.filter(([name]) => filters?.includes(name))
  const chosen = all?.filter((one) => texts.every(([name, value]) => one[name as keyof object] === value))
  const found = chosen ?? matching(query, twin).map((order) => shownOrder(req, order, query.expand, twin))
  const number = page - (has('pages counted from 0') && /(?:^|&)offest=[1-9]/.test(raw) ? 0 : 1)
  const start = number * size - (has('pages overlap') && number > 0 ? 1 : 0)
  const shown = found.slice(start, start + size - (has('one item less than limit') ? 1 : 0))
  if (has('past the end is 404') && number > 0 && shown.length === 0)
    return problem(res, 404, 'no-page', 'No such page.', twin)
  const counted = has('total ignores the filters') ? (all ?? matching({ ...query, where: [] }, twin)) : found
  const total = has('total counts only the page')
    ? shown.length
    : counted.length + (has('total is one too many') ? 1 : 0)
  if (!(req.method === 'HEAD' && has('HEAD of a list without total'))) res.set('x-total-count', String(total))
  res.set('Link', pageLinks(req, raw, page, Math.max(1, Math.ceil(found.length / size)), twin))
  return sendValue(
    req,
    res,
    has('list in an object') || (has('search in an envelope') && query.text !== undefined) ? { items: shown } : shown,
    twin,
  )
}

function pageLinks(req: Request, raw: string, page: number, last: number, twin: Twin): string {
  const others = raw.split('&').filter((one) => one !== '' && !one.startsWith('offest='))
  const to = (number: number, rel: string): string =>
    `<${originOf(req)}${req.baseUrl}${req.path}?${[...others, `offest=${number}`].join('&')}>; rel="${rel}"`
  const step = twin.has('next link skips a page') ? 2 : 1
  return [
    to(1, 'first'),
    ...(page > 1 ? [to(page - 1, 'prev')] : []),
    ...(page < last || twin.has('next link on the last page') ? [to(page + step, 'next')] : []),
    to(last, 'last'),
  ].join(', ')
}

function matching({ where, text, sort }: ListQuery, twin: Twin): readonly Order[] {
  const { has } = twin
  const fits = (order: Order): boolean => {
    const isLike = (name: string, value: unknown): boolean =>
      has('filters are patterns') && typeof value === 'string' && value.includes('%')
        ? new RegExp(`^${value.replaceAll('%', '.*')}$`).test(String(order[name as keyof Order]))
        : order[name as keyof Order] === value
    const hold = where.map(([name, value]) => isLike(name, value))
    return has('filters joined by or') && hold.length > 1 ? hold.includes(true) : !hold.includes(false)
  }
  const found = [...twin.data.orders.values()].filter(
    (one) => fits(one) && (text === undefined || JSON.stringify(one).includes(text)),
  )
  if (has('ties in random order')) found.sort(() => Math.random() - 0.5)
  const terms = has('sort ignored') ? [] : has('only the first field sorts') ? sort.slice(0, 1) : sort
  return found.sort((a, b) => {
    for (const { field, down } of terms) {
      const order = compare(a[field as keyof Order], b[field as keyof Order], twin)
      if (order !== 0) return down ? -order : order
    }
    return has('ties in random order') ? 0 : a.id - b.id
  })
}

function compare(one: unknown, other: unknown, twin: Twin): number {
  if (one === other) return 0
  if (one === null || other === null) return (one === null ? 1 : -1) * (twin.has('nulls first') ? -1 : 1)
  if (twin.has('numbers sorted as strings')) return String(one) < String(other) ? -1 : 1
  return (one as number) < (other as number) ? -1 : 1
}

/**
 * Sets the CORS header fields. Returns true for a preflight request, which needs no token.
 */
function isPreflight(req: Request, res: Response, { has }: Twin): boolean {
  if (req.get('Origin') === undefined) return false
  res.set('Access-Control-Allow-Origin', '*')
  const exposed = ['ETag', 'Location', 'Link', 'x-total-count', 'Deprecation', 'Sunset', 'x-authorization-token']
  res.set('Access-Control-Expose-Headers', exposed.slice(has('total not exposed') ? 4 : 0).join(', '))
  if (req.method !== 'OPTIONS' || req.get('Access-Control-Request-Method') === undefined) return false
  if (has('preflight needs a token')) return false
  res.set('Access-Control-Allow-Methods', has('preflight without methods') ? 'GET' : 'PUT, PATCH, DELETE')
  const fields = has('preflight without Authorization') ? '*' : 'Authorization, Content-Type, If-Match, Idempotency-Key'
  res.set('Access-Control-Allow-Headers', fields)
  return true
}

/**
 * Waits without blocking other requests. It polls the clock, because timers are too coarse for
 * waits of less than a millisecond.
 */
export async function pause(milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds
  while (performance.now() < end) await new Promise((resolve) => setImmediate(resolve))
}
