/** Removes the members that exports contain and that clients must not set. */
import { isList, isObject, type JsonObject, put } from '../definition/json.js'
import type { Shape } from '../definition/shape.js'

/** The value without `readOnly` members, at every depth (REP-8). */
export function withoutReadOnly(shape: Shape, value: unknown): unknown {
  if (isList(value)) {
    return value.map((item, i) => {
      const inner = shape.prefix[i] ?? shape.items
      return inner === undefined ? item : withoutReadOnly(inner, item)
    })
  }
  if (!isObject(value)) return value
  const kept: JsonObject = {}
  for (const [name, inner] of Object.entries(value)) {
    const member = shape.members.get(name) ?? shape.other(name)
    if (member?.readOnly) continue
    put(kept, name, member === undefined ? inner : withoutReadOnly(member, inner))
  }
  return kept
}
