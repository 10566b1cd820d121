/** The counts of all processes as plain data, and the periods for which they are complete. */
import { type CountKind, dayLength, otherName, unnamedClient } from './counts.js'
import type { StoredUsage, StoredWriter } from './store.js'

/**
 * A number of occurrences, with the times of the first and the last one. Times are in ISO 8601, in
 * UTC.
 */
export interface Count {
  /**
   * The number of occurrences in the requested days. If only a sample was counted, the number is an
   * estimate.
   */
  readonly count: number
  /** The time of the first known occurrence, which may be before the requested days. */
  readonly first: string
  readonly last: string
}

/** Completed calls of one client. */
export interface CallCount extends Count {
  /** The version segment, such as `v1`; empty if there is none. */
  readonly version: string
  readonly method: string
  /**
   * The route template after the version segment, such as `/contratos/{id}`; `(unknown)` if no
   * route matches.
   */
  readonly route: string
  /** The client's name; `undefined` if clients are not distinguished. */
  readonly client: string | undefined
}

/** Responses to one client that violate a clause, or would change if the clause were enforced. */
export interface BreakCount extends Count {
  readonly clause: string
  readonly method: string
  readonly route: string
  /**
   * The name of the part of the request or response that violates the clause, such as a parameter;
   * empty if there is none.
   */
  readonly detail: string
  readonly client: string | undefined
}

/** A period in which counts were lost, or in which no process counted. */
export interface UsageGap {
  readonly from: string
  readonly to: string
  /**
   * `not-counting`: no process counted. `lost-process`: a process ended without writing its last
   * counts, or can't reach the store. `lost-counts`: the store has lost the counts of a process.
   */
  readonly reason: 'not-counting' | 'lost-process' | 'lost-counts'
}

export interface UsageSnapshot {
  /** When the store was read. */
  readonly at: string
  /** The number of days that the counts cover. */
  readonly days: number
  /**
   * From this time on, everything is counted, except in the gaps. Earlier calls are unknown.
   * `undefined` if no process has written to the store.
   */
  readonly since: string | undefined
  readonly gaps: readonly UsageGap[]
  readonly calls: readonly CallCount[]
  readonly wouldBreak: readonly BreakCount[]
}

/** How completely a period was counted. */
export interface Coverage {
  /**
   * True if no counts are missing. In that case, a version without a count was not called, unless
   * `observe()` skipped requests.
   */
  readonly complete: boolean
  /** The share of the period for which counting was complete, from 0 to 1. */
  readonly share: number
  readonly gaps: readonly UsageGap[]
}

interface Total {
  readonly kind: CountKind
  readonly subject: string
  readonly method: string
  readonly route: string
  readonly detail: string
  readonly client: string
  count: number
  first: number
  last: number
}

/**
 * Adds up the contents of a store. `days` is the number of days to cover. `maxClients` is the
 * maximum number of clients that keep their names. It applies separately to the calls and to the
 * violations.
 */
export function snapshotOf(stored: StoredUsage, days: number, maxClients: number): UsageSnapshot {
  const today = Math.floor(stored.now / dayLength)
  const totals = new Map<string, Total>()
  for (const { fields } of stored.writers) {
    if (fields !== undefined) for (const [field, text] of fields) addField(totals, field, text, today - days)
  }
  const all = [...totals.values()].filter(({ count }) => count > 0)
  const calls = withTopClients(
    all.filter(({ kind }) => kind === 'calls'),
    maxClients,
  )
  const breaks = withTopClients(
    all.filter(({ kind }) => kind === 'would_break'),
    maxClients,
  )
  const { since, gaps } = completeness(stored)
  return {
    at: iso(stored.now),
    days,
    since: since === undefined ? undefined : iso(since),
    gaps,
    calls: calls.map(({ subject, method, route, client, ...count }) => ({
      version: subject,
      method,
      route,
      client: shown(client),
      ...countOf(count),
    })),
    wouldBreak: breaks.map(({ subject, method, route, detail, client, ...count }) => ({
      clause: subject,
      method,
      route,
      detail,
      client: shown(client),
      ...countOf(count),
    })),
  }
}

/**
 * Returns how completely the time since `from` (milliseconds since 1970) was counted, according to
 * a snapshot.
 */
export function coverageOf(snapshot: UsageSnapshot, from: number): Coverage {
  const to = Date.parse(snapshot.at)
  const length = Math.max(1, to - from)
  const { since } = snapshot
  const begins = since === undefined ? to : Math.max(from, Date.parse(since))
  const gaps = snapshot.gaps.filter((gap) => Date.parse(gap.to) > begins)
  const known: Span[] = gaps.map((gap) => ({
    from: Math.max(begins, Date.parse(gap.from)),
    to: Math.min(to, Date.parse(gap.to)),
  }))
  const missing = begins - from + lengthOf(known)
  return { complete: missing <= 0, share: Math.max(0, 1 - missing / length), gaps }
}

interface Span {
  readonly from: number
  readonly to: number
}

/** The total length of spans, which may overlap. */
function lengthOf(spans: readonly Span[]): number {
  let end = Number.NEGATIVE_INFINITY
  let length = 0
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    length += Math.max(0, to - Math.max(from, end))
    end = Math.max(end, to)
  }
  return length
}

function addField(totals: Map<string, Total>, field: string, text: string, before: number): void {
  const labels = parsed(field)
  const counted = parsed(text)
  // Fields that other programs wrote under the same keys are ignored.
  if (labels?.length !== 6 || !labels.every((label) => typeof label === 'string') || counted?.length !== 3) return
  const [kind, subject, method, route, detail, client] = labels as [CountKind, string, string, string, string, string]
  const [first, last, days] = counted as [number, number, [number, number][]]
  if (!isTime(first) || !isTime(last) || !Array.isArray(days) || !days.every(isDay)) return
  const count = days.reduce((sum, [day, amount]) => (day > before ? sum + amount : sum), 0)
  const known = totals.get(field)
  if (known === undefined) totals.set(field, { kind, subject, method, route, detail, client, count, first, last })
  else {
    known.count += count
    known.first = Math.min(known.first, first)
    known.last = Math.max(known.last, last)
  }
}

const isTime = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= 8.64e15

const isDay = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'number')

function parsed(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Keeps the names of the clients with the highest counts, and merges all other clients into
 * `(other)`. Sorts by count, highest first.
 */
function withTopClients(totals: readonly Total[], maxClients: number): Total[] {
  const sums = new Map<string, number>()
  for (const { client, count } of totals) sums.set(client, (sums.get(client) ?? 0) + count)
  const reserved = ['', otherName, unnamedClient]
  const named = [...sums]
    .filter(([client]) => !reserved.includes(client))
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  const kept = new Set([...reserved, ...named.slice(0, maxClients).map(([client]) => client)])
  const merged = new Map<string, Total>()
  for (const total of totals) {
    const client = kept.has(total.client) ? total.client : otherName
    const key = JSON.stringify([total.subject, total.method, total.route, total.detail, client])
    const known = merged.get(key)
    if (known === undefined) merged.set(key, { ...total, client })
    else {
      known.count += total.count
      known.first = Math.min(known.first, total.first)
      known.last = Math.max(known.last, total.last)
    }
  }
  return [...merged.values()].sort((a, b) => b.count - a.count || order(a, b))
}

const order = (a: Total, b: Total): number => (labelsOf(a) < labelsOf(b) ? -1 : 1)

const labelsOf = ({ subject, route, method, detail, client }: Total): string =>
  [subject, route, method, detail, client].join('\n')

/**
 * A process writes its counts at a fixed interval. It is considered lost if it has not written for
 * this number of intervals and has not announced its end.
 */
const maxMissedIntervals = 3

function completeness({ now, since, writers }: StoredUsage): { since: number | undefined; gaps: UsageGap[] } {
  if (since === undefined) return { since, gaps: [] }
  const gaps: UsageGap[] = []
  const gap = (reason: UsageGap['reason'], from: number, to: number): void => {
    if (to > from && to > since) gaps.push({ from: iso(Math.max(from, since)), to: iso(Math.min(to, now)), reason })
  }
  let end = since
  for (const writer of [...writers].sort((a, b) => a.started - b.started)) {
    const slack = maxMissedIntervals * writer.interval
    if (writer.started > end + slack) gap('not-counting', end, writer.started)
    if (writer.fields === undefined) gap('lost-counts', writer.started, writer.seen)
    else if (isLost(writer, now)) gap('lost-process', writer.seen, writer.seen + slack)
    end = Math.max(end, writer.seen)
  }
  const slack = Math.max(0, ...writers.map(({ interval }) => maxMissedIntervals * interval))
  if (now > end + slack) gap('not-counting', end, now)
  return { since, gaps: gaps.sort((a, b) => (a.from < b.from ? -1 : 1)) }
}

const isLost = ({ closed, seen, interval }: StoredWriter, now: number): boolean =>
  !closed && now > seen + maxMissedIntervals * interval

const iso = (time: number): string => new Date(time).toISOString()

const shown = (client: string): string | undefined => (client === '' ? undefined : client)

const countOf = ({ count, first, last }: Pick<Total, 'count' | 'first' | 'last'>): Count => ({
  count: Math.round(count),
  first: iso(first),
  last: iso(last),
})
