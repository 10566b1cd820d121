/** The routes of the flag `urgent` of orders (PATH-8). */
import express, { type Request, type Response, type Router } from 'express'
import { problem, shownOrder } from './answers.js'
import type { Order } from './data.js'
import { route, type Twin } from './twin.js'
import { isStale } from './writes.js'

export function flagsOf(twin: Twin): Router {
  const { has, data } = twin
  const router = express.Router({ caseSensitive: true, strict: has('trailing slash is 404') })
  const orderOf = (req: Request): Order | undefined => data.orders.get(Number((req.params as { id: string }).id))
  const assign = (req: Request, res: Response, value: boolean): unknown => {
    const order = orderOf(req)
    if (order === undefined) return problem(res, 404, 'no-item', 'There is no such order.', twin)
    if (!has('If-Match of flags ignored') && isStale(req, shownOrder(req, order, [], twin), twin))
      return problem(res, 412, 'stale', 'It was changed.', twin)
    if (value && order.urgent && has('second PUT of a flag refused'))
      return problem(res, 422, 'set', 'It is set.', twin)
    if (value || !has('flag stays set')) data.orders.set(order.id, { ...order, urgent: value })
    return res.status(204).end()
  }
  const path = '/orders/:id/urgent'
  router.put(path, (req, res) => void assign(req as unknown as Request, res, true))
  router.delete(path, (req, res) => void assign(req as unknown as Request, res, false))
  route(router, path, ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'], twin, (req, res) => {
    if (orderOf(req)?.urgent !== true) return problem(res, 404, 'unset', 'The flag is not set.', twin)
    if (req.method === 'HEAD') return res.status(has('HEAD of a flag is 204') ? 204 : 302).end()
    return has('flag is 200') ? res.status(200).json({ urgent: true }) : res.status(204).end()
  })
  return router
}
