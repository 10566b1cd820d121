/** Lists the places of a schema: the record itself, and every member and item inside it. */
import type { Shape } from './shape.js'

/**
 * Returns the shape of each place in a schema, with the path of the place. The path of the record
 * is empty. In a path, `*` stands for an item, and for a member that the schema allows without
 * naming it. A shape that occurs in several places is returned only once, so recursive schemas are
 * supported.
 */
export function* placesOf(
  shape: Shape,
  path = '',
  seen: Set<Shape> = new Set(),
): Generator<readonly [path: string, shape: Shape]> {
  if (seen.has(shape)) return
  seen.add(shape)
  yield [path, shape]
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`)
  for (const [name, member] of shape.members) yield* placesOf(member, below(name), seen)
  for (const one of [...shape.others, ...shape.prefix, ...(shape.items === undefined ? [] : [shape.items])])
    yield* placesOf(one, below('*'), seen)
}
