/**
 * Flattens schemas: resolves their `$ref` and `allOf`. The result is a list of plain schemas and a
 * list of unions. A value must match all of the plain schemas, and a branch of each union.
 */
import { isList, isObject, type JsonObject, own } from '../definition/json.js'
import { child, type Place, type Source } from './nodes.js'

/**
 * A list of schemas, such as the branches of an `allOf`. A value must match all of them. An empty
 * list allows every value.
 */
export type Schema = readonly Place[]

/** `anyOf` or `oneOf`. */
export interface Union {
  readonly keyword: 'anyOf' | 'oneOf'
  readonly branches: readonly Place[]
}

/** A flattened schema, which has neither references nor `allOf`. */
export interface Flat {
  /**
   * The visited schemas. Their `$ref` and `allOf` are already resolved, and their `anyOf` and
   * `oneOf` are in `unions`.
   */
  readonly plains: readonly Place[]
  readonly unions: readonly Union[]
  /**
   * The pointers of all visited schemas. No schema is visited twice, so that the recursion ends
   * even for a recursive schema.
   */
  readonly seen: ReadonlySet<string>
  /** The names of the visited schema components. */
  readonly names: readonly string[]
}

/** Flattens a schema. Subschemas whose pointers are in `visited` are skipped. */
export function flatten(source: Source, schema: Schema, visited: ReadonlySet<string> = new Set()): Flat {
  const plains: Place[] = []
  const unions: Union[] = []
  const names: string[] = []
  const seen = new Set(visited)
  const visit = (place: Place): void => {
    if (seen.has(place.pointer)) return
    seen.add(place.pointer)
    const { value } = place
    if (!isObject(value)) {
      if (value === false) plains.push(place)
      return
    }
    const ref = value.$ref ?? (source.legacy ? undefined : value.$dynamicRef)
    if (typeof ref === 'string') {
      const target = source.target(ref, place.pointer)
      const name = componentOf(target.pointer)
      if (name !== undefined) names.push(name)
      visit(target)
      // OpenAPI 3.0 ignores siblings of a reference.
      if (source.legacy) return
    }
    for (const branch of branchesOf(place, 'allOf')) visit(branch)
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const branches = branchesOf(place, keyword)
      if (branches.length > 0) unions.push({ keyword, branches })
    }
    plains.push(place)
  }
  for (const place of schema) visit(place)
  return { plains, unions, seen, names }
}

function branchesOf(place: Place, keyword: string): readonly Place[] {
  const list = own(place.value, keyword)
  return isList(list) ? list.map((_, index) => child(child(place, keyword), String(index))) : []
}

/** The name of a schema component: `Order` for `#/components/schemas/Order`. */
const componentOf = (pointer: string): string | undefined => /^#\/components\/schemas\/([^/]+)$/.exec(pointer)?.[1]

/**
 * Returns whether a keyword, such as `readOnly`, is `true` in any of the plain schemas of a schema.
 */
export function isTrueIn(source: Source, schema: Schema, keyword: string): boolean {
  return flatten(source, schema).plains.some(({ value }) => own(value, keyword) === true)
}

/** Returns the first value of a keyword in the plain schemas of a schema, or `undefined`. */
export const firstKeyword = (source: Source, schema: Schema, keyword: string): unknown =>
  keywordOf(flatten(source, schema).plains, keyword)

/**
 * Returns the first value of a keyword in the plain schemas of a flattened schema, or `undefined`.
 */
export function keywordOf(plains: readonly Place[], keyword: string): unknown {
  for (const { value } of plains) {
    const declared = own(value, keyword)
    if (declared !== undefined) return declared
  }
  return undefined
}

/**
 * Returns the schema at a location. Without a location, returns a schema that allows everything.
 */
export const schemaOf = (place: Place | undefined): Schema => (place === undefined ? [] : [place])

/**
 * Returns the schema of a parameter or a header field, from `schema` or from its only `content`.
 */
export function valueSchema(source: Source, place: Place): Schema {
  const [media] = source.members(source.member(place, 'content')).values()
  const schema = child(media ?? place, 'schema')
  return schema.value === undefined ? [] : [schema]
}

/** Returns a string that identifies a schema within its document. */
export const keyOf = (schema: Schema): string =>
  schema.map(({ value, pointer }) => soleReference(value) ?? pointer).join(' ')

/** Returns the `$ref` of a schema that has only this member, or `undefined` for other schemas. */
function soleReference(value: unknown): string | undefined {
  if (!isObject(value) || typeof value.$ref !== 'string') return undefined
  return Object.keys(value as JsonObject).length === 1 ? value.$ref : undefined
}
