/** What a principal may see of a resource: the equalities that its definition gives, checked before any call of an adapter goes by them. */
import type { Scalar } from '../adapters/contract.js'
import { isPlainObject, put } from '../definition/json.js'
import { NamedMembers } from '../definition/named-members.js'
import type { ResourceDefinition } from '../definition/resource.js'
import type { Shape } from '../definition/shape.js'
import { invalidOption } from '../options/check.js'
import type { ResourcePlan } from '../plan/resource-plan.js'
import type { Mounted } from '../plan/routes.js'
import type { ConfigurationError } from '../problem.js'
import type { Caller } from './caller.js'

type Scope = Readonly<Record<string, Scalar>>

const noScope: Scope = Object.freeze({})

/** The equalities that a principal's calls of this resource obey. Throws `ConfigurationError` where the team's function gives none that can be obeyed. */
export function scopeOf(exchange: Caller, { plan }: Mounted): Scope {
  const { scope } = plan.definition
  if (scope === undefined) return noScope
  // Asked once a request: a team may look things up in it, and it must not change on the way.
  const { scopes } = exchange.progress
  const known = scopes.get(plan)
  if (known !== undefined) return known
  const found = checkedScope(plan, scope(exchange.principal))
  scopes.set(plan, found)
  return found
}

/** True where a resource, or one that it is contained in, is not the same for everybody. */
export const isScoped = ({ plan, parent }: Mounted): boolean =>
  plan.definition.scope !== undefined || (parent !== undefined && isScoped(parent.mounted))

/**
 * The scope as adapters get it: of its own, in the one spelling of its values. What has no entries of its own (a promise, a list, an instance with getters) would
 * read as no condition at all, and a value that is not there as one that some store leaves out.
 */
function checkedScope({ definition, canonical }: ResourcePlan, given: unknown): Scope {
  if (!isPlainObject(given)) {
    // Nobody else waits for it: a rejection must not end the process.
    if (given instanceof Promise) given.catch(() => {})
    throw unfit(
      definition,
      `gave ${nameOfKind(given)}. Give a plain object of members and values at once; what has to be looked up belongs in principal.`,
    )
  }
  const members = new NamedMembers(definition.collection, definition.shape)
  const scope: Record<string, unknown> = {}
  for (const name of Reflect.ownKeys(given)) {
    if (typeof name === 'string' && name.includes('.')) {
      throw unfit(
        definition,
        `names "${name}", and scope members hold no dot: a scope knows the record's own members only. Store the value in one of those.`,
      )
    }
    const value: unknown = Reflect.get(given, name)
    const shape = members.named('scope', [String(name)])
    if (!fits(shape, value)) {
      const types = [...shape.types].join(' or ') || 'a string, a number or a boolean'
      throw unfit(definition, `gave "${String(name)}" ${nameOfKind(value)}, which no record it may show has. Give ${types}.`)
    }
    put(scope, String(name), value)
  }
  return Object.freeze(canonical(scope)) as Scope
}

/** Null is no value that a record could equal (QUERY-1). */
function fits({ types }: Shape, value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return types.size === 0 || types.has(typeof value)
    case 'number':
      return Number.isFinite(value) && (types.size === 0 || types.has('number') || (types.has('integer') && Number.isInteger(value)))
    default:
      return false
  }
}

/** What a value is, and not which: it may be somebody's. */
function nameOfKind(value: unknown): string {
  if (value instanceof Promise) return 'a promise'
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object of a class' : `a ${typeof value}`
}

const unfit = ({ collection }: ResourceDefinition, what: string): ConfigurationError => invalidOption(`scope of "${collection}" ${what}`)
