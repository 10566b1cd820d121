/** The writes of the twin. */
import express, { type Request, type Response, type Router } from 'express'
import { currentTag, originOf, problem, sendValue, shownOrder } from './answers.js'
import type { Order } from './data.js'
import type { Twin } from './twin.js'

const members = ['id', 'customer', 'state', 'amount', 'urgent', 'createdAt', 'note'] as const
const readOnly = ['id', 'createdAt']

type Body = Readonly<Record<string, unknown>>

export function writesOf(twin: Twin): Router {
  const { has } = twin
  const router = express.Router({ caseSensitive: true })
  // Otherwise Express would answer OPTIONS with the methods of this router alone.
  router.use((req, _res, next) => next(req.method === 'OPTIONS' ? 'router' : undefined))
  router.use(express.text({ type: () => true }))
  const keys = new Map<string, string>()
  router.post('/orders', (req, res) => {
    const body = bodyOf(req, res, twin)
    if (body === undefined) return
    const key = req.get('Idempotency-Key')
    const first = key === undefined || has('repeated POST creates again') ? undefined : keys.get(key)
    const location = first ?? `${originOf(req)}/v1/orders/${create(body, twin).id}`
    if (key !== undefined) keys.set(key, location)
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

/** The body; `undefined` where it was refused. */
function bodyOf(req: Request, res: Response, twin: Twin): Body | undefined {
  const type = req.get('Content-Type')?.split(';')[0]
  if (type !== 'application/json' && type !== 'application/merge-patch+json' && !twin.has('any media type'))
    return void problem(res, 415, 'unsupported', 'Send JSON.', twin)
  let body: Body
  try {
    body = JSON.parse(String(req.body)) as Body
  } catch {
    const isOther = twin.has('malformed JSON is 422') || (twin.has('any media type') && type === 'text/plain')
    return void problem(res, isOther ? 422 : 400, 'malformed', 'That is no JSON.', twin)
  }
  const stray = Object.keys(body).find((name) => !(members as readonly string[]).includes(name))
  if (stray !== undefined && !twin.has('unknown members ignored'))
    return void problem(res, 422, 'invalid', `${stray} is unknown.`, twin, [`${stray} is unknown.`])
  return body
}

function create(body: Body, twin: Twin): Order {
  const id = Math.max(...twin.data.orders.keys(), 1000) + 1
  const order: Order = {
    id,
    customerId: customerOf(body) ?? 'ana',
    state: String(body.state ?? 'open'),
    amount: (body.amount ?? null) as number | null,
    urgent: body.urgent === true,
    createdAt: '2026-02-01T10:00:00.0000000',
    note: (body.note ?? null) as string | null,
  }
  twin.data.orders.set(id, order)
  return order
}

const customerOf = ({ customer }: Body): string | undefined => (customer as { id?: string } | undefined)?.id

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
  if (order === undefined) return problem(res, 404, 'no-item', 'There is no such item.', twin)
  const isIgnored = has('If-Match ignored') || (has('If-Match ignored by DELETE') && method === 'delete')
  if (!isIgnored && !fits(req, order, twin)) return problem(res, 412, 'stale', 'It was changed.', twin)
  if (has('compares, waits and writes')) await new Promise((resolve) => setTimeout(resolve, 2))
  if (method === 'delete') {
    if (!has('deleted is still there')) data.orders.delete(id)
    return has('DELETE with a body') ? sendValue(req, res, { deleted: id }, twin) : res.status(204).end()
  }
  const body = bodyOf(req, res, twin)
  if (body === undefined) return
  if (has('PUT refuses read-only members') && method === 'put' && readOnly.some((name) => name in body))
    return problem(res, 422, 'invalid', 'id is read-only.', twin, ['id is read-only.'])
  const merged =
    method === 'put' || has('PATCH replaces')
      ? { ...shownOrder(req, { ...order, note: null }, [], twin), ...body }
      : body
  const { customer: _, id: _id, createdAt: _createdAt, ...rest } = merged as Body
  const next = { ...order, ...rest, customerId: customerOf(merged as Body) ?? order.customerId }
  if (has('PUT loses a member') && method === 'put') next.note = null
  if (has('PATCH replaces') && method === 'patch') next.amount = null
  data.orders.set(id, next)
  return sendValue(req, res, shownOrder(req, next, [], twin), twin)
}

function fits(req: Request, order: Order, twin: Twin): boolean {
  const field = req.get('If-Match')
  if (field === undefined || field === '*') return !twin.has('If-Match of one tag only') || field === undefined
  const tag = currentTag(shownOrder(req, order, [], twin), twin)
  const strong = twin.has('weak tags match') ? field.replaceAll('W/', '') : field
  return strong.split(twin.has('If-Match of one tag only') ? '\0' : ',').some((one) => one.trim() === tag)
}
