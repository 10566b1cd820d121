/**
 * Permission by the scopes of a token (AUTH-4; RFC 6749 3.3, RFC 8693 4.2): `<resource>:read` and
 * `<resource>:write`, with `*` for all resources.
 */

import { isObject } from '../definition/json.js'
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import type { Action, Permission } from './permission.js'

/** The options of `scopePermission()` (AUTH-4). */
export interface ScopePermissionOptions {
  /**
   * Returns the scopes of a principal, as a space-separated string or a list. Its parameter may
   * have a narrower type. Default: the member `scope`.
   */
  of?(principal: unknown): string | readonly string[] | undefined
}

export const scopesKinds: Kinds<ScopePermissionOptions> = { of: 'function' }

const reading: ReadonlySet<Action> = new Set<Action>(['list', 'read'])

/**
 * A permission by scopes. `pre-piezas:read` allows `list` and `read`, `pre-piezas:write` all other
 * actions; `*:read` and `*:write` apply to every resource. Without either scope a resource is
 * forbidden (403); with only one, the methods of the other are not allowed (405). Scopes of other
 * forms are ignored.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 *
 *
 * @example api({ authenticate: bearer({ keys }), permission: scopePermission(), versions })
 */
export function scopePermission(options: ScopePermissionOptions = {}): Permission<unknown> {
  checkOptions('scopePermission()', options, scopesKinds)
  const { of } = options
  // A cached token's claims are one object, so its scopes are parsed once. If `scope` was replaced,
  // they are parsed again.
  const known = new WeakMap<object, { readonly scope: unknown; readonly grant: Grant }>()
  const grantedTo = (principal: unknown): Grant => {
    if (of !== undefined) return granted(of(principal))
    if (!isObject(principal)) return granted(undefined)
    const scope = Object.hasOwn(principal, 'scope') ? principal.scope : undefined
    if (typeof scope !== 'string') return granted(scope)
    const found = known.get(principal)
    if (found?.scope === scope) return found.grant
    const grant = granted(scope)
    known.set(principal, { scope, grant })
    return grant
  }
  return function scopesPermission(principal, action, resource) {
    const { read, write } = grantedTo(principal)
    const reads = reading.has(action)
    if (covers(reads ? read : write, resource)) return 'allow'
    return covers(reads ? write : read, resource) ? 'method-not-allowed' : 'forbidden'
  }
}

/** The resources in scopes, by verb, in sets for fast lookups. */
interface Grant {
  readonly read: ReadonlySet<string>
  readonly write: ReadonlySet<string>
}

const covers = (resources: ReadonlySet<string>, resource: string): boolean =>
  resources.has('*') || resources.has(resource)

function granted(scope: unknown): Grant {
  const scopes: readonly unknown[] = typeof scope === 'string' ? scope.split(' ') : Array.isArray(scope) ? scope : []
  const of = (verb: string): ReadonlySet<string> =>
    new Set(scopes.flatMap((one) => (typeof one === 'string' && one.endsWith(verb) ? one.slice(0, -verb.length) : [])))
  return { read: of(':read'), write: of(':write') }
}
