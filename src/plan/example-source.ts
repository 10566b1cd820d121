/** The generator of examples for a document. */
import type { JsonSchema } from '../definition/schema-types.js'

/**
 * The result of `generatedExamples()` of `express-rest-conventions/mock`. The generator is loaded
 * only by services that use it.
 */
export interface ExampleSource {
  /**
   * Candidate values of a schema, one for each attempt; the caller validates them. Empty if none
   * can be generated.
   */
  candidates(name: string, schema: JsonSchema): Iterable<unknown>
}
