/** Applies merge patches (RFC 7396) to stored records (VERB-5). */
import { escapePointer, isObject, type JsonObject, own, put } from '../definition/json.js'
import type { Shape } from '../definition/shape.js'
import type { Violation } from '../problem.js'
import { removeMember } from './guard.js'
import { maxViolations } from './refusal.js'
import { unknownMember } from './violations.js'

/**
 * Merges `patch` into the record `target`. A null in the patch becomes null if the schema allows
 * it, and otherwise removes the member. If the schema does not allow a member with this name, the
 * name is probably misspelled. This function then adds a violation to `found`, although RFC 7396
 * ignores a null for a member that does not exist.
 */
export function mergePatch(target: unknown, patch: unknown, shape: Shape, found: Violation[]): unknown {
  return merge(target, patch, shape, found, '')
}

function merge(target: unknown, patch: unknown, shape: Shape | undefined, found: Violation[], at: string): unknown {
  if (!isObject(patch)) return patch
  const result: JsonObject = isObject(target) ? { ...target } : {}
  for (const name of Object.keys(patch)) {
    const member = shape?.members.get(name) ?? shape?.other(name)
    const value = patch[name]
    // Most values of a patch are neither null nor objects. No JSON Pointer is built for them.
    if (value !== null && !isObject(value)) {
      put(result, name, value)
      continue
    }
    const pointer = `${at}/${escapePointer(name)}`
    if (value !== null) put(result, name, merge(own(result, name), value, member, found, pointer))
    else if (member !== undefined) removeMember(result, name, member)
    else if (!shape?.isObject) delete result[name]
    else if (found.length < maxViolations) found.push(unknownMember(pointer, name, [...shape.properties.keys()]))
  }
  return result
}
