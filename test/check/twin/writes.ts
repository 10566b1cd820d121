/** The routes of the twin (the hand-written test service) for write requests. */
import express, { type Request, type Response, type Router } from 'express'
import { currentTag, formatOf, originOf, problem, sendValue, shownOrder, unanswerable } from './answers.js'
import type { Order } from './data.js'
import type { Fault } from './faults.js'
import { pause, type Twin } from './twin.js'

const orderTypes = {
  id: 'number',
  customer: 'object',
  state: 'string',
  amount: 'number',
  urgent: 'boolean',
  createdAt: 'string',
  note: 'string',
}
const readOnly = ['id', 'createdAt']

type Body = Readonly<Record<string, unknown>>

export function writesOf(twin: Twin): Router {
  const { has } = twin
  const router = express.Router({ caseSensitive: true })
  // Without this line, Express would respond to OPTIONS itself and list only the methods of this
  // router.
  router.use((req, _res, next) => next(req.method === 'OPTIONS' ? 'router' : undefined))
  router.use((req, res, next) => {
    const isLate = has(`${req.method} changes, then looks at Accept` as Fault)
    if (['GET', 'HEAD'].includes(req.method) || isLate || formatOf(req, twin) !== undefined) return next()
    return void unanswerable(res, twin)
  })
  router.use(express.text({ type: () => true }))
  const keys = new Map<string, { readonly location: string; readonly text: string }>()
  router.post('/orders', async (req, res) => {
    const body = bodyOf(req, res, twin)
    if (body === undefined) return
    const key = req.get('Idempotency-Key')
    const first = key === undefined || has('repeated POST creates again') ? undefined : keys.get(key)
    if (has('looks for the idempotency key, waits and creates')) await pause(2)
    if (first !== undefined && first.text !== String(req.body) && !has('another body under the same key accepted'))
      return problem(res, 422, 'key', 'The key was used with another body.', twin)
    const location = first?.location ?? `${originOf(req)}/v1/orders/${create(body, twin).id}`
    if (key !== undefined) keys.set(key, { location, text: String(req.body) })
    if (formatOf(req, twin) === undefined) return unanswerable(res, twin)
    if (has('201 with another tag')) res.set('ETag', '"new"')
    if (!has('POST without Location')) res.set('Location', has('Location leads nowhere') ? `${location}000` : location)
    return res.status(201).end()
  })
  if (has('DELETE of the list deletes everything'))
    router.delete('/orders', (_req, res) => {
      twin.data.orders.clear()
      res.status(204).end()
    })
  for (const method of ['put', 'patch', 'delete'] as const)
    router[method]('/orders/:id', (req, res) => void change(method, req as Request<{ id: string }>, res, twin))
  return router
}

/** Reads and validates the body of a request. Returns `undefined` if the body was refused. */
export function bodyOf(
  req: Request,
  res: Response,
  twin: Twin,
  types: Readonly<Record<string, string>> = orderTypes,
): Body | undefined {
  const type = req.get('Content-Type')?.split(';')[0]
  if (type !== 'application/json' && type !== 'application/merge-patch+json' && !twin.has('any media type accepted'))
    return void problem(res, 415, 'unsupported', 'Send JSON.', twin)
  let body: Body
  try {
    body = JSON.parse(String(req.body)) as Body
  } catch {
    const isOther = twin.has('malformed JSON is 422') || (twin.has('any media type accepted') && type === 'text/plain')
    return void problem(res, isOther ? 422 : 400, 'malformed', 'The body is not valid JSON.', twin)
  }
  return validated(body, res, twin, types)
}

/** Validates a body. Returns `undefined` if the body was refused. */
function validated(
  body: unknown,
  res: Response,
  twin: Twin,
  types: Readonly<Record<string, string>>,
): Body | undefined {
  const { has } = twin
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    if (has('body that is no object is 500')) return void problem(res, 500, 'fault', 'A fault.', twin)
    return void problem(res, 422, 'invalid', 'Send an object.', twin, [{ detail: 'Send an object.', pointer: '' }])
  }
  if (has('lone surrogates are 500') && /\\ud800/.test(JSON.stringify(body)))
    return void problem(res, 500, 'fault', 'A fault.', twin)
  const entries = Object.entries(body).flatMap(([name, value]) => {
    const type = Object.hasOwn(types, name) ? types[name] : undefined
    const isFit =
      type === undefined ? has('unknown members ignored') : value === null || type.split('|').includes(typeof value)
    return isFit ? [] : [{ detail: `${name} is unknown, or its value has the wrong type.`, pointer: `/${name}` }]
  })
  if (entries.length === 0) return linksFound(body as Body, res, twin)
  const errors = entries.map(({ detail, pointer }) =>
    has('errors without pointers')
      ? detail
      : { detail, pointer: has('pointers lead nowhere') ? `/body${pointer}` : pointer },
  )
  const isUnknown = Object.keys(body).some((name) => !Object.hasOwn(types, name))
  const status = has('schema violations are 400') && !isUnknown ? 400 : 422
  return void problem(res, status, 'invalid', entries.map(({ detail }) => detail).join(' '), twin, errors)
}

/**
 * Checks the link in a body (REP-7). Returns the accepted members, or `undefined` if the link was
 * refused.
 */
function linksFound(body: Body, res: Response, twin: Twin): Body | undefined {
  const { has, data } = twin
  const refuse = (detail: string): undefined =>
    void problem(res, 422, 'invalid', detail, twin, [{ detail, pointer: '/customer' }])
  const isWhole = Object.keys((body.customer ?? {}) as object).some((name) => name !== 'href' && name !== 'id')
  if (isWhole && has('expanded links refused')) return refuse('A link has no other members.')
  const id = customerOf(body, twin)
  if (id === undefined || data.customers.has(id)) return body
  if (!has('links to missing records accepted')) return refuse('There is no such customer.')
  const { customer: _, ...rest } = body
  return rest
}

function create(body: Body, twin: Twin): Order {
  const id = Math.max(...twin.data.orders.keys(), 1000) + 1
  const order: Order = {
    id,
    customerId: customerOf(body, twin) ?? 'ana',
    state: String(body.state ?? 'open'),
    amount: (body.amount ?? null) as number | null,
    urgent: body.urgent === true,
    createdAt: '2026-02-01T10:00:00.0000000',
    note: (body.note ?? null) as string | null,
  }
  twin.data.orders.set(id, order)
  return order
}

/** The key of the linked customer: the `id` of the link, or else the last segment of its `href`. */
function customerOf({ customer }: Body, { has }: Twin): string | undefined {
  const { id, href } = (customer ?? {}) as { id?: string; href?: string }
  return id ?? (has('href of links ignored') ? undefined : href?.replace(/.*\//, ''))
}

async function change(
  method: 'put' | 'patch' | 'delete',
  req: Request<{ id: string }>,
  res: Response,
  twin: Twin,
): Promise<unknown> {
  const { has, data } = twin
  const id = Number(req.params.id)
  const order = data.orders.get(id)
  if (order === undefined && method === 'put' && has('PUT creates')) {
    data.orders.set(id, { ...create({}, twin), id })
    return sendValue(req, res, shownOrder(req, data.orders.get(id) as Order, [], twin), twin, 201)
  }
  if (order === undefined)
    return problem(
      res,
      has('If-Match before 404') && req.get('If-Match') ? 412 : 404,
      'no-item',
      'There is no such item.',
      twin,
    )
  const isIgnored = has('If-Match ignored') || (has('If-Match ignored by DELETE') && method === 'delete')
  if (!fits(req, shownOrder(req, order, [], twin), twin, isIgnored))
    return problem(res, 412, 'stale', 'It was changed.', twin)
  const isSlow = has('compares, waits and writes') || (has('DELETE compares, waits and deletes') && method === 'delete')
  if (isSlow) await pause(2)
  if (method === 'delete') {
    if (!has('deleted is still there')) data.orders.delete(id)
    if (formatOf(req, twin) === undefined) return unanswerable(res, twin)
    return has('DELETE with a body') ? sendValue(req, res, { deleted: id }, twin) : res.status(204).end()
  }
  if (has('half of a refused body is stored')) storeHalf(order, req)
  const body = changeOf(order, req, res, twin)
  if (body === undefined) return
  if (method === 'put' && body.id !== undefined && body.id !== id && !has('PUT ignores another id'))
    return problem(res, 422, 'invalid', 'id differs.', twin, [{ detail: 'id differs.', pointer: '/id' }])
  if (has('PUT refuses read-only members') && method === 'put' && readOnly.some((name) => name in body))
    return problem(res, 422, 'invalid', 'id is read-only.', twin, ['id is read-only.'])
  const merged =
    method === 'put' || has('PATCH replaces')
      ? { ...shownOrder(req, { ...order, note: null }, [], twin), ...body }
      : body
  const { customer: _, id: _id, createdAt: _createdAt, ...rest } = merged as Body
  const next = { ...order, ...rest, customerId: customerOf(merged as Body, twin) ?? order.customerId }
  if (has('PUT loses a member') && method === 'put') next.note = null
  if (has('PATCH replaces') && method === 'patch') next.amount = null
  if (has('PATCH ignores null') && method === 'patch')
    for (const name of ['amount', 'note'] as const)
      if (body[name] === null) Object.assign(next, { [name]: order[name] })
  data.orders.set(id, next)
  return sendValue(req, res, shownOrder(req, has('PUT and PATCH show the old item') ? order : next, [], twin), twin)
}

/**
 * Implements the fault 'half of a refused body is stored': stores the note although the body has an
 * unknown member and will be refused.
 */
function storeHalf(order: Order, req: Request): void {
  const [, note] = /"note":"([^"]*)"/.exec(String(req.body)) ?? []
  if (note !== undefined && String(req.body).includes('noSuchMember')) order.note = note
}

/** Reads the change that a request asks for. Returns `undefined` if the request was refused. */
function changeOf(order: Order, req: Request, res: Response, twin: Twin): Body | undefined {
  if (req.get('Content-Type') !== 'application/json-patch+json') return bodyOf(req, res, twin)
  const changed: Record<string, unknown> = {}
  const operations = JSON.parse(String(req.body)) as { op: string; path: string; value: unknown }[]
  if (twin.has('JSON Patch ignored')) return changed
  for (const { op, path, value } of operations) {
    const name = path.slice(1)
    const now = name in changed ? changed[name] : order[name as keyof Order]
    if (op === 'replace') changed[name] = value
    if (op === 'replace' && twin.has('JSON Patch in parts')) Object.assign(order, changed)
    if (op === 'test' && now !== value) return void problem(res, 422, 'test', 'The test fails.', twin)
  }
  return validated(changed, res, twin, orderTypes)
}

/**
 * Whether the `If-Match` or `If-None-Match` of a request forbids the change of this record.
 */
export const isStale = (req: Request, shown: object, twin: Twin): boolean => !fits(req, shown, twin)

function fits(req: Request, shown: object, twin: Twin, isIgnored = false): boolean {
  const none = req.get('If-None-Match')
  const current = currentTag(shown, twin)
  if (none !== undefined && !twin.has('If-None-Match of changes ignored') && (none === '*' || none === current))
    return false
  if (isIgnored) return true
  const field = req.get('If-Match')
  if (field === undefined || field === '*') return !twin.has('If-Match of one tag only') || field === undefined
  const strong = twin.has('weak tags match') ? field.replaceAll('W/', '') : field
  return strong.split(twin.has('If-Match of one tag only') ? '\0' : ',').some((one) => one.trim() === current)
}
