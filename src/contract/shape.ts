/**
 * The normal form of schemas. Different spellings of one schema (OpenAPI 3.0 or 3.1, `$ref` or
 * inline, `allOf` or one object) have the same shape.
 */
import { canonicalText, isList, isObject, own } from '../definition/json.js'
import { Bounds } from './bounds.js'
import { type Flat, flatten, type Schema, type Union } from './flatten.js'
import { child, type Place, type Source } from './nodes.js'
import { wholeText } from './whole-text.js'

/** The types of values. `fraction` is a number that is not an integer. */
export type ValueType = 'boolean' | 'integer' | 'fraction' | 'string' | 'array' | 'object'

/** One alternative of a schema. */
export interface Shape {
  readonly place: Place
  /** The names of the schema components to which the alternative belongs. */
  readonly names: readonly string[]
  /** `anyOf` or `oneOf`, if the alternative is one of its branches. */
  readonly union?: Union['keyword']
  readonly types: ReadonlySet<ValueType>
  readonly nullable: boolean
  /**
   * The allowed values except null, keyed by their canonical JSON. Absent if the schema does not
   * enumerate values.
   */
  readonly values?: ReadonlyMap<string, unknown>
  readonly bounds: Bounds
  readonly formats: ReadonlySet<string>
  readonly patterns: ReadonlySet<string>
  readonly properties: ReadonlyMap<string, Schema>
  /**
   * Whether the schema has the keyword `properties`.
   */
  readonly isNamed: boolean
  readonly required: ReadonlySet<string>
  /** The schema of additional members. If it is empty, all additional members are allowed. */
  readonly additional: Schema
  readonly prefix: readonly Schema[]
  /** The schema of the items after those in `prefix`. */
  readonly items: Schema
  /** The schemas of `contains`, `propertyNames`, `dependentSchemas/name` and so on, by keyword. */
  readonly conditions: ReadonlyMap<string, Schema>
  /**
   * The text of keywords that are compared only as a whole, such as `not`, `if` and
   * `contentMediaType`, with the text of the schemas to which they refer.
   */
  readonly opaque: ReadonlyMap<string, string>
  readonly dependents: ReadonlyMap<string, ReadonlySet<string>>
}

const allTypes: readonly ValueType[] = ['boolean', 'integer', 'fraction', 'string', 'array', 'object']

/**
 * The maximum number of combinations of branches of a schema's unions. If there are more, the
 * unions are compared only as a whole.
 */
const maxAlternatives = 128

/** Returns the alternatives of a schema. The list is empty if the schema allows no value. */
export function shapesOf(source: Source, schema: Schema): readonly Shape[] {
  const flat = flatten(source, schema)
  const size = flat.unions.reduce((product, { branches }) => product * branches.length, 1)
  const shapes =
    size > maxAlternatives ? [build(source, flat, opaqueUnions(source, flat.unions))] : expand(source, flat)
  return fold(shapes.filter(isPossible))
}

const isPossible = ({ types, nullable, values }: Shape): boolean => nullable || (types.size > 0 && values?.size !== 0)

/** Returns one shape for each combination of branches of the unions. */
function expand(source: Source, flat: Flat, keyword?: Union['keyword']): readonly Shape[] {
  const [union, ...others] = flat.unions
  if (union === undefined) return [{ ...build(source, flat), ...(keyword === undefined ? {} : { union: keyword }) }]
  return union.branches.flatMap((branch) => {
    const inner = flatten(source, [branch], flat.seen)
    const merged: Flat = {
      // The branch precedes the schemas around it, because the alternative gets its name from the
      // first schema in the list.
      plains: [...(inner.plains.length > 0 ? inner.plains : [branch]), ...flat.plains],
      unions: [...others, ...inner.unions],
      seen: inner.seen,
      names: [...inner.names, ...flat.names],
    }
    return expand(source, merged, union.branches.length > 1 ? union.keyword : keyword)
  })
}

const opaqueUnions = (source: Source, unions: readonly Union[]): ReadonlyMap<string, string> =>
  new Map(unions.map(({ keyword, branches }, index) => [`${keyword} ${index}`, wholeText(source, branches)]))

/** Merges plain schemas into one shape. */
function build(source: Source, { plains, names }: Flat, unions: ReadonlyMap<string, string> = new Map()): Shape {
  const types = plains.map(({ value }) => typesOf(source, value))
  const bounds = new Bounds()
  for (const { value } of plains) bounds.add(value)
  // All multiples of an integer are integers.
  const isWhole = bounds.multiples.some((multiple) => Number.isInteger(multiple))
  const shared = allTypes.filter(
    (type) => types.every((some) => some.types.has(type)) && !(isWhole && type === 'fraction'),
  )
  const values = valuesOf(source, plains)
  return {
    place: plains[0] ?? { value: true, pointer: '#' },
    names,
    types: new Set(shared),
    // Many 3.0 documents combine `nullable` with `allOf`, although `nullable` strictly has no
    // effect there.
    nullable:
      types.every((some) => some.nullable) ||
      (source.legacy &&
        plains.some(({ value }) => own(value, 'nullable') === true && own(value, 'type') === undefined)),
    ...(values === undefined ? {} : { values }),
    bounds,
    formats: new Set(texts(plains, 'format').filter((format) => !freeFormats.has(format))),
    patterns: new Set(
      texts(plains, 'pattern')
        .map(normalPattern)
        .filter((pattern) => !/^\^?(?:\.\*)?\$?$/.test(pattern)),
    ),
    ...membersOf(plains),
    ...itemsOf(plains),
    conditions: conditionsOf(plains),
    opaque: new Map([...unions, ...opaqueOf(source, plains)]),
    dependents: dependentsOf(plains),
  }
}

/**
 * Formats that are not compared, because they describe how values are stored, displayed or encoded.
 */
const freeFormats: ReadonlySet<string> = new Set(['int64', 'double', 'password', 'binary', 'byte'])

/**
 * Replaces some character classes with their short forms, so that patterns that differ only in this
 * notation become equal.
 */
const normalPattern = (pattern: string): string =>
  pattern.replaceAll('[0-9]', '\\d').replaceAll(/\[(?:A-Za-z|a-zA-Z)0-9_\]/g, '\\w')

interface Types {
  readonly types: ReadonlySet<ValueType>
  readonly nullable: boolean
}

function typesOf(source: Source, schema: unknown): Types {
  if (schema === false) return { types: new Set(), nullable: false }
  const declared = own(schema, 'type') ?? impliedTypes(schema)
  const listed = isList(declared) ? declared : declared === undefined ? undefined : [declared]
  const legacyNull = source.legacy && own(schema, 'nullable') === true
  const values = allowedValues(schema)
  const ofType = listed === undefined ? allTypes : listed.flatMap(typesNamed)
  const types = values === undefined ? ofType : ofType.filter((type) => values.some((value) => isOfType(value, type)))
  const nullSaid = listed === undefined || listed.includes('null')
  // In 3.0 documents, `nullable` is meant to allow null even if an enum does not list null.
  return {
    types: new Set(types),
    nullable: legacyNull || (nullSaid && (values === undefined || values.includes(null))),
  }
}

/**
 * Returns the types that a schema without `type` implies: `properties` implies an object, and
 * `items` implies an array. Many documents have schemas without `type`.
 */
function impliedTypes(schema: unknown): readonly string[] | undefined {
  if (allowedValues(schema) !== undefined) return undefined
  const types = [
    ...(own(schema, 'properties') === undefined ? [] : ['object']),
    ...(own(schema, 'items') === undefined ? [] : ['array']),
  ]
  return types.length === 0 ? undefined : types
}

const typesNamed = (name: unknown): readonly ValueType[] => {
  if (name === 'number') return ['integer', 'fraction']
  return allTypes.filter((type) => type === name && type !== 'fraction')
}

export function isOfType(value: unknown, type: ValueType): boolean {
  if (type === 'array') return isList(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'fraction') return typeof value === 'number' && !Number.isInteger(value)
  return typeof value === type
}

function allowedValues(schema: unknown): readonly unknown[] | undefined {
  const constant = own(schema, 'const')
  const listed = own(schema, 'enum')
  if (constant !== undefined) return [constant]
  return isList(listed) ? listed : undefined
}

/**
 * Returns the values, except null, that every `enum` and `const` of the schemas allows. Returns
 * `undefined` if no schema enumerates values.
 */
function valuesOf(source: Source, plains: readonly Place[]): ReadonlyMap<string, unknown> | undefined {
  let found: Map<string, unknown> | undefined
  for (const { value } of plains) {
    const allowed = allowedValues(value)
    if (allowed === undefined) continue
    const { types } = typesOf(source, value)
    const fitting = allowed.filter((one) => one !== null && [...types].some((type) => isOfType(one, type)))
    const own = new Map(fitting.map((one) => [canonicalText(one), one]))
    const before = found
    found = before === undefined ? own : new Map([...own].filter(([text]) => before.has(text)))
  }
  return found
}

const texts = (plains: readonly Place[], keyword: string): readonly string[] =>
  plains.map(({ value }) => own(value, keyword)).filter((value) => typeof value === 'string')

function membersOf(plains: readonly Place[]): Pick<Shape, 'properties' | 'isNamed' | 'required' | 'additional'> {
  const properties = new Map<string, Place[]>()
  const required = new Set<string>()
  const additional: Place[] = []
  for (const place of plains) {
    const table = child(place, 'properties')
    for (const name of Object.keys(isObject(table.value) ? table.value : {})) {
      properties.set(name, [...(properties.get(name) ?? []), child(table, name)])
    }
    const listed = own(place.value, 'required')
    for (const name of isList(listed) ? listed : []) required.add(String(name))
    // `unevaluatedProperties` does not apply to members that a sibling reference declares. After
    // flattening, these members are in `properties`, so the keyword has the same effect as
    // `additionalProperties`.
    additional.push(...schemasAt(place, ['additionalProperties', 'unevaluatedProperties']))
  }
  return {
    properties,
    isNamed: plains.some(({ value }) => own(value, 'properties') !== undefined),
    required,
    additional,
  }
}

function itemsOf(plains: readonly Place[]): Pick<Shape, 'prefix' | 'items'> {
  const prefix: Place[][] = []
  for (const place of plains) {
    const list = child(place, 'prefixItems')
    const listed = isList(list.value) ? list.value : []
    for (const index of listed.keys()) prefix[index] = [...(prefix[index] ?? []), child(list, String(index))]
  }
  return { prefix, items: plains.flatMap((place) => schemasAt(place, ['items', 'unevaluatedItems'])) }
}

/**
 * Returns a list with the schema of the first keyword that is present. The list is empty if no
 * keyword is present, or if the schema allows everything.
 */
function schemasAt(place: Place, keywords: readonly string[]): readonly Place[] {
  const found = keywords.map((keyword) => child(place, keyword)).find(({ value }) => value !== undefined)
  return found === undefined || found.value === true || (isObject(found.value) && Object.keys(found.value).length === 0)
    ? []
    : [found]
}

function conditionsOf(plains: readonly Place[]): ReadonlyMap<string, Schema> {
  const found = new Map<string, Place[]>()
  const add = (name: string, place: Place): void => {
    if (isObject(place.value) || typeof place.value === 'boolean') found.set(name, [...(found.get(name) ?? []), place])
  }
  for (const place of plains) {
    for (const keyword of ['propertyNames', 'contentSchema']) add(keyword, child(place, keyword))
    // With `minContains: 0`, `contains` allows every array (JSON Schema 2020-12 Validation 6.4.5).
    if (own(place.value, 'minContains') !== 0 || own(place.value, 'maxContains') !== undefined)
      add('contains', child(place, 'contains'))
    if (own(place.value, 'if') !== undefined)
      for (const keyword of ['then', 'else']) add(keyword, child(place, keyword))
    for (const keyword of ['dependentSchemas', 'patternProperties']) {
      const table = child(place, keyword)
      for (const name of Object.keys(isObject(table.value) ? table.value : {}))
        add(`${keyword}/${name}`, child(table, name))
    }
  }
  return found
}

function opaqueOf(source: Source, plains: readonly Place[]): readonly (readonly [string, string])[] {
  const found = new Map<string, string[]>()
  for (const { value, pointer } of plains) {
    for (const keyword of ['not', 'if', 'contentMediaType', 'contentEncoding']) {
      const declared = opaqueAt(value, keyword)
      if (
        declared === undefined ||
        (keyword === 'if' && own(value, 'then') === undefined && own(value, 'else') === undefined)
      )
        continue
      found.set(keyword, [...(found.get(keyword) ?? []), wholeText(source, [{ value: declared, pointer }])])
    }
  }
  return [...found].map(([keyword, declared]) => [keyword, declared.sort().join(' ')] as const)
}

/**
 * Returns the value of a keyword. If the keyword is `contentEncoding`, the `format: byte` of
 * OpenAPI 3.0 counts as `base64`. The media type `application/octet-stream` is ignored, because any
 * data can have this type.
 */
function opaqueAt(value: unknown, keyword: string): unknown {
  const declared = own(value, keyword)
  if (keyword === 'contentEncoding' && declared === undefined && own(value, 'format') === 'byte') return 'base64'
  return keyword === 'contentMediaType' && declared === 'application/octet-stream' ? undefined : declared
}

function dependentsOf(plains: readonly Place[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const { value } of plains) {
    const table = own(value, 'dependentRequired')
    for (const [name, wanted] of Object.entries(isObject(table) ? table : {})) {
      found.set(name, new Set([...(found.get(name) ?? []), ...(isList(wanted) ? wanted.map(String) : [])]))
    }
  }
  return found
}

/**
 * Merges alternatives that a single shape can represent. Two alternatives are merged if both
 * enumerate their values, or if neither does and they have no type in common. An alternative that
 * allows only null is merged with all others.
 */
function fold(shapes: readonly Shape[]): readonly Shape[] {
  // Null is allowed if any alternative allows it.
  const nullable = shapes.some((shape) => shape.nullable)
  const others = shapes.filter(({ types }) => types.size > 0)
  const folded: Shape[] = []
  for (const shape of others.length === 0 ? shapes.slice(0, 1) : others) {
    const index = folded.findIndex((other) => isFoldable(other, shape))
    const other = folded[index]
    if (other === undefined) folded.push({ ...shape, nullable })
    else folded[index] = together(other, shape)
  }
  return folded.length === 1 ? folded.map(({ union: _, ...shape }) => shape) : folded
}

function isFoldable(one: Shape, other: Shape): boolean {
  if (one.values !== undefined && other.values !== undefined) return true
  if (one.values !== undefined || other.values !== undefined) return false
  return [...one.types].every((type) => !other.types.has(type))
}

function together(one: Shape, other: Shape): Shape {
  const values = one.values && other.values && new Map([...one.values, ...other.values])
  return {
    ...one,
    names: [...one.names, ...other.names],
    types: new Set([...one.types, ...other.types]),
    ...(values === undefined ? {} : { values }),
    bounds: one.bounds.and(other.bounds),
    formats: new Set([...one.formats, ...other.formats]),
    patterns: new Set([...one.patterns, ...other.patterns]),
    ...(other.types.has('object')
      ? pick(other, ['properties', 'isNamed', 'required', 'additional', 'dependents'])
      : {}),
    ...(other.types.has('array') ? pick(other, ['prefix', 'items']) : {}),
    conditions: new Map([...one.conditions, ...other.conditions]),
    opaque: new Map([...one.opaque, ...other.opaque]),
  }
}

const pick = <K extends keyof Shape>(shape: Shape, names: readonly K[]): Partial<Shape> =>
  Object.fromEntries(names.map((name) => [name, shape[name]]))
