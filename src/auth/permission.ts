/** Who may do what: one question, asked wherever data could leave or change (AUTH-4). */
import type { KeyValue } from '../definition/key.js'
import { HttpProblem } from '../problem.js'
import { settled } from '../promise.js'
import { header } from '../wire.js'

/**
 * What somebody wants to do with a resource. `list` and `create` are about a collection, the others about an item; `attach` and `detach` put it into a parent's
 * collection and take it out. Of an endpoint: `read` (GET), `create` (POST), `replace` (PUT), `patch`, `remove` (DELETE).
 */
export type Action = 'list' | 'create' | 'read' | 'replace' | 'patch' | 'remove' | 'attach' | 'detach'

/** `forbidden` is 403: nothing here is for this principal. `method-not-allowed` is 405: something is, but not this. */
export type Decision = 'allow' | 'forbidden' | 'method-not-allowed'

/** A decision, or a promise of it. */
export type Decided = Decision | Promise<Decision>

/**
 * Decides whether a principal may do something. `resource` is the collection's name, or the endpoint's. `key` is the item's, as far as one is named: asked without it, the
 * question is whether items of this resource may be read at all. What it throws is answered, so a question that can't be decided is never a yes.
 *
 * @example const permission: Permission<Claims> = ({ role }, action) => (role === 'admin' || action === 'list' || action === 'read' ? 'allow' : 'method-not-allowed')
 */
export type Permission<P = unknown> = (principal: P, action: Action, resource: string, key?: KeyValue) => Decided

/** What a permission is asked, without the principal. */
export interface AccessRequest {
  readonly action: Action
  readonly resource: string
  readonly key?: KeyValue | undefined
}

/** What a method does with an item, and with an endpoint. */
export const itemActions: Readonly<Record<string, Action>> = {
  GET: 'read',
  HEAD: 'read',
  POST: 'create',
  PUT: 'replace',
  PATCH: 'patch',
  DELETE: 'remove',
}

const decisions: ReadonlySet<unknown> = new Set<Decision>(['allow', 'forbidden', 'method-not-allowed'])

/** The team's answer to a question. Anything but the three words is a mistake of the service (500), and not a yes. */
export function decide(permission: Permission, principal: unknown, { action, resource, key }: AccessRequest): Decided {
  const decision = permission(principal, action, resource, key)
  return settled(decision, known)
}

function known(decision: Decision): Decision {
  if (decisions.has(decision)) return decision
  throw new Error(`permission() answered ${typeof decision}. It answers 'allow', 'forbidden' or 'method-not-allowed'.`)
}

/** Methods that are this principal's at an address. */
export interface OwnMethods {
  /** As `Allow` has them: HEAD with GET, OPTIONS always. */
  readonly allow: string
  /** True where nothing here is for this principal. */
  readonly none: boolean
}

/** Which of the methods that are offered at an address are this principal's. */
export async function ownMethods(offered: readonly string[], mayDo: (method: string) => Decided): Promise<OwnMethods> {
  // Each in a function of its own: where one throws at once, no promise of another is left without its hearer.
  const decided = await Promise.all(offered.map(async (method) => mayDo(method)))
  const allowed = offered.filter((_, i) => decided[i] === 'allow')
  return { allow: [...allowed, 'OPTIONS'].join(', '), none: allowed.length === 0 && decided.includes('forbidden') }
}

/** 403: the principal is known, and may do nothing of the kind (AUTH-4). */
export function forbidden(what: string): HttpProblem {
  return new HttpProblem('forbidden', {
    detail: `You have no permission for ${what}. Ask whoever gave you your credentials for it.`,
  })
}

/** 405 with the methods of this principal alone (AUTH-4). */
export function methodNotYours(method: string, { allow }: OwnMethods): HttpProblem {
  return new HttpProblem('method-not-allowed', {
    detail: `${method.slice(0, 20)} is not allowed to you here. Allowed: ${allow}.`,
    headers: { [header.allow]: allow },
  })
}
