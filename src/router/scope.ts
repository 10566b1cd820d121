/**
 * Scopes limit which records of a resource a principal can reach. A scope names members and the
 * values that they must have: `{ tenant: 7 }`. The option `scope` of a resource definition is a
 * function that returns the scope of a principal. The scope is checked before an adapter gets it.
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
 * Returns the scope that applies when this caller reads or writes records of this resource. Throws
 * `ConfigurationError` if the definition's `scope` function returns an invalid scope.
 */
export function scopeOf(caller: Caller, { plan }: Mounted): Scope {
  const { scope } = plan.definition
  if (scope === undefined) return noScope
  // The `scope` function is called once per request, because the scope must not change during the
  // request.
  const { scopes } = caller.progress
  const known = scopes.get(plan)
  if (known !== undefined) return known
  const found = checkedScope(plan, scope(caller.principal))
  scopes.set(plan, found)
  return found
}

/**
 * True if a resource, or a resource that contains it, has a scope. Two callers may then see
 * different records.
 */
export const isScoped = ({ plan, parent }: Mounted): boolean =>
  plan.definition.scope !== undefined || (parent !== undefined && isScoped(parent.mounted))

/**
 * Checks a scope, and returns it as adapters get it, with canonical values. Only a plain object is
 * accepted. A promise, for example, has no members of its own, so it would limit nothing. An
 * undefined value is refused too, because some stores would ignore it.
 */
function checkedScope({ definition, canonical }: ResourcePlan, given: unknown): Scope {
  if (!isPlainObject(given)) {
    // Nothing awaits this promise, and an unhandled rejection would end the process. So a rejection
    // is ignored here.
    if (given instanceof Promise) given.catch(() => {})
    throw invalidScope(
      definition,
      `returned ${nameOfKind(given)}. Return a plain object of members and values, synchronously. ` +
        'Look up asynchronous data in the option "principal".',
    )
  }
  const members = new NamedMembers(definition.collection, definition.shape)
  const scope: Record<string, unknown> = {}
  for (const name of Reflect.ownKeys(given)) {
    if (typeof name === 'string' && name.includes('.')) {
      throw invalidScope(
        definition,
        `names "${name}", but a scope may only name top-level members without a dot in their names. ` +
          'Store the value in such a member.',
      )
    }
    const value: unknown = Reflect.get(given, name)
    const shape = members.named('scope', [String(name)])
    if (!fits(shape, value)) {
      const scalars = [...shape.types].filter((type) => !['object', 'array', 'null'].includes(type))
      const types = shape.types.size === 0 ? 'a string, a number or a boolean' : scalars.join(' or ')
      throw invalidScope(
        definition,
        `returned "${String(name)}" as ${nameOfKind(value)}, but a scope needs a non-null scalar of the member's ` +
          `type. ${types === '' ? 'Name another member' : `Return ${types}`}.`,
      )
    }
    put(scope, String(name), value)
  }
  return Object.freeze(canonical(scope)) as Scope
}

/**
 * True if the member can have this value. Null is never accepted, because an equality with null
 * matches no record (QUERY-1).
 */
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

/**
 * Describes a value in an error message by its kind, because the value itself may be confidential.
 */
function nameOfKind(value: unknown): string {
  if (value instanceof Promise) return 'a promise'
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  if (isPlainObject(value)) return 'an object'
  return typeof value === 'object' ? 'an object of a class' : `a ${typeof value}`
}

const invalidScope = ({ collection }: ResourceDefinition, what: string): ConfigurationError =>
  invalidOption(`The function "scope" of "${collection}" ${what}`)
