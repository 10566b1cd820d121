/** Example records of one resource, for seeds and tests of a team. */
import { checkDefinition, type ResourceDefinition } from '../definition/resource.js'
import { linkedRecords, type Subject } from '../examples/linked-records.js'
import { checkOptions } from '../options/check.js'
import { count, type Kinds, type NumberKind } from '../options/kinds.js'
import { compileResource } from '../plan/resource-plan.js'
import { brokenRule } from './rules.js'

export interface ExampleRecordsOptions {
  /** How many records. There are fewer where the key has fewer values. Default 25. */
  readonly count?: number
  /** A whole number. The same seed makes the same records. Default 1. */
  readonly seed?: number
}

/** A seed: 32 bits. */
export const seedKind: NumberKind = { from: -(2 ** 31), to: 2 ** 32 - 1, whole: true }

export const exampleRecordsKinds: Kinds<ExampleRecordsOptions> = { count, seed: seedKind }

/**
 * Valid records of a resource, as a store holds them. What the schema gives as `examples`, `example` and `default` comes first. Members that lead to other
 * resources hold keys of their type, whether there are such records or not.
 *
 * Throws `ConfigurationError` where an option makes no sense. Rejects with one (`no-example`) where no record could be made that fits the schema and
 * the rules, and with what rules throw.
 *
 * @example const records = await exampleRecords(orders, { count: 100 })
 */
export function exampleRecords<T>(
  definition: ResourceDefinition<T>,
  options: ExampleRecordsOptions = {},
): Promise<T[]> {
  checkDefinition('exampleRecords()', definition)
  const { count: wanted = 25, seed = 1 } = checkOptions<ExampleRecordsOptions>(
    'exampleRecords()',
    options,
    exampleRecordsKinds,
  )
  return records(definition as ResourceDefinition, wanted, seed) as Promise<T[]>
}

async function records(definition: ResourceDefinition, wanted: number, seed: number): Promise<unknown[]> {
  const broken = brokenRule(definition, undefined, (error) => {
    throw error
  })
  const subject: Subject = {
    definition,
    validate: compileResource(definition).validate,
    count: wanted,
    given: undefined,
    fixed: {},
    leadsTo: new Map(),
    ...(broken === undefined ? {} : { broken }),
  }
  const made = await linkedRecords([subject], seed)
  return [...(made.get(definition)?.records ?? [])]
}
