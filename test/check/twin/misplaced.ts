/** Paths that exist only in a twin with a certain fault (PATH-5, PATH-6). */
import express, { type Request, type Router } from 'express'
import { problem, shownCustomer, shownOrder } from './answers.js'
import type { Customer, Order } from './data.js'
import { route, sendItem, sendPage, type Twin } from './twin.js'

const methods = ['GET', 'HEAD', 'OPTIONS']

export function misplaced(twin: Twin): Router {
  const { has, data } = twin
  const router = express.Router({ caseSensitive: true })
  if (has('parent below its child')) customersOfOrders(router, twin)
  const listed = (path: string, fits: (order: Order, req: Request) => boolean): void =>
    route(router, path, methods, twin, (req, res) => {
      const found = [...data.orders.values()].filter((order) => fits(order, req))
      const shown = found.map((order) => shownOrder(req, order, [], twin))
      return sendPage(req, res, shown, twin, [])
    })
  if (has('filter in the path'))
    listed('/orders/by-state/:state', ({ state }, req) => state === (req.params as { state: string }).state)
  if (has('flag name as a filter')) listed('/orders/urgent', ({ urgent }) => urgent)
  return router
}

function customersOfOrders(router: Router, twin: Twin): void {
  const { data } = twin
  const customerOf = (req: Request): Customer | undefined => {
    const order = data.orders.get(Number((req.params as { id: string }).id))
    return order && data.customers.get(order.customerId)
  }
  route(router, '/orders/:id/customers', methods, twin, (req, res) => {
    const customer = customerOf(req)
    if (customer === undefined) return problem(res, 404, 'no-item', 'There is no such order.', twin)
    return sendPage(req, res, [shownCustomer(req, customer, twin)], twin, [])
  })
  route(router, '/orders/:id/customers/:customer', methods, twin, (req, res) => {
    const customer = customerOf(req)
    const isIt = customer?.id === (req.params as { customer: string }).customer
    return sendItem(req, res, isIt ? shownCustomer(req, customer, twin) : undefined, twin)
  })
}
