/** A value that fits a schema, for the curl commands. */
import { isObject } from '../definition/json.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { Values } from '../examples/values.js'
import type { OpenApiDocument } from '../openapi/document.js'
import { Random } from '../random.js'

/**
 * The first example of a schema, or else a value made by its rules, of an object the members that are
 * required: the same each time. `name`: what it is a value of. `undefined` where none could be made.
 */
export function sampleOf(document: OpenApiDocument, schema: unknown, name: string): unknown {
  if (!isObject(schema)) return 'text'
  const making = { random: Random.of(1, name), gaps: 1, given: true, first: true, name, path: '', depth: 0 }
  try {
    return new Values(document as unknown as JsonSchema).of(schema, making)
  } catch {
    // The schema may be contradictory, or have dangling references or invalid patterns. A page is not the place to report this.
    return undefined
  }
}
