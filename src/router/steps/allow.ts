/** What may be done here: adapter, definition and principal together (AUTH-4, VERB-7, VERB-9). */
import { type Decision, forbidden, methodNotYours, ownMethods } from '../../auth/permission.js'
import { methodNotAllowed } from '../../middleware/methods.js'
import type { OperationName, Route } from '../../plan/routes.js'
import { settled } from '../../promise.js'
import type { Exchange } from '../exchange.js'
import { operations } from '../operations/index.js'
import { mayDo } from '../permission.js'

export function allow(exchange: Exchange): void | Promise<void> {
  const { service, method } = exchange
  const route = exchange.route as Route
  const name = route.operations.get(method)
  exchange.allow = route.allow
  if (service.permission !== undefined) return allowTo(exchange, route, name)
  if (name === undefined) throw methodNotAllowed(method, route.allow, isCollection(route))
  exchange.operation = operations[name]
}

/** The same for this principal: `Allow` names its methods alone. */
function allowTo(exchange: Exchange, route: Route, name: OperationName | undefined): void | Promise<void> {
  if (name === undefined || name === 'options') return tellMethods(exchange, route, name)
  return settled<Decision, void>(mayDo(exchange, route, name), (decision) => {
    if (decision === 'forbidden') throw forbidden(`${exchange.method} of ${route.template}`)
    if (decision === 'method-not-allowed') return tellMethods(exchange, route, name)
    exchange.operation = operations[name]
    return undefined
  })
}

/** Answers what is asked of no item: which methods there are. A principal for whom there are none hears that alone. */
async function tellMethods(exchange: Exchange, route: Route, name: OperationName | undefined): Promise<void> {
  const { method } = exchange
  const offered = [...route.operations.keys()].filter((one) => one !== 'OPTIONS')
  const own = await ownMethods(offered, (one) => mayDo(exchange, route, route.operations.get(one) as OperationName, one))
  if (own.none) throw forbidden(route.template)
  if (name === undefined) throw methodNotAllowed(method, own.allow, isCollection(route))
  if (name !== 'options') throw methodNotYours(method, own)
  exchange.allow = own.allow
  exchange.operation = operations.options
}

const isCollection = ({ kind }: Route): boolean => kind === 'collection' || kind === 'members'
