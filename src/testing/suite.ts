/** `adapterSuite`: the contract as checks that any test runner can run. */
import type { Awaitable } from '../adapters/contract.js'
import type { ResourceDefinition } from '../definition/resource.js'
import type { Check, Need, OptionalMethod } from './check.js'
import { checks } from './checks/index.js'
import { ContractError } from './contract-error.js'
import { type Subject, subjects } from './fixtures.js'
import { checkSuiteOptions, optionalMethods } from './options.js'
import type { Row } from './row.js'
import { type AnyAdapter, divided, Stage } from './stage.js'

/** What an adapter is to be made for. */
export interface AdapterFixture<T = Row> {
  /** The resource; tables can be made by its `collection`. */
  readonly definition: ResourceDefinition
  /** What the store holds when the check begins, and nothing else. */
  readonly records: readonly T[]
}

/** An adapter with what belongs to it. */
export interface MadeAdapter {
  readonly adapter: AnyAdapter
  /** Other adapters over the same store, as other processes would have: concurrent checks spread their calls over all of them. */
  readonly peers?: readonly AnyAdapter[]
  /** Called after the check, whatever came of it. */
  readonly close?: () => Awaitable<void>
}

/** Makes an adapter over a fresh store: called once for each check. */
export type MakeAdapter<T = Row> = (fixture: AdapterFixture<T>) => Awaitable<AnyAdapter | MadeAdapter>

/** A resource of the team's own, to be held to the contract in place of the suite's. */
export interface SuiteSubject<T, K = unknown> {
  readonly definition: ResourceDefinition<T, K>
  /** At least eight valid records with different keys. */
  readonly records: readonly NoInfer<T>[]
  /** The same record, the key included, with a change in it: another value for each `n` from 0, and always the same for the same `n`. */
  readonly change: (record: NoInfer<T>, n: number) => NoInfer<T>
}

/** What `adapterSuite` may be told. */
export interface AdapterSuiteOptions<T = Row, K = unknown> {
  /** Methods that the adapter does not offer, each with its reason. Their checks are left out. */
  readonly without?: Readonly<Partial<Record<OptionalMethod, string>>>
  /** `other` where totals are estimated, bounded or not given: the checks of them are left out. Default `exact`. */
  readonly counts?: 'exact' | 'other'
  /** False where the store has no full-text search: the checks of `q` are left out. Default true. */
  readonly search?: boolean
  /** Checks what holds for any resource on this one. What needs members that only the suite's own resources have is left out. */
  readonly subject?: SuiteSubject<T, K>
  /** Milliseconds in which each call must answer. Default 10,000. */
  readonly patience?: number
  /**
   * A whole number from which the `random/` checks make up their questions: the same seed gives the
   * same questions. Default 1.
   */
  readonly seed?: number
}

/** One sentence of the contract. */
export interface AdapterCheck {
  /** Never changes: `races/replace`. */
  readonly id: string
  /** The sentence. */
  readonly title: string
  /** Throws `ContractError` where the adapter breaks it. */
  run(): Promise<void>
}

/** The checks to run, and those that were left out. */
export interface AdapterSuite extends ReadonlyArray<AdapterCheck> {
  readonly skipped: readonly { readonly id: string; readonly reason: string }[]
}

/**
 * Checks that hold an adapter to every sentence of the contract (docs/adapters.md), for any test runner.
 *
 * Throws `ConfigurationError` where an option is unknown or has a value that means nothing.
 *
 * @example
 * for (const check of adapterSuite(({ definition, records }) => memoryAdapter(definition, { records }))) {
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
  if (options.subject !== undefined && check.on !== 'any') return `plays on ${check.on}, a resource of the suite`
  const missing = missingOf(options)
  for (const need of check.needs ?? []) if (missing.has(need)) return missing.get(need)
  return check.lacks?.(subject)
}

/** What the adapter is said not to offer, and why. */
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

/** The adapter offers what it is said to offer, and nothing else. */
function offered<T, K>({ without = {} }: AdapterSuiteOptions<T, K>): Check {
  return {
    id: 'methods/offered',
    title: 'An adapter offers every method but those that it is said to be without; what is absent is 405.',
    on: 'any',
    async run({ adapter }) {
      for (const method of optionalMethods) {
        const there = adapter[method] !== undefined
        if (there && without[method] !== undefined)
          throw new ContractError(`Expected no ${method}(), which "without" names; there is one.`)
        if (!there && without[method] === undefined)
          throw new ContractError(`Expected ${method}(); there is none, and "without" does not say why.`)
      }
    },
  }
}

/** Runs a check on a fresh adapter; what goes wrong names the check and its sentence. */
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
    const { patience = 10_000, seed = 1 } = options
    await check.run(
      new Stage(subject, [adapter, ...peers], { patience, seed, without: new Set(missingOf(options).keys()) }),
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
