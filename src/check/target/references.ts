/**
 * Replaces the references in a document with their targets, so that rules do not have to follow
 * references.
 */
import { isList, isObject, type JsonObject, own, pointerTokens, put } from '../../definition/json.js'

/**
 * The document with each reference replaced by its target. Siblings of a `$ref` are dropped. A
 * schema that refers to itself becomes an object that contains itself. References to other files
 * are not replaced.
 */
export function withoutReferences(document: unknown): unknown {
  const known = new Map<object, unknown>()
  // References can be nested too deeply for recursion, so the members are copied in a loop.
  const open: (() => void)[] = []
  const follow = (value: unknown, depth: number): unknown => {
    const reference = own(value, '$ref')
    if (typeof reference !== 'string' || !reference.startsWith('#') || depth > 50) return copy(value)
    return follow(at(document, reference.slice(1)), depth + 1)
  }
  const copy = (value: unknown): unknown => {
    if (!isObject(value) && !isList(value)) return value
    const made = known.get(value)
    if (made !== undefined) return made
    if (isList(value)) {
      const list: unknown[] = []
      known.set(value, list)
      open.push(() => {
        for (const item of value) list.push(follow(item, 0))
      })
      return list
    }
    const object: JsonObject = {}
    known.set(value, object)
    open.push(() => {
      for (const [name, member] of Object.entries(value)) put(object, name, follow(member, 0))
    })
    return object
  }
  const whole = copy(document)
  for (let fill = open.pop(); fill !== undefined; fill = open.pop()) fill()
  return whole
}

/** The value at a JSON pointer; `undefined` if there is none. */
export function at(document: unknown, pointer: string): unknown {
  let found = document
  for (const token of pointerTokens(decoded(pointer))) found = isList(found) ? found[Number(token)] : own(found, token)
  return found
}

/** Decodes a JSON pointer, which is percent-encoded in a URI fragment (RFC 6901 6). */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
