/** Runs checks one after the other, and repeats the checks that find a violation. */
import { clauseOf, type ListCheck, type ServiceCheck, type WriteCheck } from './check.js'
import { Listing } from './listing.js'
import { listingOf } from './listings.js'
import type { Service } from './service.js'
import type { CollectionTarget } from './target/target.js'
import { NotApplicable, type Outcome, type Result, Unchecked } from './verdict.js'
import type { Ledger } from './write/ledger.js'
import { needsDisposable, Owner } from './write/own-record.js'

/** The total number of runs of a check whose first run has the verdict `breaks`. */
const attempts = 3

/** Called with each result. */
export type OnResult = (result: Result) => void

export async function runServiceChecks(
  service: Service,
  checks: readonly ServiceCheck[],
  report: OnResult,
  direct?: Service,
): Promise<void> {
  for (const check of checks) {
    const outcome = await repeated(() => check.run(service))
    const again = direct === undefined || !isBroken(outcome) ? undefined : await attempt(() => check.run(direct))
    report(resultOf(check, 'service', outcome, again))
  }
}

/**
 * Runs the checks of a collection. If the collection can't be read, each check reports the reason.
 * If `ledger` is given, checks that write are run too. The checks in `disposable` are run only if
 * `ledger.disposable` is true. `direct` is the same service at a URL that bypasses the gateway. If
 * `direct` is given, each check that finds a violation is also run at that URL.
 */
export async function runListChecks(
  service: Service,
  target: CollectionTarget,
  { safe, writing, disposable }: Checks,
  ledger: Ledger | undefined,
  report: OnResult,
  direct?: Service,
): Promise<void> {
  const place = await reached(service, target)
  const broken = new Set<string>()
  const run = async (check: ListCheck | WriteCheck, attempt: (list: Listing) => Promise<Outcome>): Promise<void> => {
    const missing = check.needs?.find((id) => broken.has(id))
    const outcome = await decided(place, missing, attempt)
    if (isBroken(outcome)) broken.add(check.id)
    const again =
      direct === undefined || !isBroken(outcome)
        ? undefined
        : await decided(await reached(direct, target), undefined, attempt)
    report(resultOf(check, target.template, outcome, again))
  }
  for (const check of safe) await run(check, (list) => check.run(list))
  const owned = (list: Listing): Owner => new Owner(list, ledger as Ledger)
  for (const check of ledger === undefined ? [] : writing) {
    const needs = [...neededByWrites, ...(check.needs ?? [])]
    await run({ ...check, needs }, (list) => traced(list, () => check.run(owned(list))))
  }
  for (const check of disposable)
    await run(check, (list) => {
      if (ledger?.disposable !== true) throw new Unchecked(needsDisposable('the check'))
      return traced(list, () => check.run(owned(list)), true)
    })
}

/**
 * Runs a check that writes. If the check finds a violation, the requests of the check are added to
 * the outcome.
 */
async function traced(
  { service, target }: Listing,
  check: () => Promise<Outcome>,
  isHazardous = false,
): Promise<Outcome> {
  const { exchanges } = service.client
  const from = exchanges.length
  const outcome = await check()
  if (outcome.verdict !== 'breaks' && outcome.verdict !== 'flaky') return outcome
  const { create: { marker } = {}, key } = target
  const trace = {
    exchanges: exchanges.slice(from),
    isHazardous,
    ...(marker === undefined ? {} : { marker }),
    ...(key === undefined ? {} : { key }),
  }
  return { ...outcome, trace }
}

/**
 * These checks test what the checks in `writing` rely on: a record can be read, and its entity tag
 * stays the same while the record does not change. If one of them finds a violation, the checks in
 * `writing` are not run.
 */
const neededByWrites = ['VERB-1/item', 'HDR-2/stable'] as const

/**
 * The checks of a collection: those that send only safe requests, and those that create records of
 * their own.
 */
export interface Checks {
  readonly safe: readonly ListCheck[]
  readonly writing: readonly WriteCheck[]
  /** Checks for disposable services only. */
  readonly disposable: readonly WriteCheck[]
}

async function decided(
  place: Listing | Outcome,
  missing: string | undefined,
  attempt: (list: Listing) => Promise<Outcome>,
): Promise<Outcome> {
  if (!(place instanceof Listing)) return place
  if (missing !== undefined) return { verdict: 'unchecked', because: `${missing} breaks` }
  return repeated(
    () => attempt(place),
    () => place.refresh(),
  )
}

async function reached(service: Service, target: CollectionTarget): Promise<Listing | Outcome> {
  try {
    const listing = await listingOf(service, target)
    if (!target.methods.includes('GET')) return listing
    const { status } = (await listing.sample()).answer
    // Without permission to read the list, checks would report violations that do not exist.
    if (status !== 401 && status !== 403) return listing
    const need = service.client.hasPrincipal
      ? 'the first principal must be able to read it'
      : 'no principal was given that can read it'
    return { verdict: 'unchecked', because: `GET ${listing.path} got ${status}: ${need}` }
  } catch (error) {
    return undecided(error)
  }
}

/** Builds the result of a check. `direct` is the outcome at the URL that bypasses the gateway. */
function resultOf(
  check: ListCheck | ServiceCheck | WriteCheck,
  where: string,
  outcome: Outcome,
  direct: Outcome | undefined,
): Result {
  const { id, rule, why, fix } = check
  const compared = direct === undefined ? {} : { direct: direct.verdict }
  return { check: id, clause: clauseOf(check), where, rule, why, fix, outcome, ...compared }
}

const isBroken = ({ verdict }: Outcome): boolean => verdict === 'breaks' || verdict === 'flaky'

/**
 * Runs a check, and repeats the check if its verdict is `breaks`. If all runs have this verdict,
 * the result is the outcome of the first run. If only some runs have this verdict, for example
 * because records changed during the check, the result is `flaky`, with the number of these runs.
 */
async function repeated(run: () => Promise<Outcome>, refresh: () => void = () => {}): Promise<Outcome> {
  const first = await attempt(run)
  if (first.verdict !== 'breaks') return first
  let broken = 1
  for (let more = 1; more < attempts; more++) {
    refresh()
    if ((await attempt(run)).verdict === 'breaks') broken += 1
  }
  return broken === attempts ? first : { ...first, verdict: 'flaky', broken, runs: attempts }
}

async function attempt(run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run()
  } catch (error) {
    return undecided(error)
  }
}

/**
 * Converts the exceptions `NotApplicable` and `Unchecked` to outcomes. Any other exception is a bug
 * in the check and ends the run, so it is thrown again.
 */
function undecided(error: unknown): Outcome {
  if (error instanceof NotApplicable) return { verdict: 'not-applicable', because: error.message }
  if (error instanceof Unchecked) return { verdict: 'unchecked', because: error.message }
  throw error
}
