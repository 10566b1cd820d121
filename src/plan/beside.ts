/** What a store may hold beside a closed schema: members that no client sees, so no patch can mean to remove them (VERB-5). */
import { isList, isObject } from '../definition/json.js'
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
  // A schema that refers to itself is looked at along the value.
  if (above.includes(shape.node as object)) return (stored) => holdsMore(shape, [])?.(stored) === true
  const path = [...above, shape.node as object]
  const ofMembers = new Map([...shape.members].map(([name, member]) => [name, holdsMore(member, path)]))
  const ofItems = [...shape.prefix, ...(shape.items === undefined ? [] : [shape.items])].map((item) => holdsMore(item, path))
  const closed = shape.isObject && !shape.open
  if (!closed && ![...ofMembers.values(), ...ofItems].some((one) => one !== undefined)) return undefined
  return (stored) => {
    if (isList(stored)) return ofItems.some((has) => has !== undefined && stored.some(has))
    if (!isObject(stored)) return false
    return Object.keys(stored).some((name) => {
      if (!shape.members.has(name)) return shape.other(name) === undefined
      return ofMembers.get(name)?.(stored[name]) === true
    })
  }
}
