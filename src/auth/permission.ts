/** Permissions, checked before any data is read or changed (AUTH-4). */
import type { KeyValue } from '../definition/key.js'
import { HttpProblem } from '../problem.js'
import { settled } from '../promise.js'
import { header } from '../wire.js'

/**
 * An action on a resource. `list` and `create` concern a collection, the others an item; `attach`
 * and `detach` add it to and remove it from a parent's collection. For endpoints: `read` (GET),
 * `create` (POST), `replace` (PUT), `patch`, `remove` (DELETE).
 */
export type Action = 'list' | 'create' | 'read' | 'replace' | 'patch' | 'remove' | 'attach' | 'detach'

/**
 * `forbidden` is 403: the principal has no access to the resource. `method-not-allowed` is 405: it
 * has access, but not for this method.
 */
export type Decision = 'allow' | 'forbidden' | 'method-not-allowed'

/** A decision, or a promise of it. */
export type Decided = Decision | Promise<Decision>

/**
 * Decides whether a principal may perform an action. `resource` is the name of the collection or
 * endpoint. `key` is the key of the item, if there is one; without it, the question is whether
 * items of this resource may be read at all. Exceptions become the response, so a failed decision
 * never grants access.
 *
 * @example const permission: Permission<Claims> = ({ role }, action) => (role === 'admin' || action === 'list' || action === 'read' ? 'allow' : 'method-not-allowed')
 */
export type Permission<P = unknown> = (principal: P, action: Action, resource: string, key?: KeyValue) => Decided

/** The arguments of a permission, without the principal. */
export interface AccessRequest {
  readonly action: Action
  readonly resource: string
  readonly key?: KeyValue | undefined
}

/** The action of each method on an item and on an endpoint. */
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
 * Calls the service's permission. Any result except the three decisions is an error of the service
 * (500).
 */
export function decide(permission: Permission, principal: unknown, { action, resource, key }: AccessRequest): Decided {
  const decision = permission(principal, action, resource, key)
  return settled(decision, checkDecision)
}

function checkDecision(decision: Decision): Decision {
  if (decisions.has(decision)) return decision
  throw new Error(
    `permission() returned ${typeof decision}. It must return 'allow', 'forbidden' or 'method-not-allowed'.`,
  )
}

/** The methods that a principal may use at an address. */
export interface OwnMethods {
  /** The value for `Allow`: GET includes HEAD, and OPTIONS is always included. */
  readonly allow: string
  /** Whether the principal may use no method here. */
  readonly none: boolean
}

/** Determines which of the methods at an address the principal may use. */
export async function ownMethods(offered: readonly string[], mayDo: (method: string) => Decided): Promise<OwnMethods> {
  // Each call is in an async function, so that if one throws synchronously, the other promises are
  // still handled.
  const decided = await Promise.all(offered.map(async (method) => mayDo(method)))
  const allowed = offered.filter((_, i) => decided[i] === 'allow')
  return { allow: [...allowed, 'OPTIONS'].join(', '), none: allowed.length === 0 && decided.includes('forbidden') }
}

/** 403: the principal has no access to this resource (AUTH-4). */
export function forbidden(what: string): HttpProblem {
  return new HttpProblem('forbidden', {
    detail: `You have no permission for ${what}. Request it from the issuer of your credentials.`,
  })
}

/** 405 that lists only the methods of this principal (AUTH-4). */
export function methodNotPermitted(method: string, { allow }: OwnMethods): HttpProblem {
  return new HttpProblem('method-not-allowed', {
    detail: `${method.slice(0, 20)} is not allowed for you here. Allowed: ${allow}.`,
    headers: { [header.allow]: allow },
  })
}
