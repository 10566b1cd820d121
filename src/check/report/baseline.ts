/** A baseline: breaks that are known, each with a day by which it must be gone. */
import { isList, isObject } from '../../definition/json.js'
import type { Result } from '../verdict.js'
import { breakOf } from './scripts.js'

/** A break that is known. */
export interface KnownBreak {
  readonly check: string
  readonly where: string
  /** The last day on which it is accepted, such as `2026-12-31`. Absent: for ever. */
  readonly until?: string
}

export interface Compared {
  /** Breaks that are not in the baseline, or whose day is over. */
  readonly failing: readonly Result[]
  /** Breaks that the baseline accepts. */
  readonly accepted: readonly Result[]
  /** Entries whose check holds now: they can be removed. */
  readonly fixed: readonly KnownBreak[]
}

/** The entries of a baseline; `undefined` where the value is none. */
export function readBaseline(value: unknown): readonly KnownBreak[] | undefined {
  return isList(value) && value.every(isKnownBreak) ? value : undefined
}

const isKnownBreak = (one: unknown): one is KnownBreak =>
  isObject(one) &&
  typeof one.check === 'string' &&
  typeof one.where === 'string' &&
  (one.until === undefined || (typeof one.until === 'string' && /^\d{4}-\d\d-\d\d$/.test(one.until)))

/** `today`: such as `2026-12-31`. */
export function compareBaseline(results: readonly Result[], known: readonly KnownBreak[], today: string): Compared {
  const entryOf = ({ check, where }: Result) => known.find((one) => one.check === check && one.where === where)
  const isAccepted = (result: Result): boolean => {
    const entry = entryOf(result)
    return entry !== undefined && (entry.until === undefined || today <= entry.until)
  }
  const broken = results.filter((result) => breakOf(result) !== undefined)
  const holding = results.filter(({ outcome }) => outcome.verdict === 'holds')
  return {
    failing: broken.filter((result) => !isAccepted(result)),
    accepted: broken.filter(isAccepted),
    fixed: known.filter((entry) => holding.some(({ check, where }) => entry.check === check && entry.where === where)),
  }
}

/** The baseline that accepts what breaks now. */
export const baselineOf = (results: readonly Result[], until?: string): readonly KnownBreak[] =>
  results
    .filter((result) => breakOf(result) !== undefined)
    .map(({ check, where }) => ({ check, where, ...(until === undefined ? {} : { until }) }))
