/**
 * Generates examples for bodies that have no example. If the type of a body or of its items is a
 * schema in `components` (a named type), the example is added to that schema. Otherwise the body
 * itself gets an example.
 */
import { isList, isObject, type JsonObject, own } from '../definition/json.js'
import type { JsonSchema } from '../definition/schema-types.js'
import type { ExampleSource } from '../plan/example-source.js'
import { mediaType } from '../wire.js'
import type { OpenApiDocument } from './document.js'
import { Validators } from './strict/validators.js'

const prefix = '#/components/schemas/'

/**
 * The media types that get examples. In other media types, the examples would show the same values.
 */
const types: ReadonlySet<string> = new Set([mediaType.json, mediaType.mergePatch])

/**
 * Returns the document with examples. The example of a named type is stored in the type, so it
 * appears only once in the document. An example is validated if it may violate its schema. If no
 * valid example is found, the schema gets no example.
 */
export function withExamples(document: OpenApiDocument, source: ExampleSource): OpenApiDocument {
  const schemas = document.components.schemas ?? {}
  const made = new ExampleBuilder(document, source)
  const typed = new Map<string, unknown>()
  const look = (media: unknown, place: readonly string[]): unknown => {
    if (!isObject(media) || media.example !== undefined || media.examples !== undefined) return media
    const { schema } = media
    const name = typeIn(schema)
    if (name !== undefined && !typed.has(name))
      typed.set(name, withExample(schemas[name], made.of(name, schemas[name], ['components', 'schemas', name])))
    if (name !== undefined || !isObject(schema) || !isInformative(schema)) return media
    const found = made.of(place.join(' '), schema, [...place, 'schema'])
    return found === undefined ? media : { ...media, example: found.value }
  }
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [path, eachMedia(item, ['paths', path], look)]),
  )
  return {
    ...document,
    paths,
    components: {
      ...document.components,
      schemas: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, typed.get(name) ?? schema])),
    },
  }
}

/** If the type of a body or of its items is a named type, returns its name. */
function typeIn(schema: unknown): string | undefined {
  const node = own(schema, 'type') === 'array' ? own(schema, 'items') : schema
  const ref = own(node, '$ref')
  return typeof ref === 'string' && ref.startsWith(prefix) ? ref.slice(prefix.length) : undefined
}

/**
 * Returns false for schemas that get no examples: schemas that allow any value, and the schema of
 * an OpenAPI document.
 */
const isInformative = (schema: JsonObject): boolean =>
  Object.keys(schema).length > 0 && schema.description !== 'An OpenAPI document.'

const withExample = (schema: unknown, found: { readonly value: unknown } | undefined): unknown =>
  found === undefined || !isObject(schema) || isList(schema.examples) ? schema : { ...schema, examples: [found.value] }

type Look = (media: unknown, place: readonly string[]) => unknown

/** Returns a path item in which each media type object is replaced with the result of `look`. */
function eachMedia(item: Readonly<JsonObject>, place: readonly string[], look: Look): JsonObject {
  return Object.fromEntries(
    Object.entries(item).map(([method, operation]) => {
      if (!isObject(operation)) return [method, operation]
      const at = [...place, method]
      const { requestBody, responses } = operation
      const answers = isObject(responses)
        ? Object.entries(responses).map(([status, answer]) => [
            status,
            status.startsWith('2') ? withContent(answer, [...at, 'responses', status], look) : answer,
          ])
        : []
      return [
        method,
        {
          ...operation,
          ...(requestBody === undefined ? {} : { requestBody: withContent(requestBody, [...at, 'requestBody'], look) }),
          ...(answers.length === 0 ? {} : { responses: Object.fromEntries(answers) }),
        },
      ]
    }),
  )
}

function withContent(body: unknown, place: readonly string[], look: Look): unknown {
  if (!isObject(body) || !isObject(body.content)) return body
  const content = Object.entries(body.content).map(([type, media]) => [
    type,
    types.has(type) ? look(media, [...place, 'content', type]) : media,
  ])
  return { ...body, content: Object.fromEntries(content) }
}

/**
 * Keywords that generated values may violate. If a schema has one of these keywords, its values are
 * validated.
 */
const uncertain = [
  '"oneOf"',
  '"not"',
  '"if"',
  '"dependentSchemas"',
  '"patternProperties"',
  '"propertyNames"',
  '"contains"',
  '"multipleOf"',
  '"maxProperties"',
  '"maxContains"',
  '"examples"',
  '"example"',
  '"default"',
  '"unevaluatedItems"',
]

class ExampleBuilder {
  readonly #document: OpenApiDocument
  readonly #source: ExampleSource
  readonly #schemas: JsonObject
  readonly #texts = new Map<unknown, string>()
  readonly #locals = new Map<string, JsonObject>()
  #validators: Validators | undefined

  constructor(document: OpenApiDocument, source: ExampleSource) {
    this.#document = document
    this.#source = source
    this.#schemas = (document.components.schemas ?? {}) as JsonObject
  }

  /** Returns an example of a schema, or `undefined` if no candidate is valid. */
  of(name: string, schema: unknown, place: readonly string[]): { readonly value: unknown } | undefined {
    if (!isObject(schema)) return undefined
    const needed = this.#needed(schema)
    const root = {
      ...local(schema),
      $defs: Object.fromEntries([...needed].map((one) => [one, this.#localType(one)])),
    } as JsonSchema
    const isCertain = [schema, ...[...needed].map((one) => this.#schemas[one])].every((one) => this.#isCertain(one))
    for (const value of this.#source.candidates(name, root)) {
      if (isCertain) return { value }
      this.#validators ??= new Validators(this.#document)
      if (this.#validators.faults(value, place).length === 0) return { value }
    }
    return undefined
  }

  #localType(name: string): JsonObject {
    const known = this.#locals.get(name) ?? local(this.#schemas[name])
    this.#locals.set(name, known)
    return known
  }

  #isCertain(schema: unknown): boolean {
    const text = this.#textOf(schema)
    return !uncertain.some((word) => text.includes(word))
  }

  #textOf(schema: unknown): string {
    const text = this.#texts.get(schema) ?? JSON.stringify(schema)
    this.#texts.set(schema, text)
    return text
  }

  /** Returns the names of the types that a schema references, directly or indirectly. */
  #needed(schema: JsonObject): ReadonlySet<string> {
    const needed = new Set<string>()
    const pending: unknown[] = [schema]
    while (pending.length > 0) {
      for (const [, name = ''] of this.#textOf(pending.pop()).matchAll(/"#\/components\/schemas\/([^"/]+)"/g)) {
        if (needed.has(name) || !isObject(this.#schemas[name])) continue
        needed.add(name)
        pending.push(this.#schemas[name])
      }
    }
    return needed
  }
}

/** Returns a copy of a schema in which references to components point to `#/$defs/` instead. */
const local = (schema: unknown): JsonObject =>
  JSON.parse(JSON.stringify(schema).replaceAll(`"${prefix}`, '"#/$defs/')) as JsonObject
