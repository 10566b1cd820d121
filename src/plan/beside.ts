/** What a store may hold beside a closed schema: members that no client sees, so no patch can mean to remove them (VERB-5). */
import { isList, type JsonObject } from '../definition/json.js'
import type { Shape } from '../definition/shape.js'

/** Whether a stored value holds members that its schema does not name, at any depth. */
export type HoldsMore = (stored: unknown) => boolean

/** The members of a shape that can hold more than their schema says, with what tells whether they do. */
export function compileHoldsMore({ members }: Shape): ReadonlyMap<string, HoldsMore> {
  const found = [...members].map(([name, member]) => [name, holdsMore(member, [])] as const)
  return new Map(found.filter((entry): entry is readonly [string, HoldsMore] => entry[1] !== undefined))
}

/** `undefined` where the shape leaves no room for more: scalars, and what its schema leaves open throughout. */
function holdsMore(shape: Shape, above: readonly object[]): HoldsMore | undefined {
  if (above.includes(shape.node as object)) {
    // A schema that refers to itself is compiled for one more level when a value reaches that level.
    let next: HoldsMore | undefined
    return (stored) => {
      if (typeof stored !== 'object' || stored === null) return false
      next ??= holdsMore(shape, []) ?? (() => false)
      return next(stored)
    }
  }
  const path = [...above, shape.node as object]
  const { members, items, prefix } = shape
  const nested = [...members].flatMap(([name, member]) => {
    const has = holdsMore(member, path)
    return has === undefined ? [] : [{ name, has }]
  })
  const ofItems = [...prefix, ...(items === undefined ? [] : [items])].flatMap((item) => holdsMore(item, path) ?? [])
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
