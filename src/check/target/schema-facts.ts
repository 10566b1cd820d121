/** Reads facts from schemas of OpenAPI 3.0 or 3.1. */
import { isList, isObject, type JsonObject } from '../../definition/json.js'

/**
 * The maximum depth to which schemas are evaluated: members within members, and `allOf`, `anyOf`
 * and `oneOf` within each other.
 */
const deepest = 3

/** The schema, and the schemas in its `allOf`, `anyOf` and `oneOf`. */
function partsOf(schema: unknown, depth = 0): readonly JsonObject[] {
  if (!isObject(schema) || depth > deepest) return []
  const parts = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list) => (isList(list) ? list : []))
  return [schema, ...parts.flatMap((part) => partsOf(part, depth + 1))]
}

/** The schemas of the members of an object, by name. */
export function membersOf(schema: unknown): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>()
  for (const { properties } of partsOf(schema))
    if (isObject(properties)) for (const [name, member] of Object.entries(properties)) found.set(name, member)
  return found
}

export const requiredMembers = (schema: unknown): ReadonlySet<string> =>
  new Set(partsOf(schema).flatMap(({ required }) => (isList(required) ? required.map(String) : [])))

export function typesOf(schema: unknown): ReadonlySet<string> {
  const types = partsOf(schema).flatMap(({ type, nullable }) => [
    ...(isList(type) ? type.map(String) : typeof type === 'string' ? [type] : []),
    ...(nullable === true ? ['null'] : []),
  ])
  return new Set(types)
}

const namesWhere = (schema: unknown, is: (member: unknown) => boolean): readonly string[] =>
  [...membersOf(schema)].filter(([, member]) => is(member)).map(([name]) => name)

export const nullableMembers = (schema: unknown): readonly string[] =>
  namesWhere(schema, (member) => typesOf(member).has('null') && !isWriteOnly(member))

const isWriteOnly = (member: unknown): boolean => isObject(member) && member.writeOnly === true

export const writeOnlyMembers = (schema: unknown): readonly string[] => namesWhere(schema, isWriteOnly)

/** Members that are links: objects with `href`. */
export const linkMembers = (schema: unknown): readonly string[] =>
  namesWhere(schema, (member) => partsOf(member).some(({ properties }) => isObject(properties) && 'href' in properties))

/**
 * The names of the members that have no members of their own, such as scalars. The name of a nested
 * member has dots: `address.city`.
 */
export function scalarPaths(schema: unknown, depth = 0): readonly string[] {
  return [...membersOf(schema)].flatMap(([name, member]) => {
    const inside = depth < deepest ? scalarPaths(member, depth + 1) : []
    return inside.length === 0 ? [name] : inside.map((path) => `${name}.${path}`)
  })
}

/**
 * The names of members that the schema of a parameter accepts, as a single value or as the items of
 * an array. For an enum, the result is the names in the enum. For a pattern, the result is the
 * candidates that match the pattern. The result is `undefined` if the schema has neither an enum
 * nor a valid pattern.
 */
export function takenBy(schema: unknown, candidates: readonly string[]): readonly string[] | undefined {
  if (!isObject(schema)) return undefined
  const { items, pattern } = schema
  if (isList(schema.enum)) return namesIn(schema.enum)
  if (isObject(items)) return takenBy(items, candidates)
  if (typeof pattern !== 'string') return undefined
  try {
    const expression = new RegExp(pattern, 'u')
    return candidates.filter((name) => expression.test(name))
  } catch {
    return undefined
  }
}

/**
 * The names of fields in an enum. The enum may list both directions of a field: `name` and `-name`
 * become `name`.
 */
const namesIn = (values: readonly unknown[]): readonly string[] => [
  ...new Set(values.map((value) => String(value).replace(/^[-+]/, ''))),
]
