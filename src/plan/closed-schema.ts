/**
 * Derives the schema for validating bodies from the schema of the team: every object is closed
 * unless the schema opens it explicitly, and every integer must be exact (REP-8).
 */
import { isList, isObject } from '../definition/json.js'
import { isSchema } from '../definition/schema-parts.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { Shape } from '../definition/shape.js'

/** Selects members that may be absent, at any depth, although the schema requires them. */
export type Excused = (member: Shape) => boolean

interface Context {
  readonly root: JsonSchema
  readonly excused: Excused
}

/** The closed form of a schema. */
export function closedSchema(root: JsonSchema, excused: Excused): JsonSchema {
  return closedPlace(root, root, excused)
}

/** The closed form of a subschema: that of a member, an item or a `$ref`. */
export function closedPlace(root: JsonSchema, node: JsonSchema, excused: Excused): JsonSchema {
  return place({ root, excused }, node)
}

/**
 * Closes a subschema that describes a whole value: the root, a member or an item. The closing
 * keyword is added to this subschema and not to its branches (`allOf`, `anyOf`, ...):
 * `unevaluatedProperties` next to a branch recognizes the members that the branch declares;
 * `additionalProperties` does not. A member that several schemas declare is closed once, and allows
 * the names of all of them.
 */
function place(context: Context, node: JsonSchema): JsonSchema {
  const shape = Shape.of(context.root, node)
  const result: Record<string, unknown> = branch(context, node, shape, (name) => declarations(shape, name) > 1)
  if (!shape.isObject || shape.open) return result
  const shared = [...shape.members].filter(([name, member]) => declarations(shape, name) > 1 && member.isObject)
  if (shared.length > 0) {
    const closed = Object.fromEntries(shared.map(([name, member]) => [name, place(context, member.node)]))
    result.properties = { ...(isObject(result.properties) ? result.properties : {}), ...closed }
  }
  if (node.additionalProperties === undefined) {
    result[
      sharers.some((keyword) => node[keyword] !== undefined) ? 'unevaluatedProperties' : 'additionalProperties'
    ] ??= false
  }
  return result
}

const sharers = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas']
const declarations = (shape: Shape, name: string): number => shape.declared.get(name) ?? 0

/**
 * A schema that applies to the value described by `at`, possibly together with others. Leaves
 * members for which `elsewhere` is true unchanged: they are closed elsewhere.
 */
function branch(context: Context, node: JsonSchema, at: Shape, elsewhere: (name: string) => boolean): JsonSchema {
  const result: Record<string, unknown> = { ...node }
  const each = (keyword: string, close: (part: JsonSchema, name: string) => JsonSchema): void => {
    const given = node[keyword]
    if (isList(given)) result[keyword] = given.map((part, i) => (isSchema(part) ? close(part, String(i)) : part))
    else if (isObject(given))
      result[keyword] = Object.fromEntries(
        Object.entries(given).map(([name, part]) => [name, isSchema(part) ? close(part, name) : part]),
      )
  }
  const one = (keyword: string, close: (part: JsonSchema) => JsonSchema): void => {
    const part = node[keyword]
    if (isSchema(part)) result[keyword] = close(part)
  }
  // Conditional schemas add to unconditional ones, so only the latter close members that both
  // declare.
  const maybe = (part: JsonSchema): JsonSchema =>
    branch(context, part, at, (name) => elsewhere(name) || declarations(at, name) > 0)
  each('properties', (part, name) => (elsewhere(name) ? part : place(context, part)))
  each('patternProperties', (part) => place(context, part))
  each('prefixItems', (part) => place(context, part))
  for (const keyword of ['items', 'additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'])
    one(keyword, (part) => place(context, part))
  each('allOf', (part) => branch(context, part, at, elsewhere))
  for (const keyword of ['anyOf', 'oneOf', 'dependentSchemas']) each(keyword, maybe)
  for (const keyword of ['then', 'else']) one(keyword, maybe)
  // `not`, `if`, `contains` and `propertyNames` are conditions: closing them would change results.
  for (const keyword of ['$defs', 'definitions']) {
    each(keyword, (part) => {
      const shape = Shape.of(context.root, part)
      return branch(context, part, shape, (name) => declarations(shape, name) > 1)
    })
  }
  if (isList(node.required))
    result.required = node.required.filter((name) => !isExcused(context, at, node, String(name)))
  const types = [node.type].flat()
  // A number is a double of any size; an integer must be exact in every reader.
  if (types.includes('integer') && !types.includes('number')) result.exactInteger = true
  return result
}

function isExcused({ root, excused }: Context, at: Shape, node: JsonSchema, name: string): boolean {
  const member = at.members.get(name) ?? Shape.of(root, node).members.get(name)
  return member !== undefined && excused(member)
}
