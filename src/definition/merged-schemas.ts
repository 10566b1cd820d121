/**
 * Combines the schemas that several parts of a schema, such as the branches of `anyOf`, declare for
 * the same value.
 */
import type { JsonSchema } from './schema-types.js'

/**
 * Returns a schema whose only keyword, `allOf` or `anyOf`, combines the given schemas. If only one
 * schema is given, returns it unchanged. Calls with the same schemas return the same object.
 * Otherwise, a recursive schema would lead to new schemas, and new shapes, without end. For the
 * same reason, results are not nested: a given schema that this function has returned for the same
 * keyword is replaced with the schemas that it combines.
 */
export function merged(keyword: 'allOf' | 'anyOf', given: readonly (JsonSchema | undefined)[]): JsonSchema | undefined {
  const nodes = [
    ...new Set(given.flatMap((node) => (node === undefined ? [] : (combined[keyword].get(node) ?? [node])))),
  ]
  const [first] = nodes
  if (first === undefined || nodes.length === 1) return first
  const key = `${keyword} ${nodes.map(idOf).join(' ')}`
  const known = mergedByFirst.get(first) ?? new Map<string, JsonSchema>()
  mergedByFirst.set(first, known)
  const found = known.get(key)
  if (found !== undefined) return found
  const made: JsonSchema = { [keyword]: nodes }
  combined[keyword].set(made, nodes)
  known.set(key, made)
  return made
}

/** The results of `merged`, by their first schema. */
const mergedByFirst = new WeakMap<JsonSchema, Map<string, JsonSchema>>()
/** The schemas that each result of `merged` combines. */
const combined = {
  allOf: new WeakMap<JsonSchema, readonly JsonSchema[]>(),
  anyOf: new WeakMap<JsonSchema, readonly JsonSchema[]>(),
}

const ids = new WeakMap<JsonSchema, number>()
let lastId = 0

function idOf(node: JsonSchema): number {
  const id = ids.get(node) ?? ++lastId
  ids.set(node, id)
  return id
}
