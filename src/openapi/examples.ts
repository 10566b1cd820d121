/**
 * Validates examples in a document against their schemas: the examples of request bodies and the
 * examples in component schemas.
 */
import { isList, isObject, type JsonObject } from '../definition/json.js'
import { ConfigurationError } from '../problem.js'
import type { OpenApiDocument } from './document.js'
import { placeAt } from './strict/places.js'
import { Validators } from './strict/validators.js'

interface Example {
  readonly value: unknown
  /** The path in the document to the schema of the example. */
  readonly schema: readonly string[]
  /** The name of the example in messages. */
  readonly name: string
}

/** Throws `ConfigurationError` if an example does not match its schema. */
export function checkExamples(document: OpenApiDocument): void {
  const examples = [...ofBodies(document), ...ofSchemas(document.components.schemas ?? {}, ['components', 'schemas'])]
  // Compiling validators is expensive, and most documents have no examples.
  if (examples.length === 0) return
  const validators = new Validators(document)
  for (const { value, schema, name } of examples) {
    const [fault] = validators.faults(value, schema)
    if (fault === undefined) continue
    throw new ConfigurationError(
      'description-unfit',
      `${name} does not match its schema: ${fault}. Correct the example.`,
    )
  }
}

/** Returns the examples of request bodies. Bodies and examples may be references to components. */
function ofBodies(document: OpenApiDocument): readonly Example[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).flatMap((method) => {
      const body = placeAt(document, ['paths', path, method, 'requestBody'])
      if (body === undefined || !isObject(body.value.content)) return []
      return Object.entries(body.value.content).flatMap(([type, media]) => {
        if (!isObject(media) || !isObject(media.schema)) return []
        const place = [...body.tokens, 'content', type]
        return Object.keys(isObject(media.examples) ? media.examples : {}).flatMap((name) => {
          const example = placeAt(document, [...place, 'examples', name])?.value
          // An example without a value is at the URL in `externalValue`.
          if (example === undefined || !Object.hasOwn(example, 'value')) return []
          const title = `The example "${name}" of ${method.toUpperCase()} ${path}`
          return [{ value: example.value, schema: [...place, 'schema'], name: title }]
        })
      })
    }),
  )
}

/** Keywords whose values are user data. Nothing inside these values is a schema. */
const dataKeywords: ReadonlySet<string> = new Set(['examples', 'example', 'default', 'enum', 'const'])

/** Returns the examples inside schemas. */
function ofSchemas(node: Readonly<JsonObject>, place: readonly string[]): readonly Example[] {
  const own = isList(node.examples)
    ? node.examples.map((value) => ({
        value,
        schema: place,
        name: `An example of the schema at "${place.slice(2).join('/')}"`,
      }))
    : []
  const below = Object.entries(node).flatMap(([word, value]) => {
    if (dataKeywords.has(word) && place.length > 2) return []
    if (isList(value))
      return value.flatMap((one, at) => (isObject(one) ? ofSchemas(one, [...place, word, String(at)]) : []))
    return isObject(value) ? ofSchemas(value, [...place, word]) : []
  })
  return [...own, ...below]
}
