/**
 * Finds the operation for the method of the request. Throws if the adapter, the definition, the
 * mount or the permission function does not allow the operation (AUTH-4, VERB-7, VERB-9).
 */
import { methodNotAllowed } from '../../middleware/methods.js'
import { allowAt } from '../../plan/route-lives.js'
import type { Route } from '../../plan/routes.js'
import { settled } from '../../promise.js'
import type { Operation } from '../operations/operation.js'
import { checkAllowed, methodsOf } from '../permission.js'
import type { Allowed, Routed } from '../stages.js'

type Added = Pick<Allowed, 'operation' | 'allow'>

export function allow(exchange: Routed): Added | Promise<Added> {
  const { permission, method, route } = exchange
  const operation = route.operations.get(method)
  if (permission !== undefined) return allowPrincipal(exchange, operation)
  if (operation === undefined) throw methodNotAllowed(method, allowAt(route, Date.now()), isCollection(route))
  return { operation, allow: route.lives === undefined ? route.allow : allowAt(route, Date.now()) }
}

/**
 * Like `allow`, for a service with the option `permission`. In a 405 and in the response to
 * OPTIONS, `Allow` lists only the methods that this principal may use.
 */
function allowPrincipal(exchange: Routed, operation: Operation | undefined): Added | Promise<Added> {
  const { route, method } = exchange
  if (operation === undefined || operation.method === 'OPTIONS') return ownMethodsOf(exchange, operation)
  return settled(checkAllowed(exchange, route, operation, method), () => ({ operation, allow: route.allow }))
}

/**
 * Finds the methods that the principal may use. Called for OPTIONS, and for a method that the route
 * does not have. Throws `forbidden` (403) if the principal may use no method of the route, and the
 * permission function returns `forbidden` for at least one method.
 */
async function ownMethodsOf(exchange: Routed, options: Operation | undefined): Promise<Added> {
  const { route, method } = exchange
  const { allow: own } = await methodsOf(exchange, route)
  if (options === undefined) throw methodNotAllowed(method, own, isCollection(route))
  return { operation: options, allow: own }
}

const isCollection = ({ kind }: Route): boolean => kind === 'collection' || kind === 'members'
