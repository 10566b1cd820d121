/** Values that match a schema of a document, for property tests. */
import fc from 'fast-check'
import { isList, isObject, type JsonObject } from '../../../src/definition/json.js'
import type { OpenApiDocument } from '../../../src/openapi/index.js'

export type Schema = Readonly<Record<string, unknown>>

/** Valid strings, by format. */
const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'date-time': fc
    .date({ min: new Date(0), max: new Date('9998-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  date: fc
    .date({ min: new Date(0), max: new Date('9998-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  time: fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(-13)),
  duration: fc.constantFrom('P1Y2M10DT2H30M', 'PT0S', 'P3W', 'PT1.5S'),
  uuid: fc.uuid(),
  email: fc.emailAddress(),
  uri: fc.webUrl(),
  'uri-reference': fc.webPath(),
  ipv4: fc.ipV4(),
  int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
}

/**
 * The pattern without its lookaheads, which fast-check does not support. The caller filters the
 * generated strings by the whole pattern.
 */
function generative(pattern: string): RegExp {
  let source = pattern
  for (let start = source.search(/\(\?[!=]/); start >= 0; start = source.search(/\(\?[!=]/)) {
    let end = start
    for (let open = 0; end < source.length; end += 1) {
      if (source[end] === '\\') end += 1
      else if (source[end] === '(') open += 1
      else if (source[end] === ')') {
        open -= 1
        if (open === 0) break
      }
    }
    source = source.slice(0, start) + source.slice(end + 1)
  }
  return new RegExp(source === '^' ? '^[^]*$' : source, 'u')
}

/** Short strings of several kinds. A few have control characters. */
const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
)

const anyValue = fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('"__proto__"'))

/** Generates values for the schemas of one document. */
export class Fitting {
  readonly #document: OpenApiDocument

  constructor(document: OpenApiDocument) {
    this.#document = document
  }

  /**
   * The schema that a reference leads to, with the keywords next to the reference. A schema without
   * a reference is returned unchanged.
   */
  resolved(value: unknown): Schema {
    if (!isObject(value)) return {}
    const { $ref, ...siblings } = value
    if (typeof $ref !== 'string') return value
    let target: unknown = this.#document
    for (const token of $ref.slice(2).split('/'))
      target = (target as JsonObject)[token.replaceAll('~1', '/').replaceAll('~0', '~')]
    return { ...this.resolved(target), ...siblings }
  }

  /**
   * A schema merged with all of its `allOf`, and with the branch of its `anyOf` or `oneOf` that
   * `choice` selects.
   */
  flat(schema: unknown, choice = 0): Schema {
    const { allOf, anyOf, oneOf, ...rest } = this.resolved(schema)
    const branches = isList(anyOf) ? anyOf : isList(oneOf) ? oneOf : []
    const parts = [
      ...(isList(allOf) ? allOf : []),
      ...(branches.length === 0 ? [] : [branches[choice % branches.length]]),
    ]
    return parts.map((part) => this.flat(part)).reduce<Schema>(together, rest)
  }

  of(schema: unknown, depth = 0): fc.Arbitrary<unknown> {
    const { anyOf, oneOf } = this.resolved(schema)
    const count = isList(anyOf) ? anyOf.length : isList(oneOf) ? oneOf.length : 1
    return fc.oneof(...Array.from({ length: count }, (_, choice) => this.#ofFlat(this.flat(schema, choice), depth)))
  }

  #ofFlat(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    if (isList(schema.enum)) return fc.constantFrom(...schema.enum)
    if (schema.const !== undefined) return fc.constant(schema.const)
    const types = [schema.type ?? typeBy(schema)].flat().map(String)
    return fc.oneof(...types.map((type) => this.#typed(type, schema, depth)))
  }

  #typed(type: string, schema: Schema, depth: number): fc.Arbitrary<unknown> {
    switch (type) {
      case 'null':
        return fc.constant(null)
      case 'boolean':
        return fc.boolean()
      case 'integer':
        return integers(schema)
      case 'number':
        return fc.double({ noNaN: true, noDefaultInfinity: true, ...bounds(schema) }).map((value) => value + 0)
      case 'string':
        return texts(schema)
      case 'array':
        return this.#arrays(schema, depth)
      case 'object':
        return this.#objects(schema, depth)
      default:
        return anyValue
    }
  }

  #arrays(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    const {
      items,
      minItems = 0,
      maxItems = Number(minItems) + 3,
      uniqueItems,
    } = schema as Record<string, number | undefined>
    const least = Number(minItems)
    const maxCount = Math.max(least, Math.min(Number(maxItems), depth > 3 ? least : least + 3))
    const item = this.of(items ?? {}, depth + 1)
    return uniqueItems === undefined
      ? fc.array(item, { minLength: least, maxLength: maxCount })
      : fc.uniqueArray(item, { minLength: least, maxLength: maxCount, selector: (value) => JSON.stringify(value) })
  }

  #objects(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    const { properties, required, additionalProperties } = schema
    const needed = isList(required) ? required.map(String) : []
    const members = isObject(properties) ? properties : {}
    const wanted = Object.keys(members).filter((name) => depth <= 3 || needed.includes(name))
    const model = Object.fromEntries(wanted.map((name) => [name, this.of(members[name], depth + 1)]))
    const requiredKeys = needed.filter((name) => Object.hasOwn(model, name))
    const known = fc.record(model, { requiredKeys })
    if (additionalProperties === false || depth > 2) return known.map((value) => ({ ...value }))
    const other = isObject(additionalProperties) ? this.of(additionalProperties, depth + 1) : anyValue
    const name = fc
      .string({ minLength: 1, maxLength: 5 })
      .filter((key) => key !== '__proto__' && !Object.hasOwn(members, key))
    return fc
      .tuple(fc.dictionary(name, other, { maxKeys: 2 }), known)
      .map(([others, value]) => ({ ...others, ...value }))
  }
}

const typeBy = (schema: Schema): string =>
  isObject(schema.properties) || isList(schema.required) ? 'object' : schema.items !== undefined ? 'array' : 'any'

function together(one: Schema, other: Schema): Schema {
  const required = [one.required, other.required].filter(isList).flat()
  return {
    ...one,
    ...other,
    ...(isObject(one.properties) && isObject(other.properties)
      ? { properties: { ...one.properties, ...other.properties } }
      : {}),
    ...(required.length > 0 ? { required } : {}),
  }
}

function bounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): { min?: number; max?: number } {
  const min = minimum ?? exclusiveMinimum
  const max = maximum ?? exclusiveMaximum
  return { ...(min === undefined ? {} : { min: Number(min) }), ...(max === undefined ? {} : { max: Number(max) }) }
}

function integers(schema: Schema): fc.Arbitrary<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = bounds(schema)
  const small = fc.integer({ min: Math.max(min, -(2 ** 31)), max: Math.min(max, 2 ** 31 - 1) })
  const large = fc.bigInt({ min: BigInt(min), max: BigInt(max) }).map(Number)
  return fc.oneof({ weight: 3, arbitrary: small }, { weight: 1, arbitrary: large })
}

function texts({ format, pattern, minLength = 0, maxLength }: Schema): fc.Arbitrary<string> {
  const least = Number(minLength)
  const fits = (text: string): boolean => {
    const { length } = [...text]
    return length >= least && (maxLength === undefined || length <= Number(maxLength))
  }
  if (typeof pattern === 'string') {
    const exact = new RegExp(pattern, 'u')
    return fc.stringMatching(generative(pattern)).filter((text) => exact.test(text) && fits(text))
  }
  const known = typeof format === 'string' ? formats[format] : undefined
  const text = known ?? (least === 0 ? anyText : anyText.map((one) => one.padEnd(least, 'x')))
  return maxLength === undefined ? text : text.map((one) => [...one].slice(0, Number(maxLength)).join(''))
}
