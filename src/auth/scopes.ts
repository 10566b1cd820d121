/**
 * A permission function that decides by the scopes of a token (AUTH-4; RFC 6749 3.3, RFC 8693 4.2).
 * The scopes are `<resource>:read` and `<resource>:write`. In a scope, `*` stands for all
 * resources.
 */

import { isObject } from '../definition/json.js'
import { checkOptions } from '../options/check.js'
import { declareFactory } from '../options/factories.js'
import type { Kinds } from '../options/kinds.js'
import { type Action, decidesByScopes, type Permission } from './permission.js'

/** The options of `scopePermission()` (AUTH-4). */
export interface ScopePermissionOptions {
  /**
   * Returns the scopes of a principal, as a space-separated string or as a list. You may declare a
   * narrower type for the parameter. Default: the member `scope` of the principal.
   */
  of?(principal: unknown): string | readonly string[] | undefined
}

export const scopesKinds: Kinds<ScopePermissionOptions> = { of: 'function' }

const reading: ReadonlySet<Action> = new Set<Action>(['list', 'read'])

/**
 * Creates a permission function that decides by scopes. `pre-piezas:read` allows the actions `list`
 * and `read` on the resource `pre-piezas`, and `pre-piezas:write` allows all other actions on it.
 * `*:read` and `*:write` apply to every resource. A principal with no scope for the resource gets
 * 403. If the scopes allow only reads or only writes, the methods of the other kind get 405. Scopes
 * in any other format are ignored.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 *
 * @example api({ authenticate: bearer({ keys }), permission: scopePermission(), versions })
 */
export function scopePermission(options: ScopePermissionOptions = {}): Permission<unknown> {
  checkOptions('scopePermission()', options, scopesKinds)
  const { of } = options
  // All requests with the same cached token share one claims object, so its scopes are parsed only
  // once. They are parsed again if the member `scope` has been replaced.
  const known = new WeakMap<object, { readonly scope: unknown; readonly grant: Grant }>()
  const grantOf = (principal: unknown): Grant => {
    if (of !== undefined) return parseScopes(of(principal))
    if (!isObject(principal)) return parseScopes(undefined)
    const scope = Object.hasOwn(principal, 'scope') ? principal.scope : undefined
    if (typeof scope !== 'string') return parseScopes(scope)
    const found = known.get(principal)
    if (found?.scope === scope) return found.grant
    const grant = parseScopes(scope)
    known.set(principal, { scope, grant })
    return grant
  }
  const scopesPermission: Permission<unknown> = (principal, action, resource) => {
    const { read, write } = grantOf(principal)
    const reads = reading.has(action)
    if (covers(reads ? read : write, resource)) return 'allow'
    return covers(reads ? write : read, resource) ? 'method-not-allowed' : 'forbidden'
  }
  return decidesByScopes(
    scopesPermission,
    (action, resource) => `${resource}:${reading.has(action) ? 'read' : 'write'}`,
  )
}

declareFactory(scopePermission, 'scopePermission()')

/**
 * The resources that the scopes name, separately for `read` and `write`.
 */
interface Grant {
  readonly read: ReadonlySet<string>
  readonly write: ReadonlySet<string>
}

const covers = (resources: ReadonlySet<string>, resource: string): boolean =>
  resources.has('*') || resources.has(resource)

function parseScopes(scope: unknown): Grant {
  const scopes: readonly unknown[] = typeof scope === 'string' ? scope.split(' ') : Array.isArray(scope) ? scope : []
  const of = (verb: string): ReadonlySet<string> =>
    new Set(scopes.flatMap((one) => (typeof one === 'string' && one.endsWith(verb) ? one.slice(0, -verb.length) : [])))
  return { read: of(':read'), write: of(':write') }
}
