/** The state of violations in a baseline, as reports show it. */
import type { Comparison, KnownBreak } from './baseline.js'
import type { SarifStanding } from './sarif-log.js'

/**
 * The state of a violation in the baseline, with its entry. A violation without an entry is `new`.
 */
export type BaselineState =
  | { readonly state: 'new' }
  | { readonly state: 'overdue' | 'accepted'; readonly entry: KnownBreak }

/**
 * Returns a function that looks up the state of a violation. The function returns `undefined` for
 * results that the comparison with the baseline does not contain.
 */
export function standingsOf<Broken extends { readonly check: string; readonly where: string }>({
  fresh,
  overdue,
  accepted,
}: Comparison<Broken>): (broken: Broken) => BaselineState | undefined {
  const all = new Map<Broken, BaselineState>([
    ...fresh.map((broken) => [broken, { state: 'new' }] as const),
    ...overdue.map(({ broken, entry }) => [broken, { state: 'overdue', entry }] as const),
    ...accepted.map(({ broken, entry }) => [broken, { state: 'accepted', entry }] as const),
  ])
  return (broken) => all.get(broken)
}

/** Describes the state in one phrase. */
export function standingText(standing: BaselineState): string {
  if (standing.state === 'new') return 'new'
  const { until, reason } = standing.entry
  const because = reason === undefined ? '' : `: ${reason}`
  if (standing.state === 'overdue') return `overdue, was accepted until ${until}${because}`
  return `accepted${until === undefined ? '' : ` until ${until}`}${because}`
}

export function sarifStanding(standing: BaselineState): SarifStanding {
  if (standing.state === 'new') return { state: 'new' }
  return standing.state === 'overdue'
    ? { state: 'unchanged' }
    : { state: 'unchanged', accepted: standingText(standing) }
}
