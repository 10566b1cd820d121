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
  /** A whole number. The same seed makes the same examples. Default 1. */
  readonly seed?: number
}

export const generatedExamplesKinds: Kinds<GeneratedExamplesOptions> = { seed: seedKind }

/** Maximum attempts for an example. After them the document omits it, to bound the build time. */
const tries = 20

/**
 * Makes examples for the bodies and answers of a document that the team gives none of, the same whenever it is built. Each is held against its schema.
 * Throws `ConfigurationError` for an option that makes no sense.
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
