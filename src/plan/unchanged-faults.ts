/**
 * Tolerates stored members that violate the schema. Another program may have written them, or the
 * schema may have become stricter after they were stored. If a patch does not change such members,
 * the patch must not be refused because of them (VERB-5).
 */
import type { Cache } from '../cache.js'
import { canonicalText, isList, isObject, type JsonObject, own, pointerTokens } from '../definition/json.js'
import type { JsonSchema } from '../definition/schema-types.js'
import type { Shape } from '../definition/shape.js'
import type { Violation } from '../problem.js'
import type { Validate } from './validator.js'

/**
 * Returns the violations of a patched record, except the violations of unchanged members. If the
 * schema has a reference to anything but `$defs`, the violations of unchanged members are included.
 */
export type ValidatePatched = (next: JsonObject, current: JsonObject) => readonly Violation[]

/**
 * Compiles the check of patched records. `validate` checks a record against the whole schema.
 * `compile` compiles the check of a relaxed schema, in which the named members may have any value
 * or be absent. A relaxed schema is compiled only if a record violates the whole schema. `made`
 * caches these checks by the names of the members.
 */
export function compilePatched(
  schema: JsonSchema,
  shape: Shape,
  validate: Validate,
  compile: (schema: JsonSchema, without: ReadonlySet<string>) => Validate,
  made: Cache<string, Validate>,
): ValidatePatched {
  const validateWithout = (names: ReadonlySet<string>): Validate => {
    const id = JSON.stringify([...names].sort())
    const known = made.get(id)
    if (known !== undefined) return known
    const anything = Object.fromEntries([...names].map((name) => [name, {}]))
    const check = compile({ ...schema, properties: { ...(schema.properties as JsonSchema), ...anything } }, names)
    made.set(id, check)
    return check
  }
  let isSeparable: boolean | undefined
  return (next, current) => {
    let found = validate(next)
    if (found.length === 0) return found
    isSeparable ??= refersToDefinitionsOnly(schema)
    if (!isSeparable) return found
    const kept = new Set<string>()
    // A check may report only the first violations, so the next check may find violations of
    // further members.
    for (let before = -1; before < kept.size && found.length > 0; ) {
      before = kept.size
      for (const { pointer = '' } of found) {
        const [name] = pointerTokens(pointer)
        if (name !== undefined && shape.members.has(name) && isUnchanged(next, current, name)) kept.add(name)
      }
      if (kept.size > before) found = validateWithout(kept)(next)
    }
    return found
  }
}

/** Whether the patch left a member unchanged. A null and an absent member count as equal. */
function isUnchanged(next: JsonObject, current: JsonObject, name: string): boolean {
  return canonicalText(own(next, name) ?? null) === canonicalText(own(current, name) ?? null)
}

/**
 * True if all references in a schema lead to `$defs`. In that case, relaxing the schema of one
 * member affects only that member.
 */
function refersToDefinitionsOnly(node: unknown): boolean {
  if (isList(node)) return node.every(refersToDefinitionsOnly)
  if (!isObject(node)) return true
  return Object.entries(node).every(([keyword, part]) =>
    keyword === '$ref' || keyword === '$dynamicRef'
      ? typeof part !== 'string' || part.startsWith('#/$defs/')
      : refersToDefinitionsOnly(part),
  )
}
