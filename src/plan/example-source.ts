/** The type of the generator that adds examples to OpenAPI documents. */
import type { JsonSchema } from '../definition/schema-types.js'

/**
 * The result of `generatedExamples()` of `express-rest-conventions/mock`. Only services that use
 * the generator load it.
 */
export interface ExampleSource {
  /**
   * Yields candidate examples for a schema. The caller takes the first valid candidate. Yields no
   * candidates if no value can be generated.
   */
  candidates(name: string, schema: JsonSchema): Iterable<unknown>
}
