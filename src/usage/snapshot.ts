/** The counts of all processes as plain data, and the periods for which they are complete. */
import { type CountKind, dayLength, otherName, unnamedClient } from './counts.js'
import type { StoredUsage, StoredWriter } from './store.js'

/** How often, and when. Times are ISO 8601, in UTC. */
export interface Count {
  /** In the days that were asked for. Counts of samples are estimates. */
  readonly count: number
  /** The first time that is kept; it may lie before the days that were asked for. */
  readonly first: string
  readonly last: string
}

/** Answered calls of one client. */
export interface CallCount extends Count {
  /** The version segment, such as `v1`; empty where there is none. */
  readonly version: string
  readonly method: string
  /** The template below the version, such as `/contratos/{id}`; `(unknown)` where nothing matches. */
  readonly route: string
  /** The client's name; `undefined` where clients are not counted apart. */
  readonly client: string | undefined
}

/** Answers to one client that break a clause, or that enforcing it would change. */
export interface BreakCount extends Count {
  readonly clause: string
  readonly method: string
  readonly route: string
  /** The name of what breaks it, such as that of a parameter; empty where there is none. */
  readonly detail: string
  readonly client: string | undefined
}

/** A time in which counts were lost, or nobody counted. */
export interface UsageGap {
  readonly from: string
  readonly to: string
  /** `not-counting`: no process counted. `lost-process`: one ended without its last counts, or can't reach the store. `lost-counts`: the store has lost those of a process. */
  readonly reason: 'not-counting' | 'lost-process' | 'lost-counts'
}

export interface UsageSnapshot {
  /** When it was read. */
  readonly at: string
  /** How many days back counts go. */
  readonly days: number
  /** From when on all is counted, apart from gaps; `undefined` where nothing has been. What was before is unknown. */
  readonly since: string | undefined
  readonly gaps: readonly UsageGap[]
  readonly calls: readonly CallCount[]
  readonly wouldBreak: readonly BreakCount[]
}

/** For how much of a time counting was complete. */
export interface Coverage {
  /** True if nothing is missing: a client without a count did not call. */
  readonly complete: boolean
  /** From 0 to 1. */
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

/** Adds up what a store holds. `days`: how far back counts go. `most`: how many clients of a kind are named. */
export function snapshotOf(stored: StoredUsage, days: number, most: number): UsageSnapshot {
  const today = Math.floor(stored.now / dayLength)
  const totals = new Map<string, Total>()
  for (const { fields } of stored.writers) {
    if (fields !== undefined) for (const [field, text] of fields) addField(totals, field, text, today - days)
  }
  const all = [...totals.values()].filter(({ count }) => count > 0)
  const calls = withTopClients(
    all.filter(({ kind }) => kind === 'calls'),
    most,
  )
  const breaks = withTopClients(
    all.filter(({ kind }) => kind === 'would_break'),
    most,
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
      ...told(count),
    })),
    wouldBreak: breaks.map(({ subject, method, route, detail, client, ...count }) => ({
      clause: subject,
      method,
      route,
      detail,
      client: shown(client),
      ...told(count),
    })),
  }
}

/** For how much of the time from `from` on (milliseconds since 1970) a snapshot is complete. */
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

/** How long spans are together, where they may overlap. */
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
  // Fields that other programs have written under our keys are ignored.
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

/** The clients with the highest counts keep their names, the others become one. The highest counts come first. */
function withTopClients(totals: readonly Total[], most: number): Total[] {
  const sums = new Map<string, number>()
  for (const { client, count } of totals) sums.set(client, (sums.get(client) ?? 0) + count)
  const nobody = ['', otherName, unnamedClient]
  const named = [...sums]
    .filter(([client]) => !nobody.includes(client))
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
  const kept = new Set([...nobody, ...named.slice(0, most).map(([client]) => client)])
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

/** A process that has not written for so many of its intervals, and did not say that it ends, is lost. */
const patience = 3

function completeness({ now, since, writers }: StoredUsage): { since: number | undefined; gaps: UsageGap[] } {
  if (since === undefined) return { since, gaps: [] }
  const gaps: UsageGap[] = []
  const gap = (reason: UsageGap['reason'], from: number, to: number): void => {
    if (to > from && to > since) gaps.push({ from: iso(Math.max(from, since)), to: iso(Math.min(to, now)), reason })
  }
  let end = since
  for (const writer of [...writers].sort((a, b) => a.started - b.started)) {
    const slack = patience * writer.interval
    if (writer.started > end + slack) gap('not-counting', end, writer.started)
    if (writer.fields === undefined) gap('lost-counts', writer.started, writer.seen)
    else if (isLost(writer, now)) gap('lost-process', writer.seen, writer.seen + slack)
    end = Math.max(end, writer.seen)
  }
  const slack = Math.max(0, ...writers.map(({ interval }) => patience * interval))
  if (now > end + slack) gap('not-counting', end, now)
  return { since, gaps: gaps.sort((a, b) => (a.from < b.from ? -1 : 1)) }
}

const isLost = ({ closed, seen, interval }: StoredWriter, now: number): boolean =>
  !closed && now > seen + patience * interval

const iso = (time: number): string => new Date(time).toISOString()

const shown = (client: string): string | undefined => (client === '' ? undefined : client)

const told = ({ count, first, last }: Pick<Total, 'count' | 'first' | 'last'>): Count => ({
  count: Math.round(count),
  first: iso(first),
  last: iso(last),
})
