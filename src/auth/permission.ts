/** Permissions, which are checked before any data is read or changed (AUTH-4). */

import type { KeyValue } from '../definition/key.js'
import { loggableError } from '../failures/loggable.js'
import { HttpProblem } from '../problem.js'
import { settled } from '../promise.js'
import { header } from '../wire.js'

/**
 * An action on a resource. `list` and `create` apply to a collection. All other actions apply to an
 * item (but see {@link Permission} for `read` without a key). `attach` adds the item to the
 * collection of a parent, and `detach` removes the item from that collection. An endpoint, which is
 * a documented path that is not a resource, has the actions `read` (GET), `create` (POST),
 * `replace` (PUT), `patch` (PATCH) and `remove` (DELETE).
 */
export type Action = 'list' | 'create' | 'read' | 'replace' | 'patch' | 'remove' | 'attach' | 'detach'

/**
 * The result of a permission function. `forbidden`: the principal has no access to the resource
 * (403). `method-not-allowed`: the principal has access to the resource, but not with this method
 * (405).
 */
export type Decision = 'allow' | 'forbidden' | 'method-not-allowed'

/** A decision, or a promise of a decision. */
export type Decided = Decision | Promise<Decision>

/**
 * Decides whether a principal may perform an action. `resource` is the name of the collection or
 * endpoint. `key` is the key of the item, if there is one. For a collection, `read` without a key
 * asks whether the principal may read items of the collection at all. If the function throws or
 * rejects, the response is an error, so a failed decision never grants access.
 *
 * @example
 * const permission: Permission<Claims> = ({ role }, action) => {
 *   if (role === 'admin' || action === 'list' || action === 'read') return 'allow'
 *   return 'method-not-allowed'
 * }
 */
export type Permission<P = unknown> = (principal: P, action: Action, resource: string, key?: KeyValue) => Decided

/** The arguments of a permission function, without the principal. */
export interface AccessRequest {
  readonly action: Action
  readonly resource: string
  readonly key?: KeyValue | undefined
}

/** The action of each method on an item or an endpoint. */
export const itemActions: Readonly<Record<string, Action>> = {
  GET: 'read',
  HEAD: 'read',
  POST: 'create',
  PUT: 'replace',
  PATCH: 'patch',
  DELETE: 'remove',
}

const decisions: ReadonlySet<unknown> = new Set<Decision>(['allow', 'forbidden', 'method-not-allowed'])

/**
 * Calls the service's permission function. Throws or rejects with an error (500) if the result is
 * not one of the three decisions.
 */
export function decide(permission: Permission, principal: unknown, { action, resource, key }: AccessRequest): Decided {
  const decision = permission(principal, action, resource, key)
  return settled(decision, checkDecision)
}

function checkDecision(decision: Decision): Decision {
  if (decisions.has(decision)) return decision
  throw loggableError(
    `permission() returned a value of type ${typeof decision}. It must return 'allow', 'forbidden' or ` +
      `'method-not-allowed'.`,
  )
}

/** The methods that a principal may use at a URL. */
export interface PermittedMethods {
  /** The value of `Allow`: the offered methods that the principal may use, and OPTIONS. */
  readonly allow: string
  /**
   * True if the principal may use none of the methods, and at least one decision is `forbidden`.
   */
  readonly isForbidden: boolean
}

/** Determines which of the methods at a URL the principal may use. */
export async function ownMethods(
  offered: readonly string[],
  mayDo: (method: string) => Decided,
): Promise<PermittedMethods> {
  // If a call throws synchronously, the async function turns the exception into a rejection.
  // Without the async function, the exception would leave the promises of the earlier calls without
  // a handler.
  const decided = await Promise.all(offered.map(async (method) => mayDo(method)))
  const allowed = offered.filter((_, i) => decided[i] === 'allow')
  return {
    allow: [...allowed, 'OPTIONS'].join(', '),
    isForbidden: allowed.length === 0 && decided.includes('forbidden'),
  }
}

/** Returns the scope that an action on a resource needs. */
type ScopeOf = (action: Action, resource: string) => string

const scopes = new WeakMap<Permission, ScopeOf>()

/** Declares that a permission function decides only by scopes, so that a 403 can name the scope. */
export function decidesByScopes(permission: Permission, scopeOf: ScopeOf): Permission {
  scopes.set(permission, scopeOf)
  return permission
}

/** Returns the `scopeOf` of a permission function that decides only by scopes. */
export const scopesNeeded = (permission: Permission | undefined): ScopeOf | undefined =>
  permission === undefined ? undefined : scopes.get(permission)

/**
 * The 403 for a principal that has no access to this resource (AUTH-4). `scope` is the missing
 * scope, if it is known.
 */
export function forbidden(what: string, scope?: string): HttpProblem {
  const fix =
    scope === undefined
      ? 'Request it from the issuer of your credentials.'
      : `This needs the scope "${scope}". Request the scope from the issuer of your credentials.`
  return new HttpProblem('forbidden', {
    detail: `You have no permission for ${what}. ${fix}`,
  })
}

/** The 405 whose `Allow` lists only the methods that this principal may use (AUTH-4). */
export function methodNotPermitted(method: string, { allow }: PermittedMethods): HttpProblem {
  return new HttpProblem('method-not-allowed', {
    detail: `${method.slice(0, 20)} is not among the methods that you may use here. Allowed: ${allow}.`,
    headers: { [header.allow]: allow },
  })
}
