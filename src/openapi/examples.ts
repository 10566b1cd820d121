/** The examples of a document are held against their schemas: one that does not fit would teach clients a mistake. */
import { isList, isObject, type JsonObject } from '../definition/json.js'
import { ConfigurationError } from '../problem.js'
import type { OpenApiDocument } from './document.js'
import { Validators } from './strict/validators.js'

interface Example {
  readonly value: unknown
  /** Where its schema stands. */
  readonly schema: readonly string[]
  /** What messages call it. */
  readonly name: string
}

/** Throws `ConfigurationError` for an example that does not fit its schema. */
export function checkExamples(document: OpenApiDocument): void {
  const examples = [...ofBodies(document), ...ofSchemas(document.components.schemas ?? {}, ['components', 'schemas'])]
  // Most documents have none, and need no validators.
  if (examples.length === 0) return
  const validators = new Validators(document)
  for (const { value, schema, name } of examples) {
    const [fault] = validators.faults(value, schema)
    if (fault === undefined) continue
    throw new ConfigurationError('description-unfit', `${name} does not fit its schema: ${fault}. Mend the example.`)
  }
}

/** Those that teams give to operations. */
function ofBodies({ paths }: OpenApiDocument): readonly Example[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const body = isObject(operation) ? operation.requestBody : undefined
      if (!isObject(body) || !isObject(body.content)) return []
      return Object.entries(body.content).flatMap(([type, media]) =>
        Object.entries(isObject(media) && isObject(media.examples) ? media.examples : {}).map(([name, example]) => ({
          value: isObject(example) ? example.value : undefined,
          schema: ['paths', path, method, 'requestBody', 'content', type, 'schema'],
          name: `The example "${name}" of ${method.toUpperCase()} ${path}`,
        })),
      )
    }),
  )
}

/** Words of schemas whose values are data, in which nothing is a schema. */
const data: ReadonlySet<string> = new Set(['examples', 'example', 'default', 'enum', 'const'])

/** Those that stand in schemas. */
function ofSchemas(node: Readonly<JsonObject>, place: readonly string[]): readonly Example[] {
  const own = isList(node.examples)
    ? node.examples.map((value) => ({
        value,
        schema: place,
        name: `An example of the schema at "${place.slice(2).join('/')}"`,
      }))
    : []
  const below = Object.entries(node).flatMap(([word, value]) => {
    if (data.has(word) && place.length > 2) return []
    if (isList(value))
      return value.flatMap((one, at) => (isObject(one) ? ofSchemas(one, [...place, word, String(at)]) : []))
    return isObject(value) ? ofSchemas(value, [...place, word]) : []
  })
  return [...own, ...below]
}
