/** Example records of one resource, for seeds and tests. */
import { checkDefinition, type ResourceDefinition } from '../definition/resource.js'
import { linkedRecords, type Subject } from '../examples/linked-records.js'
import { checkOptions } from '../options/check.js'
import { count, type Kinds, type NumberKind } from '../options/kinds.js'
import { compileResource } from '../plan/resource-plan.js'
import { brokenRule } from './rules.js'

export interface ExampleRecordsOptions {
  /**
   * The number of records. If the key has fewer possible values, there are fewer records. Default
   * 25.
   */
  readonly count?: number
  /** An integer. The same seed gives the same records. Default 1. */
  readonly seed?: number
}

/** The valid seeds. A seed has 32 bits. */
export const seedKind: NumberKind = { from: -(2 ** 31), to: 2 ** 32 - 1, whole: true }

export const exampleRecordsKinds: Kinds<ExampleRecordsOptions> = { count, seed: seedKind }

/**
 * Returns valid records of a resource, in the form in which a store keeps them. Values in
 * `examples`, `example` and `default` of the schema are used first. Members that refer to other
 * resources contain keys of the right type, but records with these keys need not exist.
 *
 * Throws `ConfigurationError` if an option is invalid. Rejects with `ConfigurationError`
 * `no-example` if no record that satisfies the schema and the rules was found. If the rules throw,
 * rejects with their error.
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
