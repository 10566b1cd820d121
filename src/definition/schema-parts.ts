/** Reads the references, the subschemas and the constraints of a schema. */
import { ConfigurationError } from '../problem.js'
import { isList, isObject, own, pointerTokens } from './json.js'
import type { JsonSchema } from './schema-types.js'

/** The empty schema, which means the same as the schema `true`. */
export const anything: JsonSchema = Object.freeze({})

export function patternsOf(table: unknown): (readonly [RegExp, JsonSchema])[] {
  return Object.entries(isObject(table) ? table : {}).flatMap(([pattern, given]) =>
    schemasIn([given]).map((node) => [expression(pattern), node] as const),
  )
}

function expression(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch (error) {
    throw new ConfigurationError(
      'invalid-schema',
      `The schema has an invalid pattern: ${(error as Error).message}. Fix the pattern.`,
    )
  }
}

/**
 * Returns the node and the schemas that apply to the same value: the targets of `$ref` and the
 * branches of `allOf`.
 */
export function partsOf(root: JsonSchema, node: JsonSchema, depth = 0): JsonSchema[] {
  if (depth > 32) throw endless()
  const parts = [node]
  if (typeof node.$ref === 'string') parts.push(...partsOf(root, schemaAt(root, node.$ref), depth + 1))
  if (isList(node.allOf)) for (const branch of schemasIn(node.allOf)) parts.push(...partsOf(root, branch, depth + 1))
  return parts
}

export const endless = (): ConfigurationError =>
  new ConfigurationError(
    'invalid-schema',
    'The schema has a $ref cycle, or nests $ref and allOf more than 32 levels deep. A schema can refer to itself ' +
      'only inside a member or an item.',
  )

/**
 * Returns the target of a `$ref`. Supports only references within the schema: a `#` and a JSON
 * pointer (RFC 6901 6). Throws `ConfigurationError` for any other reference, and if the target does
 * not exist.
 */
export function schemaAt(root: JsonSchema, ref: string): JsonSchema {
  const pointer = ref.startsWith('#') ? decoded(ref.slice(1)) : undefined
  if (pointer === undefined || !/^(?:\/|$)/.test(pointer)) {
    throw new ConfigurationError(
      'invalid-schema',
      `The schema refers to "${ref}". Only pointers within the schema itself ("#/$defs/...") are followed: copy ` +
        'the target into $defs.',
    )
  }
  let found: unknown = root
  for (const name of pointerTokens(pointer))
    found = isList(found) && /^\d+$/.test(name) ? found[Number(name)] : own(found, name)
  if (found === true) return anything
  if (!isSchema(found))
    throw new ConfigurationError(
      'invalid-schema',
      `The schema refers to "${ref}", but contains no such subschema. Add it to $defs or fix the reference.`,
    )
  return found
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export const isSchema = (value: unknown): value is JsonSchema => isObject(value)

/**
 * The schemas in a list. `true` becomes the empty schema. `false` is left out, because it allows no
 * value.
 */
export const schemasIn = (given: readonly unknown[]): JsonSchema[] =>
  given.flatMap((one) => (one === true ? [anything] : isSchema(one) ? [one] : []))
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value
}

export const constantsOf = (part: JsonSchema): readonly unknown[] | undefined =>
  isList(part.enum) ? part.enum : part.const === undefined ? undefined : [part.const]
