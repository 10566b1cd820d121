/**
 * Generates random values for a JSON Schema. A generated value may be invalid. `RecordMaker`
 * therefore validates each record, and generates another one until a record is valid.
 */
import { canonicalText, isList, type JsonObject, put } from '../definition/json.js'
import { kindOf } from '../definition/schema-parts.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { all, applied, numbers } from './applied.js'
import { formatTexts } from './formats.js'
import type { Making } from './making.js'
import { Members } from './members.js'
import { makeNumber } from './numbers.js'
import { Texts } from './texts.js'
import { Unmade } from './unmade.js'

/**
 * At this depth or deeper, objects get only their required members, and lists get only their
 * minimum number of items.
 */
const usualDepth = 4
/** The maximum depth. A schema that nests deeper is considered endlessly recursive. */
const maxDepth = 40

/** Generates values of one schema. */
export class Values {
  readonly #root: JsonSchema
  readonly #texts = new Texts()

  constructor(root: JsonSchema) {
    this.#root = root
  }

  /**
   * Generates a value. For an object, `fixed` contains values that some members must have. Throws
   * `Unmade` if no value can be generated.
   */
  make(making: Making, fixed?: JsonObject): unknown {
    return this.#value([this.#root], making, fixed)
  }

  /** Generates a value for `node`, a part of the schema. */
  of(node: JsonSchema, making: Making): unknown {
    return this.#value([node], making)
  }

  #value(nodes: readonly unknown[], making: Making, fixed?: JsonObject): unknown {
    if (making.depth > maxDepth) throw new Unmade(making.path, '$ref', 'it is recursive without end')
    const parts = applied(this.#root, nodes, making)
    const given = making.given && fixed === undefined ? givenValue(parts, making) : undefined
    if (given !== undefined) return given.value
    const listed = listedValue(parts, making)
    if (listed !== undefined) return listed.value
    switch (typeOf(parts, making)) {
      case 'null':
        return null
      case 'boolean':
        return making.random.chance(0.5)
      case 'integer':
        return makeNumber(parts, true, making)
      case 'number':
        return makeNumber(parts, false, making)
      case 'array':
        return this.#list(parts, making)
      case 'object':
        return this.#object(parts, making, fixed ?? {})
      default:
        return this.#texts.make(parts, making)
    }
  }

  #object(given: JsonSchema[], making: Making, fixed: JsonObject): JsonObject {
    const isDeep = making.depth >= usualDepth
    const members = new Members(given, isDeep ? { ...making, gaps: 1 } : making, {
      fixed: Object.keys(fixed),
      texts: this.#texts,
      applied: (node) => applied(this.#root, [node], making),
    })
    const object: JsonObject = {}
    for (const name of members.present()) {
      if (Object.hasOwn(fixed, name)) {
        if (fixed[name] !== undefined) put(object, name, fixed[name])
      } else put(object, name, this.#value(members.schemasOf(name), below(making, name)))
    }
    return object
  }

  #list(parts: readonly JsonSchema[], making: Making): unknown[] {
    const { random, depth, path } = making
    const prefix = all(parts, 'prefixItems').find(isList) ?? []
    const items = [...all(parts, 'items'), ...all(parts, 'unevaluatedItems').filter((one) => one !== false)]
    const contains = all(parts, 'contains')
    const wanted = contains.length === 0 ? 0 : Math.max(1, ...numbers(parts, 'minContains'))
    const isClosed =
      items.includes(false) || (all(parts, 'items').length === 0 && all(parts, 'unevaluatedItems').includes(false))
    const min = Math.max(0, wanted, ...numbers(parts, 'minItems'))
    const max = Math.min(Number.POSITIVE_INFINITY, ...numbers(parts, 'maxItems'), ...(isClosed ? [prefix.length] : []))
    if (min > max) throw new Unmade(path, 'minItems', `no list has at least ${min} and at most ${max} items`)
    const usual =
      depth >= usualDepth || random.chance(making.gaps) ? min : Math.max(min, prefix.length, random.between(1, 3))
    const count = Math.min(usual, max)
    const isUnique = all(parts, 'uniqueItems').includes(true)
    const list: unknown[] = []
    const seen = new Set<string>()
    for (let i = 0; i < count; i++) {
      const nodes = i < prefix.length ? [prefix[i]] : items
      const needed = i >= prefix.length && i - prefix.length < wanted ? contains : []
      const item = this.#item([...nodes, ...needed], below(making, `${i}`, making.name), isUnique ? seen : undefined)
      if (item !== undefined) list.push(item.value)
      else if (i < min) throw new Unmade(path, 'uniqueItems', `no ${min} different items were found`)
      else break
    }
    return list
  }

  /** An item that differs from all items in `seen`; `undefined` if none was found. */
  #item(
    nodes: readonly unknown[],
    making: Making,
    seen: Set<string> | undefined,
  ): { readonly value: unknown } | undefined {
    for (let i = 0; i < 20; i++) {
      const value = this.#value(nodes, making)
      if (seen === undefined) return { value }
      const text = canonicalText(value)
      if (!seen.has(text)) {
        seen.add(text)
        return { value }
      }
    }
    return undefined
  }
}

const below = (making: Making, name: string, hint = name): Making => ({
  ...making,
  name: hint,
  path: making.path === '' ? name : `${making.path}.${name}`,
  depth: making.depth + 1,
})

/**
 * An example or the `default` in the schema. After the first record, a `default` is used only with
 * a probability of 0.3, so that the records of a list differ.
 */
function givenValue(parts: readonly JsonSchema[], { random, first }: Making): { readonly value: unknown } | undefined {
  const examples = all(parts, 'examples').find((list): list is readonly unknown[] => isList(list) && list.length > 0)
  if (examples !== undefined) return { value: first ? examples[0] : random.one(examples) }
  const [example] = all(parts, 'example')
  if (example !== undefined) return { value: example }
  const [fallback] = all(parts, 'default')
  return fallback !== undefined && fallback !== null && (first || random.chance(0.3)) ? { value: fallback } : undefined
}

/**
 * One of the values that every `enum` and `const` allows. If null and other values are allowed,
 * null is chosen with the probability `gaps`.
 */
function listedValue(
  parts: readonly JsonSchema[],
  { random, gaps, path }: Making,
): { readonly value: unknown } | undefined {
  const lists = [...all(parts, 'enum').filter(isList), ...all(parts, 'const').map((value) => [value])]
  const [values, ...others] = lists
  if (values === undefined) return undefined
  const texts = others.map((list) => new Set(list.map(canonicalText)))
  const types = typesOf(parts)
  const common = values.filter(
    (value) =>
      texts.every((list) => list.has(canonicalText(value))) && (types === undefined || isOf(types, kindOf(value))),
  )
  const real = common.filter((value) => value !== null)
  if (common.length === 0) throw new Unmade(path, 'enum', 'no value of the right type is in every "enum" and "const"')
  return { value: real.length === 0 || (real.length < common.length && random.chance(gaps)) ? null : random.one(real) }
}

const isOf = (types: ReadonlySet<string>, kind: string): boolean =>
  types.has(kind) || (kind === 'integer' && types.has('number'))

/** The types that all of these schemas allow; `undefined` if no schema restricts the types. */
function typesOf(parts: readonly JsonSchema[]): ReadonlySet<string> | undefined {
  let types: Set<string> | undefined
  for (const given of all(parts, 'type')) {
    const more = new Set([given].flat().map(String))
    if (types === undefined) types = more
    else {
      const both = [...types].filter((type) => isOf(more, type))
      // The common type of integer and number is integer.
      types = new Set([...both, ...[...more].filter((type) => isOf(types as Set<string>, type))])
    }
  }
  return types
}

/** The type of the generated value. Throws `Unmade` if the schemas have no common type. */
function typeOf(parts: readonly JsonSchema[], { random, gaps, path }: Making): string {
  const types = typesOf(parts)
  if (types === undefined) return impliedType(parts)
  if (types.size === 0) throw new Unmade(path, 'type', 'its schemas have no type in common')
  const real = [...types].filter((type) => type !== 'null')
  if (real.length === 0 || (real.length < types.size && random.chance(gaps))) return 'null'
  return random.one(real)
}

const implied: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  [
    'object',
    ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties', 'dependentRequired'],
  ],
  ['array', ['items', 'prefixItems', 'minItems', 'contains', 'uniqueItems']],
  ['number', ['minimum', 'maximum', 'multipleOf', 'exclusiveMinimum', 'exclusiveMaximum']],
]

/** The type that the keywords of a schema imply; string by default. */
function impliedType(parts: readonly JsonSchema[]): string {
  const formats = all(parts, 'format')
  if (
    formats.some((format) => ['int32', 'float', 'double'].includes(String(format)) && !formatTexts.has(String(format)))
  )
    return 'number'
  return (
    implied.find(([, keywords]) =>
      parts.some((part) => keywords.some((keyword) => part[keyword] !== undefined)),
    )?.[0] ?? 'string'
  )
}
