/** `adapterSuite()` returns the adapter contract as checks that any test runner can run. */
import type { Awaitable } from '../adapters/contract.js'
import type { ResourceDefinition } from '../definition/resource.js'
import type { Check, Need, OptionalMethod } from './check.js'
import { checks } from './checks/index.js'
import { ContractError } from './contract-error.js'
import { type Subject, subjects } from './fixtures.js'
import { checkSuiteOptions, optionalMethods } from './options.js'
import type { Row } from './row.js'
import { type AnyAdapter, divided, Stage } from './stage.js'

/** The data for which an adapter is made. */
export interface AdapterFixture<T = Row> {
  /**
   * The resource. An adapter over tables can choose the table by the `collection` of the resource.
   */
  readonly definition: ResourceDefinition
  /** When the check begins, the store must contain exactly these records. */
  readonly records: readonly T[]
}

/** An adapter with its peers and its cleanup. */
export interface MadeAdapter {
  readonly adapter: AnyAdapter
  /**
   * Other adapters over the same store, like those of other processes. Some checks spread their
   * calls over the adapter and its peers.
   */
  readonly peers?: readonly AnyAdapter[]
  /** Called after the check, whether it passed or failed. */
  readonly close?: () => Awaitable<void>
}

/**
 * Makes an adapter over a store that contains only the records of the fixture. Called once for each
 * check.
 */
export type MakeAdapter<T = Row> = (fixture: AdapterFixture<T>) => Awaitable<AnyAdapter | MadeAdapter>

/** Your own resource, which checks use instead of a resource of the suite. */
export interface SuiteSubject<T, K = unknown> {
  readonly definition: ResourceDefinition<T, K>
  /** At least eight valid records with different keys. */
  readonly records: readonly NoInfer<T>[]
  /**
   * Returns a copy of the record with the same key and another value. The value must be different
   * for each integer `n` from 0, and the same for the same `n`.
   */
  readonly change: (record: NoInfer<T>, n: number) => NoInfer<T>
}

/** The options of `adapterSuite`. */
export interface AdapterSuiteOptions<T = Row, K = unknown> {
  /**
   * The methods that the adapter does not offer, each with a reason. The checks that need these
   * methods are left out.
   */
  readonly without?: Readonly<Partial<Record<OptionalMethod, string>>>
  /**
   * `other` if totals are estimated, bounded or omitted. The checks of totals are then left out.
   * Default `exact`.
   */
  readonly counts?: 'exact' | 'other'
  /**
   * Whether the store has full-text search (`q`). If it does not, the checks of search are left
   * out. Default true.
   */
  readonly search?: boolean
  /**
   * Your own resource. It is used in all checks that work with any resource. Checks that need a
   * resource of the suite are left out.
   */
  readonly subject?: SuiteSubject<T, K>
  /** The timeout of each call, in milliseconds. Default 10,000. */
  readonly timeout?: number
  /**
   * The seed of the `random/` checks, an integer. The same seed generates the same calls. Default
   * 1.
   */
  readonly seed?: number
}

/** A check of one requirement of the contract. */
export interface AdapterCheck {
  /** The id of the check, such as `races/replace`. An id never changes. */
  readonly id: string
  /** The requirement of the contract that the check verifies. */
  readonly title: string
  /**
   * Runs the check. Rejects with `ContractError` if the adapter violates the requirement, or if one
   * of the adapter's methods fails.
   */
  run(): Promise<void>
}

/** The checks to run, and in `skipped` the checks that are left out. */
export interface AdapterSuite extends ReadonlyArray<AdapterCheck> {
  readonly skipped: readonly { readonly id: string; readonly reason: string }[]
}

/**
 * Returns the checks of the adapter contract (docs/adapters.md), for any test runner.
 *
 * Throws `ConfigurationError` if an option is unknown or has an invalid value.
 *
 * @example
 * const suite = adapterSuite(({ definition, records }) => memoryAdapter(definition, { records }))
 * for (const check of suite) {
 *   test(`${check.id}: ${check.title}`, check.run)
 * }
 */
export function adapterSuite<T = Row, K = unknown>(
  makeAdapter: MakeAdapter<NoInfer<T>>,
  options: AdapterSuiteOptions<T, K> = {},
): AdapterSuite {
  checkSuiteOptions(makeAdapter, options)
  const own = options.subject as unknown as Subject | undefined
  const skipped: { id: string; reason: string }[] = []
  const run: AdapterCheck[] = []
  for (const check of [offered(options), ...checks]) {
    const subject = check.on === 'any' ? (own ?? subjects.parcels) : subjects[check.on]
    const reason = reasonToSkip(check, subject, options)
    if (reason !== undefined) skipped.push({ id: check.id, reason })
    else
      run.push({
        id: check.id,
        title: check.title,
        run: () => play(check, subject, makeAdapter as MakeAdapter, options),
      })
  }
  return Object.freeze(Object.assign(run, { skipped: Object.freeze(skipped) }))
}

function reasonToSkip<T, K>(check: Check, subject: Subject, options: AdapterSuiteOptions<T, K>): string | undefined {
  if (options.subject !== undefined && check.on !== 'any') return `needs the resource "${check.on}" of the suite`
  const missing = missingOf(options)
  for (const need of check.needs ?? []) if (missing.has(need)) return missing.get(need)
  return check.lacks?.(subject)
}

/** The features that the adapter does not offer according to the options, with reasons. */
function missingOf<T, K>({
  without = {},
  counts = 'exact',
  search = true,
}: AdapterSuiteOptions<T, K>): ReadonlyMap<Need, string> {
  const missing = new Map<Need, string>()
  if (counts !== 'exact') missing.set('total', 'the store does not count exactly')
  if (!search) missing.set('search', 'the store has no search')
  for (const method of optionalMethods)
    if (without[method] !== undefined) missing.set(method, `without ${method}: ${without[method]}`)
  return missing
}

/**
 * Returns a check. It verifies that the option `without` names exactly the methods that the adapter
 * does not offer.
 */
function offered<T, K>({ without = {} }: AdapterSuiteOptions<T, K>): Check {
  return {
    id: 'methods/offered',
    title:
      'An adapter offers every method except those in the option "without". ' +
      'The service responds with 405 to requests that need a missing method.',
    on: 'any',
    async run({ adapter }) {
      for (const method of optionalMethods) {
        const there = adapter[method] !== undefined
        if (there && without[method] !== undefined)
          throw new ContractError(`Expected no ${method}(), because "without" names it, but the adapter has it.`)
        if (!there && without[method] === undefined)
          throw new ContractError(`Expected ${method}(), because "without" does not name it, but the adapter lacks it.`)
      }
    },
  }
}

/** Runs a check on a new adapter. Errors of the check contain its id and its title. */
async function play<T, K>(
  check: Check,
  subject: Subject,
  makeAdapter: MakeAdapter,
  options: AdapterSuiteOptions<T, K>,
): Promise<void> {
  const { definition } = subject
  const made = await makeAdapter({ definition, records: structuredClone(divided(subject.records).held) })
  const { adapter, peers = [], close } = 'adapter' in made ? made : ({ adapter: made } as MadeAdapter)
  try {
    const { timeout = 10_000, seed = 1 } = options
    await check.run(
      new Stage(subject, [adapter, ...peers], { timeout, seed, without: new Set(missingOf(options).keys()) }),
    )
  } catch (error) {
    const what =
      error instanceof ContractError
        ? error.message
        : `The adapter threw: ${error instanceof Error ? error.message : String(error)}`
    throw new ContractError(`${what}\nThe contract (${check.id}): ${check.title}`, { cause: error })
  } finally {
    await close?.()
  }
}
