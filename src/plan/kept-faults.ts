/**
 * Stored members that break the schema: other programs wrote them, or the schema became stricter later.
 * A patch that does not touch them must not be refused for them (VERB-5), for its client can't fix what
 * it did not send.
 */
import type { Cache } from '../cache.js'
import { canonicalText, isList, isObject, type JsonObject, own, pointerTokens } from '../definition/json.js'
import type { JsonSchema } from '../definition/schema-types.js'
import type { Shape } from '../definition/shape.js'
import type { Violation } from '../problem.js'
import type { Validate } from './validator.js'

/** What is wrong with a patched record, apart from members that are as they are stored. */
export type ValidatePatched = (next: JsonObject, current: JsonObject) => readonly Violation[]

/**
 * `validate` asks the schema as it is. `compile` makes the check of a schema in which the named members may
 * hold anything and may be missing. It is called only for a record that is broken already. `made` keeps
 * the checks by the names of the members.
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
    // A check may name the first mistakes only, so the next one may find further members.
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

/** A null that the schema does not allow reads as absent. */
function isUnchanged(next: JsonObject, current: JsonObject, name: string): boolean {
  return canonicalText(own(next, name) ?? null) === canonicalText(own(current, name) ?? null)
}

/** True where the schema of one member is not that of another, too: what may hold anything is that one alone. */
function refersToDefinitionsOnly(node: unknown): boolean {
  if (isList(node)) return node.every(refersToDefinitionsOnly)
  if (!isObject(node)) return true
  return Object.entries(node).every(([keyword, part]) =>
    keyword === '$ref' || keyword === '$dynamicRef'
      ? typeof part !== 'string' || part.startsWith('#/$defs/')
      : refersToDefinitionsOnly(part),
  )
}
