/**
 * Creates the report of a snapshot. For each clause, the report lists the clients that would be
 * affected by enforcing the clause. For each version, it lists the clients that called the version.
 */
import { type ClauseId, clauses } from '../clauses.js'
import {
  type BreakCount,
  type CallCount,
  type Count,
  coverageOf,
  type UsageGap,
  type UsageSnapshot,
} from '../usage/snapshot.js'

/** A client with its counts. */
export interface ReportedClient extends Count {
  /** The client's name; `undefined` if clients are not distinguished. */
  readonly client: string | undefined
}

/**
 * A method of a route. `detail` is the name of the part of the request or response that violates
 * the clause, such as a parameter. If there is no such part, `detail` is empty. In the list
 * `routes` of a version, `detail` is always empty.
 */
export interface ReportedPlace extends Count {
  readonly method: string
  readonly route: string
  readonly detail: string
}

/** A clause that responses violate, or whose enforcement would change responses. */
export interface ReportedClause extends Count {
  readonly clause: string
  /** A short title; empty if the clause is not one of the conventions. */
  readonly title: string
  readonly clients: readonly ReportedClient[]
  readonly places: readonly ReportedPlace[]
}

/** A version that was called. */
export interface ReportedVersion extends Count {
  readonly version: string
  readonly clients: readonly ReportedClient[]
  readonly routes: readonly ReportedPlace[]
}

export interface UsageReport {
  readonly at: string
  readonly days: number
  readonly since: string | undefined
  /**
   * Whether counting was complete during all of the last `days` days. If it was, a client that is
   * not in the report made no call, or is one of the clients that are counted together as
   * `(other)`.
   */
  readonly complete: boolean
  /** The share of the time during which counting was complete, from 0 to 1. */
  readonly share: number
  readonly gaps: readonly UsageGap[]
  readonly clauses: readonly ReportedClause[]
  readonly versions: readonly ReportedVersion[]
}

const dayLength = 86_400_000

/** Creates the report of a snapshot, with the highest counts first. */
export function reportOf(snapshot: UsageSnapshot): UsageReport {
  const { at, days, since, calls, wouldBreak } = snapshot
  const { complete, share, gaps } = coverageOf(snapshot, Date.parse(at) - days * dayLength)
  const byClause = grouped(wouldBreak, ({ clause }) => clause)
  const byVersion = grouped(calls, ({ version }) => version)
  return {
    at,
    days,
    since,
    complete,
    share,
    gaps,
    clauses: byClause.map(([clause, counts]) => ({
      clause,
      title: clauses[clause as ClauseId]?.title ?? '',
      ...summed(counts),
      clients: clientsOf(counts),
      places: placesOf(counts),
    })),
    versions: byVersion.map(([version, counts]) => ({
      version,
      ...summed(counts),
      clients: clientsOf(counts),
      routes: placesOf(counts),
    })),
  }
}

const clientsOf = (counts: readonly (BreakCount | CallCount)[]): ReportedClient[] =>
  grouped(counts, ({ client }) => client).map(([client, some]) => ({ client, ...summed(some) }))

const placesOf = (counts: readonly (BreakCount | CallCount)[]): ReportedPlace[] =>
  grouped(counts, (count) => JSON.stringify([count.method, count.route, detailOf(count)])).map(([, some]) => {
    const [first] = some as [BreakCount | CallCount]
    return { method: first.method, route: first.route, detail: detailOf(first), ...summed(some) }
  })

const detailOf = (count: BreakCount | CallCount): string => ('detail' in count ? count.detail : '')

function grouped<T extends Count, K>(counts: readonly T[], keyOf: (count: T) => K): [K, T[]][] {
  const groups = new Map<K, T[]>()
  for (const count of counts) {
    const key = keyOf(count)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [count])
    else group.push(count)
  }
  return [...groups].sort(([, a], [, b]) => summed(b).count - summed(a).count)
}

function summed(counts: readonly Count[]): Count {
  const times = (name: 'first' | 'last'): string[] => counts.map((count) => count[name]).sort()
  return {
    count: counts.reduce((sum, { count }) => sum + count, 0),
    first: times('first')[0] ?? '',
    last: times('last').at(-1) ?? '',
  }
}
