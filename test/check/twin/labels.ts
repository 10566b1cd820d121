/**
 * More routes of the twin, the hand-written test service:
 *
 * - Labels. Clients choose the codes of labels, and attach labels to orders (VERB-4).
 * - Prices. Their keys have two parts (PATH-9).
 * - The login (AUTH-2).
 */
import { scryptSync } from 'node:crypto'
import express, { type Request, type Response, type Router } from 'express'
import { originOf, problem, sendValue } from './answers.js'
import { tokenOf } from './tokens.js'
import { pause, route, sendItem, sendPage, type Twin } from './twin.js'
import { bodyOf, isStale } from './writes.js'

export interface Label {
  readonly code: string
  readonly text: string
}

const price = (req: Request, customer: string, year: number, twin: Twin) => ({
  customer,
  year,
  amount: year - 2000,
  parent: twin.has('links embed objects')
    ? { href: `${originOf(req)}/v1/customers/${customer}`, whole: { name: customer } }
    : { href: `${originOf(req)}/v1/customers/${customer}` },
})

export function labelsOf(twin: Twin): Router {
  const { has, data } = twin
  const router = express.Router({ caseSensitive: true, strict: has('trailing slash is 404') })
  const methods = ['GET', 'HEAD', 'OPTIONS']
  const withWrites = (...writes: string[]): string[] => [...methods, ...writes]
  router.post('/labels', (req, res) => void create(req, res, twin))
  router.put('/labels/:code', (req, res) => void replace(req, res, twin))
  router.delete('/labels/:code', (req, res) => {
    const label = data.labels.get(req.params.code)
    if (label === undefined) return problem(res, 404, 'no-item', 'There is no such label.', twin)
    if (isStale(req, label, twin)) return problem(res, 412, 'stale', 'It was changed.', twin)
    data.labels.delete(label.code)
    return res.status(204).end()
  })
  route(router, '/labels', withWrites('POST'), twin, (req, res) =>
    sendPage(req, res, [...data.labels.values()], twin, ['text']),
  )
  route(router, '/labels/:code', withWrites('PUT', 'DELETE'), twin, (req, res) =>
    sendItem(req, res, data.labels.get((req.params as { code: string }).code), twin),
  )
  const inOrders = '/orders/:id/labels'
  const codesOf = (req: Request): Set<string> | undefined => {
    const id = Number((req.params as { id: string }).id)
    if (!data.orders.has(id)) return undefined
    const known = data.members.get(id) ?? new Set(id % 2 === 1 ? ['blue', 'red'] : [])
    data.members.set(id, known)
    return known
  }
  router.put(`${inOrders}/:code`, (req, res) => {
    const { code } = req.params as unknown as { code: string }
    const codes = codesOf(req as unknown as Request)
    const isThere = codes !== undefined && (data.labels.has(code) || has('missing item attached'))
    if (!isThere) return problem(res, 404, 'no-item', 'There is no such item.', twin)
    if (codes.has(code) && has('second attach refused'))
      return problem(res, 422, 'there', 'The label is already attached.', twin)
    if (!has('attach has no effect')) codes.add(code)
    return res.status(204).end()
  })
  router.delete(`${inOrders}/:code`, (req, res) => {
    const { code } = req.params as unknown as { code: string }
    const codes = codesOf(req as unknown as Request)
    if (codes?.has(code) !== true) return problem(res, 404, 'no-item', 'There is no such item.', twin)
    if (!has('detach has no effect')) codes.delete(code)
    if (has('detach deletes the item')) data.labels.delete(code)
    return res.status(204).end()
  })
  route(router, inOrders, methods, twin, (req, res) => {
    const codes = codesOf(req)
    if (codes === undefined) return problem(res, 404, 'no-item', 'There is no such order.', twin)
    return sendPage(
      req,
      res,
      [...codes].flatMap((code) => data.labels.get(code) ?? []),
      twin,
      [],
    )
  })
  route(router, `${inOrders}/:code`, withWrites('PUT', 'DELETE'), twin, (req, res) => {
    const { code } = req.params as { code: string }
    const isIn = codesOf(req)?.has(code) === true || has('every label is in every order')
    return sendItem(req, res, isIn ? data.labels.get(code) : undefined, twin)
  })
  const prices = (req: Request) =>
    ['ana', 'eva'].flatMap((customer) => [2024, 2025, 2026].map((year) => price(req, customer, year, twin)))
  const name = has('collection in the singular') ? 'price' : has('verb as a collection') ? 'get-prices' : 'prices'
  route(router, `/${name}`, methods, twin, (req, res) => {
    if (!has('no Deprecation header')) res.set('Deprecation', '@1767225600')
    res.set('Sunset', new Date(has('Sunset before Deprecation') ? 1_700_000_000_000 : 1_900_000_000_000).toUTCString())
    return sendPage(req, res, prices(req), twin, [])
  })
  route(router, `/${name}/:id`, methods, twin, (req, res) => {
    const { id } = req.params as { id: string }
    const isSplit = has('id split before decoding') && /%2C/i.test(req.url)
    const parts = isSplit ? [id] : has('key parts in any order') ? id.split(',').sort() : id.split(',')
    const found = prices(req).find(
      ({ customer, year }) => parts.length === 2 && parts.join() === `customer=${customer},year=${year}`,
    )
    return sendItem(req, res, found, twin)
  })
  return router
}

async function create(req: Request, res: Response, twin: Twin): Promise<unknown> {
  const { has, data } = twin
  const label = bodyOf(req, res, twin, { code: 'string', text: 'string' }) as Label | undefined
  if (label === undefined) return
  const isTaken = data.labels.has(label.code)
  if (has('looks for a duplicate, waits and creates')) await pause(2)
  if (isTaken) return problem(res, 422, 'duplicate', '"code" is taken.', twin, [{ detail: 'taken', pointer: '/code' }])
  data.labels.set(label.code, { ...label, text: label.text ?? '' })
  return res
    .status(201)
    .set('Location', `${originOf(req)}/v1/labels/${label.code}`)
    .end()
}

async function replace(req: Request<{ code: string }>, res: Response, twin: Twin): Promise<unknown> {
  const { has, data } = twin
  const { code } = req.params
  const body = bodyOf(req, res, twin, { code: 'string', text: 'string' }) as Label | undefined
  if (body === undefined) return
  const label = data.labels.get(code)
  if (label === undefined) return problem(res, 404, 'no-item', 'There is no such label.', twin)
  if (isStale(req, label, twin)) return problem(res, 412, 'stale', 'It was changed.', twin)
  if (has('PUT compares, waits and writes')) await pause(2)
  if (body.code !== undefined && body.code !== code)
    return problem(res, 422, 'invalid', '"code" differs.', twin, [{ detail: 'differs', pointer: '/code' }])
  data.labels.set(code, { code, text: body.text ?? '' })
  return sendValue(req, res, data.labels.get(code), twin)
}

/** After this number of failed logins, further logins of the user get 429. */
const mostFailures = 20

/** `GET /login`. The path has no version. */
export function logIn(req: Request, res: Response, twin: Twin): unknown {
  const { has } = twin
  const [scheme, given = ''] = (req.get('Authorization') ?? '').split(' ')
  const text = scheme === 'Basic' ? Buffer.from(given, 'base64').toString() : undefined
  const user = text?.split(':')[0] ?? ''
  const failures = twin.failures.get(user) ?? 0
  if (failures >= mostFailures && !has('logins are not limited')) {
    if (!has('429 without Retry-After')) res.set('Retry-After', '60')
    return problem(res, 429, 'too-many-requests', 'Too many logins have failed.', twin)
  }
  // Hashing takes time. It also runs for unknown users, so that the response time does not reveal
  // whether a user exists.
  if (user === 'ana' || !has('unknown users take no time')) scryptSync(text ?? '', 'salt', 16, { N: 8192 })
  const isKnown = text === 'ana:secret' || (text !== undefined && has('any user can log in'))
  if (!isKnown) {
    if (text !== undefined) twin.failures.set(user, failures + 1)
    if (!has('login without challenge')) res.set('WWW-Authenticate', 'Basic realm="login"')
    const isTold = has('login reveals unknown users') && user !== 'ana'
    return problem(res, 401, 'unauthenticated', isTold ? 'No such user.' : 'Send user and password.', twin)
  }
  const token = tokenOf('ana')
  if (!has('login without no-store')) res.set('Cache-Control', 'no-store')
  if (has('token in the body')) return res.status(200).json({ token })
  return res.status(200).set('x-authorization-token', token).end()
}
