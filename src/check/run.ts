/** Runs checks one after the other, and repeats those that break. */
import { clauseOf, type ListCheck, type ServiceCheck, type WriteCheck } from './check.js'
import { Listing } from './listing.js'
import { listingOf } from './listings.js'
import type { Service } from './service.js'
import type { CollectionTarget } from './target/target.js'
import { NotApplicable, type Outcome, type Result, Unchecked } from './verdict.js'
import type { Ledger } from './write/ledger.js'
import { needsDisposable, Owner } from './write/own-record.js'

/** How often a check that breaks is run in all. */
const attempts = 3

/** Called with each result when it is there. */
export type OnResult = (result: Result) => void

export async function runServiceChecks(
  service: Service,
  checks: readonly ServiceCheck[],
  tell: OnResult,
  direct?: Service,
): Promise<void> {
  for (const check of checks) {
    const outcome = await repeated(() => check.run(service))
    const again = direct === undefined || !isBroken(outcome) ? undefined : await attempt(() => check.run(direct))
    tell(resultOf(check, 'service', outcome, again))
  }
}

/**
 * Where the collection can not be reached, each check says why. `ledger`: with it, checks that write
 * run, too. `direct`: the service without the gateway, for checks that break.
 */
export async function runListChecks(
  service: Service,
  target: CollectionTarget,
  { safe, writing, disposable }: Checks,
  ledger: Ledger | undefined,
  tell: OnResult,
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
    tell(resultOf(check, target.template, outcome, again))
  }
  for (const check of safe) await run(check, (list) => check.run(list))
  const owned = (list: Listing): Owner => new Owner(list, ledger as Ledger)
  for (const check of ledger === undefined ? [] : writing) {
    const needs = [...neededByWrites, ...(check.needs ?? [])]
    await run({ ...check, needs }, (list) => traced(list, () => check.run(owned(list))))
  }
  for (const check of disposable)
    await run(check, (list) => {
      if (ledger?.disposable !== true) throw new Unchecked(needsDisposable('it'))
      return traced(list, () => check.run(owned(list)), true)
    })
}

/** Gives a break what the check has sent. */
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

/** Without these no check that writes can go on: it reads its record with a tag, and sends the tag. */
const neededByWrites = ['VERB-1/item', 'HDR-2/stable'] as const

/** Checks of a collection: by safe requests, and by own records. */
export interface Checks {
  readonly safe: readonly ListCheck[]
  readonly writing: readonly WriteCheck[]
  /** Checks that only a disposable service gets. */
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
    // Everything else would look like a break.
    if (status === 401 || status === 403)
      return { verdict: 'unchecked', because: `${listing.path} is ${status} for the first principal` }
    return listing
  } catch (error) {
    return undecided(error)
  }
}

/** `direct`: the outcome without the gateway. */
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
 * A break counts as one if it can be seen each time. One that is seen only sometimes is told as a
 * rate: records may have changed while the check looked at them.
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

/** Anything but a verdict is a fault of the check itself, and ends the run. */
function undecided(error: unknown): Outcome {
  if (error instanceof NotApplicable) return { verdict: 'not-applicable', because: error.message }
  if (error instanceof Unchecked) return { verdict: 'unchecked', because: error.message }
  throw error
}
