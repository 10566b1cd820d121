/** What may be done here: adapter, definition and principal together (AUTH-4, VERB-7, VERB-9). */
import { methodNotAllowed } from '../../middleware/methods.js'
import type { OperationName, Route } from '../../plan/routes.js'
import { settled } from '../../promise.js'
import type { Exchange } from '../exchange.js'
import { operations } from '../operations/index.js'
import { checkAllowed, methodsOf } from '../permission.js'

export function allow(exchange: Exchange): void | Promise<void> {
  const { permission, method } = exchange
  const route = exchange.route as Route
  const name = route.operations.get(method)
  exchange.allow = route.allow
  if (permission !== undefined) return allowTo(exchange, route, name)
  if (name === undefined) throw methodNotAllowed(method, route.allow, isCollection(route))
  exchange.operation = operations[name]
}

/** The same for this principal: `Allow` names its methods alone. */
function allowTo(exchange: Exchange, route: Route, name: OperationName | undefined): void | Promise<void> {
  if (name === undefined || name === 'options') return tellMethods(exchange, route, name)
  return settled(checkAllowed(exchange, route, name, exchange.method), () => {
    exchange.operation = operations[name]
  })
}

/** Answers what is asked of no item: which methods there are. A principal for whom there are none hears that alone. */
async function tellMethods(exchange: Exchange, route: Route, name: 'options' | undefined): Promise<void> {
  const { allow: own } = await methodsOf(exchange, route)
  if (name === undefined) throw methodNotAllowed(exchange.method, own, isCollection(route))
  exchange.allow = own
  exchange.operation = operations.options
}

const isCollection = ({ kind }: Route): boolean => kind === 'collection' || kind === 'members'
