/** Generates values that match a schema, for the curl commands. */
import { isObject } from '../definition/json.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { Values } from '../examples/values.js'
import type { OpenApiDocument } from '../openapi/document.js'
import { Random } from '../random.js'

/**
 * Returns the first example or the default of a schema, or else a generated value. A generated
 * object has only the required members. The same schema and name always produce the same value.
 * `name`: the name of the parameter or member. The value depends on this name. Returns `'text'` if
 * there is no schema, and `undefined` if no value can be generated.
 */
export function sampleOf(document: OpenApiDocument, schema: unknown, name: string): unknown {
  if (!isObject(schema)) return 'text'
  const making = { random: Random.of(1, name), gaps: 1, given: true, first: true, name, path: '', depth: 0 }
  try {
    return new Values(document as unknown as JsonSchema).of(schema, making)
  } catch {
    // The schema may be contradictory, or contain invalid patterns or references without a target.
    // The pages do not report this.
    return undefined
  }
}
