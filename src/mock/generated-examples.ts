/** Examples for OpenAPI documents, generated from their schemas. */
import type { JsonSchema } from '../definition/schema-types.js'
import { gapsOf } from '../examples/record-maker.js'
import { Unmade } from '../examples/unmade.js'
import { Values } from '../examples/values.js'
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import type { ExampleSource } from '../plan/example-source.js'
import { Random } from '../random.js'
import { seedKind } from './example-records.js'

export interface GeneratedExamplesOptions {
  /** An integer. The same seed gives the same examples. Default 1. */
  readonly seed?: number
}

export const generatedExamplesKinds: Kinds<GeneratedExamplesOptions> = { seed: seedKind }

/**
 * The maximum number of attempts for an example. If all attempts fail, the document has no example.
 */
const tries = 20

/**
 * Returns a generator of examples for request and response bodies that have none. The examples are
 * the same each time the document is built. Each example matches its schema. Throws
 * `ConfigurationError` if an option is invalid.
 *
 * @example api({ describe: { examples: generatedExamples() }, versions })
 */
export function generatedExamples(options: GeneratedExamplesOptions = {}): ExampleSource {
  const { seed = 1 } = checkOptions<GeneratedExamplesOptions>('generatedExamples()', options, generatedExamplesKinds)
  return {
    *candidates(name: string, schema: JsonSchema): Iterable<unknown> {
      const values = new Values(schema)
      for (let attempt = 0; attempt < tries; attempt++) {
        const first = attempt === 0
        try {
          yield values.make({
            random: Random.of(seed, name, attempt),
            gaps: gapsOf(0, attempt),
            given: attempt < tries / 2,
            first,
            name: '',
            path: '',
            depth: 0,
          })
        } catch (error) {
          if (!(error instanceof Unmade)) throw error
        }
      }
    },
  }
}
