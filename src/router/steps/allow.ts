/** What may be done here: adapter, definition and principal together (AUTH-4, VERB-7, VERB-9). */
import { methodNotAllowed } from '../../middleware/methods.js'
import type { OperationDescription } from '../../plan/operation.js'
import type { Route } from '../../plan/routes.js'
import { settled } from '../../promise.js'
import type { Exchange } from '../exchange.js'
import { operationOf } from '../operations/index.js'
import { checkAllowed, methodsOf } from '../permission.js'

export function allow(exchange: Exchange): void | Promise<void> {
  const { permission, method } = exchange
  const route = exchange.route as Route
  const found = route.operations.get(method)
  exchange.allow = route.allow
  if (permission !== undefined) return allowTo(exchange, route, found)
  if (found === undefined) throw methodNotAllowed(method, route.allow, isCollection(route))
  exchange.operation = operationOf(found)
}

/** The same for this principal: `Allow` names its methods alone. */
function allowTo(exchange: Exchange, route: Route, found: OperationDescription | undefined): void | Promise<void> {
  if (found === undefined || found.method === 'OPTIONS') return tellMethods(exchange, route, found)
  return settled(checkAllowed(exchange, route, found, exchange.method), () => {
    exchange.operation = operationOf(found)
  })
}

/** Answers what is asked of no item: which methods there are. A principal for whom there are none hears that alone. */
async function tellMethods(exchange: Exchange, route: Route, options: OperationDescription | undefined): Promise<void> {
  const { allow: own } = await methodsOf(exchange, route)
  if (options === undefined) throw methodNotAllowed(exchange.method, own, isCollection(route))
  exchange.allow = own
  exchange.operation = operationOf(options)
}

const isCollection = ({ kind }: Route): boolean => kind === 'collection' || kind === 'members'
