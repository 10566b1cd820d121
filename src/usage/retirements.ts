/** Versions and parts that are due to end: which clients still call them, and whether the counts are complete (VER-2). */
import { expiredText, isExpired } from '../conventions/expiry.js'
import { checkOptions } from '../options/check.js'
import { count, type Kinds } from '../options/kinds.js'
import { type DescribedVersion, requireDescription } from '../plan/description.js'
import { earliest, type Life } from '../plan/life.js'
import type { Part } from '../plan/part-lives.js'
import { dayLength } from './counts.js'
import { type CallCount, type Coverage, coverageOf, type UsageSnapshot } from './snapshot.js'

/** A version, or a part of one, whose end is announced. */
export interface ScheduledEnd {
  /** The version segment; empty where the service knows none. */
  readonly version: string
  /** The template below the version; `undefined` where all of the version ends. What lies below it ends with it. */
  readonly route: string | undefined
  /** The one method that ends; `undefined` where all of the route do. */
  readonly method: string | undefined
  /** When, in ISO 8601. */
  readonly ends: string
}

/** A client that still calls. */
export interface RemainingCaller {
  /** The client's name; `undefined` where clients are not counted apart. */
  readonly client: string | undefined
  readonly calls: number
  /** ISO 8601. */
  readonly last: string
}

/** A version or part that is due to end, with its callers. */
export interface DueEnd extends ScheduledEnd {
  /** Whole days until it ends; negative where its time is past and it is still served. */
  readonly daysLeft: number
  /** `called`: somebody did. `silent`: nobody did, and all calls were counted. `unknown`: no call is known, and not all were counted. */
  readonly state: 'called' | 'silent' | 'unknown'
  /** Those with the most calls first. */
  readonly callers: readonly RemainingCaller[]
  /** In which part of the time of the snapshot counting was complete. */
  readonly coverage: Coverage
  /** The same in a sentence. */
  readonly sentence: string
}

/** The options of `dueEnds()`. */
export interface DueEndsOptions {
  /** Days ahead. Default 30. */
  readonly within?: number
}

export const dueEndsKinds: Kinds<DueEndsOptions> = { within: count }

/** What ends in a service that `api()` or `resourceRouter()` made, and is served now. Throws `ConfigurationError` for anything else. */
export function scheduledEnds(service: object): readonly ScheduledEnd[] {
  const now = Date.now()
  return [...requireDescription('scheduledEnds()', service).versions.values()].flatMap((version) =>
    version === 'retired' ? [] : endsOfVersion(version, now),
  )
}

/** A sentence for each entry of `conventions` of a service whose day `until` is over. Throws `ConfigurationError` for anything else. */
export const expiredConventions = (service: object): readonly string[] =>
  requireDescription('expiredConventions()', service).facts.conventions.filter(isExpired).map(expiredText)

function endsOfVersion({ name, life, table }: DescribedVersion, now: number): readonly ScheduledEnd[] {
  const sunset = life?.sunset
  if (life?.retireAtSunset === true && sunset !== undefined && sunset <= now) return []
  const found = new Map<string, ScheduledEnd>()
  const add = (route: string | undefined, method: string | undefined, end: number | undefined): void => {
    // It goes with the version, or with what is around it.
    if (end === undefined || (route !== undefined && sunset !== undefined && sunset <= end)) return
    const ends = new Date(end).toISOString()
    const around = [...found.values()].some(
      (one) => one.method === undefined && one.ends <= ends && isWithin(route, one.route),
    )
    if (!around) found.set(`${method} ${route}`, { version: name, route, method, ends })
  }
  add(undefined, undefined, sunset)
  const parts: readonly Part[] = table.parts?.all ?? []
  for (const { template, life: own } of [...parts].sort((a, b) => a.template.length - b.template.length))
    add(template, undefined, endOf(own, now))
  for (const { template, methods } of parts)
    for (const [method, own] of methods ?? []) add(template, method, endOf(own, now))
  return [...found.values()]
}

/** `undefined` where it never ends, or has ended. */
function endOf(life: Life | undefined, now: number): number | undefined {
  if (life?.retired !== undefined && life.retired <= now) return undefined
  return earliest(life?.sunset, life?.retired)
}

const isWithin = (route: string | undefined, around: string | undefined): boolean =>
  around !== undefined && route !== undefined && (route === around || route.startsWith(`${around}/`))

/**
 * What ends within some days, with the clients that called it in the period of a snapshot. It changes nothing: a part
 * ends on its announced date. If counting is recent or counts were lost, the state without calls is `unknown`, never `silent`.
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

/** No client depends on an unknown path, and documents are read in order to leave the version: neither counts. */
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

/** Maximum number of callers that a sentence names. */
const mostNamed = 10

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
      : `ends on ${ends.slice(0, 10)}, in ${daysLeft} days`
  const share = `${Math.floor(coverage.share * 100)}% of the last ${days} days`
  const counted = coverage.complete ? '' : ` Calls were counted for ${share}: there may be more.`
  if (state === 'silent') return `${what} ${when}: nobody called it in the last ${days} days.`
  if (state === 'unknown')
    return `${what} ${when}: no call is known, and calls were counted for ${share} alone. Whether it is called is unknown.`
  const named = callers
    .slice(0, mostNamed)
    .map(
      ({ client, calls, last }) =>
        `${client ?? 'clients that are not counted apart'} (${calls.toLocaleString('en-US')} calls, last ${last.slice(0, 16).replace('T', ' ')} UTC)`,
    )
  const more = callers.length > mostNamed ? ` and ${callers.length - mostNamed} more` : ''
  return `${what} ${when}: still called in the last ${days} days by ${named.join(', ')}${more}.${counted}`
}
