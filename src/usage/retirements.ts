/**
 * Reports the versions and parts of versions that are due to end: which clients still call them,
 * and whether the counts are complete (VER-2).
 */

import { expiredText, isExpired } from '../conventions/expiry.js'
import { checkOptions } from '../options/check.js'
import { count, type Kinds } from '../options/kinds.js'
import { type DescribedVersion, requireDescription } from '../plan/description.js'
import { earliest, type Life } from '../plan/life.js'
import type { Part } from '../plan/part-lives.js'
import { dayLength } from './counts.js'
import { lastDays } from './last-days.js'
import { type CallCount, type Coverage, coverageOf, type UsageSnapshot } from './snapshot.js'

/** A version, or a part of one, with an announced end. */
export interface ScheduledEnd {
  /** The version segment; empty if the service has no versions. */
  readonly version: string
  /**
   * The route template after the version segment; `undefined` if the whole version ends. If
   * `method` is `undefined`, all routes below this template end too.
   */
  readonly route: string | undefined
  /** The method that ends; `undefined` if all methods of the route end. */
  readonly method: string | undefined
  /** The time of the end, in ISO 8601. */
  readonly ends: string
}

/** A client that still calls a version or part that is due to end. */
export interface RemainingCaller {
  /** The client's name; `undefined` if clients are not distinguished. */
  readonly client: string | undefined
  readonly calls: number
  /** The time of the last call, in ISO 8601. */
  readonly last: string
}

/** A version or part that is due to end, with its callers. */
export interface DueEnd extends ScheduledEnd {
  /**
   * Whole days until the end; negative if the date has passed and the version or part is still
   * served.
   */
  readonly daysLeft: number
  /**
   * `called`: there were calls. `silent`: no calls were counted, and counting was complete.
   * `unknown`: no calls are known, but counting was incomplete.
   */
  readonly state: 'called' | 'silent' | 'unknown'
  /** The callers, sorted by number of calls, highest first. */
  readonly callers: readonly RemainingCaller[]
  /** How completely the snapshot's period was counted. */
  readonly coverage: Coverage
  /** A sentence that describes the end, the callers and the coverage. */
  readonly sentence: string
}

/** The options of `dueEnds()`. */
export interface DueEndsOptions {
  /** How many days ahead to look. Default 30. */
  readonly within?: number
}

export const dueEndsKinds: Kinds<DueEndsOptions> = { within: count }

/**
 * The announced ends of the versions and parts that a service still serves. `service` is the return
 * value of `api()` or `resourceRouter()`. Throws `ConfigurationError` for other objects.
 */
export function scheduledEnds(service: object): readonly ScheduledEnd[] {
  const now = Date.now()
  return [...requireDescription('scheduledEnds()', service).versions.values()].flatMap((version) =>
    version === 'retired' ? [] : endsOfVersion(version, now),
  )
}

/**
 * One sentence for each expired entry of a service's option `conventions`. `service` is the return
 * value of `api()` or `resourceRouter()`. Throws `ConfigurationError` for other objects.
 */
export const expiredConventions = (service: object): readonly string[] =>
  requireDescription('expiredConventions()', service).facts.conventions.filter(isExpired).map(expiredText)

function endsOfVersion({ name, life, table }: DescribedVersion, now: number): readonly ScheduledEnd[] {
  const sunset = life?.sunset
  if (life?.retireAtSunset === true && sunset !== undefined && sunset <= now) return []
  const found = new Map<string, ScheduledEnd>()
  const add = (route: string | undefined, method: string | undefined, end: number | undefined): void => {
    // A part is not listed separately if its version or an enclosing part ends at the same time or
    // earlier.
    if (end === undefined || (route !== undefined && sunset !== undefined && sunset <= end)) return
    const ends = new Date(end).toISOString()
    const isCovered = [...found.values()].some(
      (one) => one.method === undefined && one.ends <= ends && isWithin(route, one.route),
    )
    if (!isCovered) found.set(`${method} ${route}`, { version: name, route, method, ends })
  }
  add(undefined, undefined, sunset)
  const parts: readonly Part[] = table.parts?.all ?? []
  for (const { template, life: own } of [...parts].sort((a, b) => a.template.length - b.template.length))
    add(template, undefined, endOf(own, now))
  for (const { template, methods } of parts)
    for (const [method, own] of methods ?? []) add(template, method, endOf(own, now))
  return [...found.values()]
}

/**
 * The announced time at which a part ends; `undefined` if there is none, or the part is already
 * retired.
 */
function endOf(life: Life | undefined, now: number): number | undefined {
  if (life?.retired !== undefined && life.retired <= now) return undefined
  return earliest(life?.sunset, life?.retired)
}

const isWithin = (route: string | undefined, around: string | undefined): boolean =>
  around !== undefined && route !== undefined && (route === around || route.startsWith(`${around}/`))

/**
 * The versions and parts that end within the next `within` days or should already have ended, with
 * the clients that called them in the period of a snapshot. Calls do not postpone an end. If
 * counting has started recently or counts were lost, the state of a version or part without known
 * calls is `unknown`, never `silent`.
 *
 * @example dueEnds(scheduledEnds(service), await counts.read()).filter(({ state }) => state !== 'silent')
 */
export function dueEnds(
  ends: readonly ScheduledEnd[],
  snapshot: UsageSnapshot,
  options: DueEndsOptions = {},
): readonly DueEnd[] {
  const { within = 30 } = checkOptions<DueEndsOptions>('dueEnds()', options, dueEndsKinds)
  const now = Date.now()
  const coverage = coverageOf(snapshot, Date.parse(snapshot.at) - snapshot.days * dayLength)
  return ends
    .filter(({ ends: end }) => Date.parse(end) <= now + within * dayLength)
    .sort((a, b) => (a.ends < b.ends ? -1 : 1))
    .map((end) => {
      const callers = callersOf(end, snapshot.calls)
      const state = callers.length > 0 ? 'called' : coverage.complete ? 'silent' : 'unknown'
      const due = {
        ...end,
        daysLeft: Math.floor((Date.parse(end.ends) - now) / dayLength),
        state,
        callers,
        coverage,
      } as const
      return { ...due, sentence: sentenceOf(due, snapshot) }
    })
}

/**
 * Whether a call shows that a client depends on the version. Calls of unknown paths do not, because
 * nothing is served there. Calls of the version's documents do not, because clients read them in
 * order to migrate.
 */
const isServed = ({ route }: CallCount): boolean =>
  route !== '(unknown)' && !/^\/(?:openapi(?:\.json|\.yaml)?|docs)(?:\/|$)/.test(route)

function callersOf({ version, route, method }: ScheduledEnd, calls: readonly CallCount[]): readonly RemainingCaller[] {
  const found = new Map<string | undefined, { calls: number; last: string }>()
  for (const call of calls) {
    if (call.count === 0 || !isServed(call) || (version !== '' && call.version !== version)) continue
    if (route !== undefined && (method === undefined ? !isWithin(call.route, route) : call.route !== route)) continue
    if (method !== undefined && method !== call.method && !(method === 'GET' && call.method === 'HEAD')) continue
    const known = found.get(call.client) ?? { calls: 0, last: call.last }
    found.set(call.client, { calls: known.calls + call.count, last: known.last > call.last ? known.last : call.last })
  }
  return [...found].map(([client, one]) => ({ client, ...one })).sort((a, b) => b.calls - a.calls)
}

/** The maximum number of callers named in a sentence. */
const maxNamed = 10

function sentenceOf(
  { version, route, method, ends, daysLeft, state, callers, coverage }: Omit<DueEnd, 'sentence'>,
  { days }: UsageSnapshot,
): string {
  const what = [
    method,
    `${version === '' ? '' : version}${route === undefined ? '' : `${version === '' ? '' : ' '}${route}`}`,
  ]
    .filter((one) => one !== undefined)
    .join(' ')
  const when =
    daysLeft < 0
      ? `should have ended on ${ends.slice(0, 10)} and is still served`
      : `ends on ${ends.slice(0, 10)}, in ${daysLeft === 1 ? '1 day' : `${daysLeft} days`}`
  const share = `${Math.floor(coverage.share * 100)}% of ${lastDays(days)}`
  const counted = coverage.complete ? '' : ` Calls were counted for ${share}: there may be more calls.`
  if (state === 'silent') return `${what} ${when}: it was not called in ${lastDays(days)}.`
  if (state === 'unknown')
    return (
      `${what} ${when}: no calls are known, but calls were counted only for ${share}. There may be calls ` +
      'that were not counted.'
    )
  const named = callers
    .slice(0, maxNamed)
    .map(
      ({ client, calls, last }) =>
        `${client ?? 'clients that are not distinguished'} (${calls.toLocaleString('en-US')} ` +
        `${calls === 1 ? 'call' : 'calls'}, last ${last.slice(0, 16).replace('T', ' ')} UTC)`,
    )
  const more = callers.length > maxNamed ? ` and ${callers.length - maxNamed} more` : ''
  return `${what} ${when}: still called in ${lastDays(days)} by ${named.join(', ')}${more}.${counted}`
}
