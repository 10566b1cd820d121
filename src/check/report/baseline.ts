/**
 * A baseline is a list of known violations. An entry may have a last day on which the violation is
 * accepted. With a baseline, a run fails only because of new and overdue violations.
 */
import { checkArgument, invalidOption } from '../../options/check.js'
import type { Kinds } from '../../options/kinds.js'
import { type Day, dayKind } from './days.js'

/**
 * Identifies a violation in a baseline by its check and by the collection or the position where it
 * occurs.
 */
interface Place {
  readonly check: string
  /** The path template of a collection, `service`, or the position of a finding in a document. */
  readonly where: string
}

/** An entry of a baseline. */
export interface KnownBreak extends Place {
  /**
   * The last day (UTC) on which the violation is accepted, such as `2026-12-31`. Default: no end.
   */
  readonly until?: Day
  /** Why the violation is accepted. Reports show this reason. */
  readonly reason?: string
}

/** A violation, and its entry in the baseline. */
interface Matched<Broken extends Place> {
  readonly broken: Broken
  readonly entry: KnownBreak
}

/** The state of an entry that matches no violation. */
export type EntryState =
  /** The rule now holds. */
  | 'fixed'
  /** No such check was run, or `where` no longer exists. */
  | 'absent'
  /** The check could not decide whether the rule holds, or the rule did not apply. */
  | 'undecided'
  /**
   * The check was left out: `--only` does not select it, or it needs `--write` or `--disposable`.
   */
  | 'left-out'

/** The violations of a run, compared with a baseline. */
export interface Comparison<Broken extends Place> {
  /** Violations without an entry. The run fails because of them. */
  readonly fresh: readonly Broken[]
  /** Violations whose entry has expired. The run fails because of them. */
  readonly overdue: readonly Matched<Broken>[]
  readonly accepted: readonly Matched<Broken>[]
  /** The entries that match no violation. */
  readonly unmatched: readonly { readonly entry: KnownBreak; readonly state: EntryState }[]
}

export const knownBreakKinds: Kinds<KnownBreak> = {
  check: { required: { a: 'the id of a check such as "QUERY-7/total"', like: /^\S+$/ } },
  where: { required: { a: 'a place such as "/orders"', like: /^\S/ } },
  until: dayKind,
  reason: 'string',
}

/**
 * Checks the content of a baseline file and returns its entries. Throws `ConfigurationError` if the
 * content is invalid, or if there are two entries for one violation.
 */
export function readBaseline(value: unknown): readonly KnownBreak[] {
  checkArgument('the baseline', value, { each: { options: knownBreakKinds } })
  const entries = value as readonly KnownBreak[]
  const seen = new Set<string>()
  for (const { check, where } of entries) {
    const place = `${check} at ${where}`
    if (seen.has(place)) throw invalidOption(`The baseline has two entries for ${place}. Keep one of them.`)
    seen.add(place)
  }
  return entries
}

const isSame = (one: Place, other: Place): boolean => one.check === other.check && one.where === other.where

/**
 * Compares violations with a baseline. `stateOf` returns the state of an entry that matches no
 * violation.
 */
export function compareBaseline<Broken extends Place>(
  broken: readonly Broken[],
  known: readonly KnownBreak[],
  today: Day,
  stateOf: (entry: KnownBreak) => EntryState,
): Comparison<Broken> {
  const matched = broken.flatMap((one): readonly Matched<Broken>[] => {
    const entry = known.find((other) => isSame(one, other))
    return entry === undefined ? [] : [{ broken: one, entry }]
  })
  const isOverdue = ({ entry: { until } }: Matched<Broken>): boolean => until !== undefined && today > until
  return {
    fresh: broken.filter((one) => !known.some((other) => isSame(one, other))),
    overdue: matched.filter(isOverdue),
    accepted: matched.filter((one) => !isOverdue(one)),
    unmatched: known
      .filter((entry) => !broken.some((one) => isSame(one, entry)))
      .map((entry) => ({ entry, state: stateOf(entry) })),
  }
}

/**
 * The baseline for the next run. New violations are added, and are accepted until `until`. Known
 * violations keep their `until` and their `reason`, even if they are overdue. An entry is dropped
 * if its rule now holds, or if its check or its `where` no longer exists.
 */
export function updatedBaseline<Broken extends Place>(
  { fresh, unmatched }: Comparison<Broken>,
  known: readonly KnownBreak[],
  until?: Day,
): readonly KnownBreak[] {
  const dropped = new Set(
    unmatched.filter(({ state }) => state === 'fixed' || state === 'absent').map(({ entry }) => entry),
  )
  // A check may find several faults with the same `where`. These faults share an entry.
  const added = fresh.filter((one, at) => fresh.findIndex((other) => isSame(one, other)) === at)
  return [
    ...known.filter((entry) => !dropped.has(entry)),
    ...added.map(({ check, where }) => ({ check, where, ...(until === undefined ? {} : { until }) })),
  ]
}
