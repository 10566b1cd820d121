/**
 * Scopes: equalities that limit which records of a resource a principal can reach. The result of
 * the team's function is checked before an adapter gets it.
 */
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

/**
 * The scope of a principal's calls of this resource. Throws `ConfigurationError` if the team's
 * function returns an invalid scope.
 */
export function scopeOf(caller: Caller, { plan }: Mounted): Scope {
  const { scope } = plan.definition
  if (scope === undefined) return noScope
  // Called once per request: the scope must not change during the request.
  const { scopes } = caller.progress
  const known = scopes.get(plan)
  if (known !== undefined) return known
  const found = checkedScope(plan, scope(caller.principal))
  scopes.set(plan, found)
  return found
}

/**
 * True if callers may see different records of a resource or of one of its containing resources.
 */
export const isScoped = ({ plan, parent }: Mounted): boolean =>
  plan.definition.scope !== undefined || (parent !== undefined && isScoped(parent.mounted))

/**
 * The scope as adapters get it, with canonical values. A promise, a list or an instance with
 * getters has no own entries and would limit nothing; some stores would ignore an undefined value.
 */
function checkedScope({ definition, canonical }: ResourcePlan, given: unknown): Scope {
  if (!isPlainObject(given)) {
    // Nothing awaits this promise: an unhandled rejection would end the process.
    if (given instanceof Promise) given.catch(() => {})
    throw unfit(
      definition,
      `returned ${nameOfKind(given)}. Return a plain object of members and values, synchronously. Look up asynchronous data in principal.`,
    )
  }
  const members = new NamedMembers(definition.collection, definition.shape)
  const scope: Record<string, unknown> = {}
  for (const name of Reflect.ownKeys(given)) {
    if (typeof name === 'string' && name.includes('.')) {
      throw unfit(
        definition,
        `names "${name}", but a scope may only name top-level members without a dot. Store the value in one of those.`,
      )
    }
    const value: unknown = Reflect.get(given, name)
    const shape = members.named('scope', [String(name)])
    if (!fits(shape, value)) {
      const types = [...shape.types].join(' or ') || 'a string, a number or a boolean'
      throw unfit(
        definition,
        `returned "${String(name)}" as ${nameOfKind(value)}, which no record can have. Return ${types}.`,
      )
    }
    put(scope, String(name), value)
  }
  return Object.freeze(canonical(scope)) as Scope
}

/** Null equals no value of a record (QUERY-1). */
function fits({ types }: Shape, value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return types.size === 0 || types.has(typeof value)
    case 'number':
      return (
        Number.isFinite(value) &&
        (types.size === 0 || types.has('number') || (types.has('integer') && Number.isInteger(value)))
      )
    default:
      return false
  }
}

/** The kind of a value. The value itself may be confidential. */
function nameOfKind(value: unknown): string {
  if (value instanceof Promise) return 'a promise'
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object of a class' : `a ${typeof value}`
}

const unfit = ({ collection }: ResourceDefinition, what: string): ConfigurationError =>
  invalidOption(`scope of "${collection}" ${what}`)
