/**
 * Derives, from the schema of a definition, the schema that validates bodies. In the derived
 * schema, objects are closed: they allow no undeclared members, unless the definition's schema
 * allows them explicitly. A value of type `integer` must be between -(2^53-1) and 2^53-1 (REP-8).
 */
import { isList, isObject } from '../definition/json.js'
import { isSchema } from '../definition/schema-parts.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { Shape } from '../definition/shape.js'
import { ConfigurationError } from '../problem.js'

/**
 * Returns true if a member may be absent although the schema requires it. The member may be at any
 * depth.
 */
export type Excused = (member: Shape) => boolean

interface Context {
  readonly root: JsonSchema
  readonly excused: Excused
  /** The members that are being closed now, and that several schemas declare. */
  readonly shared: Set<JsonSchema>
}

/** Returns a schema in its closed form. */
export function closedSchema(root: JsonSchema, excused: Excused): JsonSchema {
  return closedPlace(root, root, excused)
}

/**
 * Returns a subschema in its closed form: the schema of a member or an array item, or the target of
 * a `$ref`.
 */
export function closedPlace(root: JsonSchema, node: JsonSchema, excused: Excused): JsonSchema {
  return place({ root, excused, shared: new Set() }, node)
}

/**
 * Closes a subschema that describes a whole value: the root, a member or an item. The closing
 * keyword is added to this subschema and not to its branches (`allOf`, `anyOf`, ...). If there are
 * branches, the keyword is `unevaluatedProperties`, because it recognizes the members that the
 * branches declare. The keyword `additionalProperties` does not recognize them. If several schemas
 * declare the same member, the member is closed only once, so that it allows the names from all of
 * these schemas.
 */
function place(context: Context, node: JsonSchema): JsonSchema {
  const shape = Shape.of(context.root, node)
  const result: Record<string, unknown> = branch(context, node, shape, (name) => declarations(shape, name) > 1)
  if (!shape.isObject || shape.open) return result
  const shared = [...shape.members].filter(([name, member]) => declarations(shape, name) > 1 && member.isObject)
  if (shared.length > 0) {
    const closed = Object.fromEntries(shared.map(([name, member]) => [name, placeShared(context, name, member.node)]))
    result.properties = { ...(isObject(result.properties) ? result.properties : {}), ...closed }
  }
  if (node.additionalProperties === undefined) {
    result[
      sharers.some((keyword) => node[keyword] !== undefined) ? 'unevaluatedProperties' : 'additionalProperties'
    ] ??= false
  }
  return result
}

/**
 * Closes a member that several schemas declare. The closed form contains a copy of the member, so
 * the closed form would be endless if the member contained itself.
 */
function placeShared(context: Context, name: string, node: JsonSchema): JsonSchema {
  if (context.shared.has(node)) {
    throw new ConfigurationError(
      'invalid-schema',
      `"${name}" is recursive, and several schemas of the same object (joined by $ref or allOf) declare it. Declare ` +
        `"${name}" in only one of them.`,
    )
  }
  context.shared.add(node)
  const closed = place(context, node)
  context.shared.delete(node)
  return closed
}

const sharers = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas']
const declarations = (shape: Shape, name: string): number => shape.declared.get(name) ?? 0

/**
 * Closes the members and items in one of the schemas that apply to a value. `at` is the shape of
 * the value. A member for which `elsewhere` returns true stays unchanged, because another call
 * closes it.
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
  // A conditional schema applies in addition to the unconditional ones. If both declare a member,
  // only the unconditional schema closes it.
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
  // `not`, `if`, `contains` and `propertyNames` are not closed. They are conditions, and closing
  // them would change which values match.
  for (const keyword of ['$defs', 'definitions']) {
    each(keyword, (part) => {
      const shape = Shape.of(context.root, part)
      return branch(context, part, shape, (name) => declarations(shape, name) > 1)
    })
  }
  if (isList(node.required))
    result.required = node.required.filter((name) => !isExcused(context, at, node, String(name)))
  const types = [node.type].flat()
  // A `number` may be any double. An `integer` must be in the range in which a double represents
  // every integer exactly.
  if (types.includes('integer') && !types.includes('number')) result.exactInteger = true
  return result
}

function isExcused({ root, excused }: Context, at: Shape, node: JsonSchema, name: string): boolean {
  const member = at.members.get(name) ?? Shape.of(root, node).members.get(name)
  return member !== undefined && excused(member)
}
