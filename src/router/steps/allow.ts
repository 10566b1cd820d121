/** What may be done here: adapter, definition and principal together (AUTH-4, VERB-7, VERB-9). */
import { methodNotAllowed } from '../../middleware/methods.js'
import type { Route } from '../../plan/routes.js'
import { settled } from '../../promise.js'
import type { Operation } from '../operations/operation.js'
import { checkAllowed, methodsOf } from '../permission.js'
import type { Allowed, Routed } from '../stages.js'

type Found = Pick<Allowed, 'operation' | 'allow'>

export function allow(exchange: Routed): Found | Promise<Found> {
  const { permission, method, route } = exchange
  const operation = route.operations.get(method)
  if (permission !== undefined) return allowTo(exchange, operation)
  if (operation === undefined) throw methodNotAllowed(method, route.allow, isCollection(route))
  return { operation, allow: route.allow }
}

/** The same for this principal: `Allow` names its methods alone. */
function allowTo(exchange: Routed, operation: Operation | undefined): Found | Promise<Found> {
  const { route, method } = exchange
  if (operation === undefined || operation.method === 'OPTIONS') return tellMethods(exchange, operation)
  return settled(checkAllowed(exchange, route, operation, method), () => ({ operation, allow: route.allow }))
}

/** Answers what is asked of no item: which methods there are. A principal for whom there are none hears that alone. */
async function tellMethods(exchange: Routed, options: Operation | undefined): Promise<Found> {
  const { route, method } = exchange
  const { allow: own } = await methodsOf(exchange, route)
  if (options === undefined) throw methodNotAllowed(method, own, isCollection(route))
  return { operation: options, allow: own }
}

const isCollection = ({ kind }: Route): boolean => kind === 'collection' || kind === 'members'
