/**
 * Collects, from an OpenAPI document, the schemas that may apply to the same value. References are
 * resolved, and branches such as those of `anyOf` are flattened into one list.
 */
import { isList, isObject, type JsonObject } from '../../definition/json.js'
import { placeAt, tokensOf } from './places.js'

/** Schemas that may apply to the same value. */
export type SchemasOfValue = readonly JsonObject[]

/** The flattened schemas of one document. */
export class SchemaParts {
  readonly #document: unknown
  readonly #flat = new Map<JsonObject, SchemasOfValue>()

  constructor(document: unknown) {
    this.#document = document
  }

  /** Returns these schemas, the targets of their references, and their branches, at any depth. */
  flatten(schemas: SchemasOfValue): SchemasOfValue {
    return schemas.flatMap((schema) => this.#flatten(schema))
  }

  #flatten(schema: JsonObject): SchemasOfValue {
    const known = this.#flat.get(schema)
    if (known !== undefined) return known
    // This ends the recursion of a schema that contains itself.
    this.#flat.set(schema, [])
    const target = typeof schema.$ref === 'string' ? placeAt(this.#document, tokensOf(schema.$ref))?.value : undefined
    const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((word) => (isList(schema[word]) ? schema[word] : []))
    const inner = [target, ...branches, schema.then, schema.else].filter(isObject)
    const parts = [schema, ...inner.flatMap((one) => this.#flatten(one))]
    this.#flat.set(schema, parts)
    return parts
  }
}

/**
 * Returns the only type that these schemas declare, apart from null. `integer` counts as `number`.
 * Returns `undefined` if they declare several types or none.
 */
export function soleKind(parts: SchemasOfValue): string | undefined {
  const kinds = new Set(parts.flatMap(kindsOf).filter((kind) => kind !== 'null'))
  return kinds.size === 1 ? [...kinds][0] : undefined
}

export function kindsOf({ type, enum: values, const: constant }: JsonObject): readonly string[] {
  if (type !== undefined) return [type].flat().map((one) => (one === 'integer' ? 'number' : String(one)))
  const given = isList(values) ? values : constant === undefined ? [] : [constant]
  return given.map((value) => (value === null ? 'null' : isList(value) ? 'array' : typeof value))
}

/** Returns the schemas that may apply to a member of an object. */
export function membersOf(parts: SchemasOfValue, name: string): SchemasOfValue {
  const own = parts.flatMap(({ properties }) =>
    isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [],
  )
  const matching = parts.flatMap(({ patternProperties }) =>
    Object.entries(isObject(patternProperties) ? patternProperties : {}).flatMap(([pattern, schema]) =>
      new RegExp(pattern, 'u').test(name) ? [schema] : [],
    ),
  )
  const others =
    own.length + matching.length > 0 ? [] : parts.flatMap(({ additionalProperties }) => [additionalProperties])
  return [...own, ...matching, ...others].filter(isObject)
}
