/**
 * Finds undeclared members: stored members that the schema neither declares nor allows. Clients do
 * not see them, so a patch must not remove them (VERB-5).
 */
import { isList, type JsonObject } from '../definition/json.js'
import type { Shape } from '../definition/shape.js'

/** Returns whether a stored value contains, at any depth, undeclared members. */
export type HasUndeclared = (stored: unknown) => boolean

/** Compiles a test for each member whose stored value may have undeclared members. */
export function compileHasUndeclared({ members }: Shape): ReadonlyMap<string, HasUndeclared> {
  const found = [...members].map(([name, member]) => [name, hasUndeclared(member, [])] as const)
  return new Map(found.filter((entry): entry is readonly [string, HasUndeclared] => entry[1] !== undefined))
}

/**
 * Compiles the test of one shape. Returns `undefined` if values of the shape can't have undeclared
 * members. This applies to scalars, and to objects whose schemas allow all members at every depth.
 */
function hasUndeclared(shape: Shape, above: readonly object[]): HasUndeclared | undefined {
  if (above.includes(shape.node as object)) {
    // A recursive schema is compiled one level at a time, when a stored value reaches that level.
    let next: HasUndeclared | undefined
    return (stored) => {
      if (typeof stored !== 'object' || stored === null) return false
      next ??= hasUndeclared(shape, []) ?? (() => false)
      return next(stored)
    }
  }
  const path = [...above, shape.node as object]
  const { members, items, prefix } = shape
  const nested = [...members].flatMap(([name, member]) => {
    const has = hasUndeclared(member, path)
    return has === undefined ? [] : [{ name, has }]
  })
  const ofItems = [...prefix, ...(items === undefined ? [] : [items])].flatMap(
    (item) => hasUndeclared(item, path) ?? [],
  )
  const closed = shape.isObject && !shape.open
  if (!closed && nested.length === 0 && ofItems.length === 0) return undefined
  return (stored) => {
    if (typeof stored !== 'object' || stored === null) return false
    if (isList(stored)) return ofItems.some((has) => stored.some(has))
    const object = stored as JsonObject
    for (const name in object) if (!members.has(name) && shape.other(name) === undefined) return true
    for (const { name, has } of nested) if (has(object[name])) return true
    return false
  }
}
