/** What makes examples for a document. */
import type { JsonSchema } from '../definition/schema-types.js'

/** What `generatedExamples()` of `express-rest-conventions/mock` makes: nobody else loads what makes examples. */
export interface ExampleSource {
  /** Values of a schema, one for each try: to be held against it. Nothing where none can be made. */
  candidates(name: string, schema: JsonSchema): Iterable<unknown>
}
