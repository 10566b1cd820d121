/**
 * Messages about the baseline, which is the list of known violations. They say which violations are
 * new or overdue, which entries end soon, and which entries can be removed.
 */
import type { Comparison, KnownBreak } from './baseline.js'
import { type Day, daysBetween } from './days.js'

/** A run warns about an entry if the last day of the entry is at most this number of days away. */
const noticeDays = 14

const placeOf = ({ check, where }: KnownBreak): string => `${check} at ${where}`

const reasonOf = ({ reason }: KnownBreak): string => (reason === undefined ? '' : ` (${reason})`)

/** The messages about a baseline. `file` is the name of its file. */
export function baselineMessages(
  { fresh, overdue, accepted, unmatched }: Comparison<{ readonly check: string; readonly where: string }>,
  file: string,
  today: Day,
): readonly string[] {
  const soon = accepted.filter(({ entry: { until } }) => until !== undefined && daysBetween(today, until) <= noticeDays)
  return [
    `${file}: ${fresh.length} new, ${overdue.length} overdue, ${accepted.length} accepted.`,
    ...fresh.map(({ check, where }) => `${check} at ${where} is new: it is not in ${file}.`),
    ...overdue.map(
      ({ entry }) =>
        `${placeOf(entry)} was accepted until ${entry.until}${reasonOf(entry)}. Fix it, or set "until" to a later day.`,
    ),
    ...soon.map(
      ({ entry }) =>
        `${placeOf(entry)} is accepted for ${leftOf(today, entry.until as Day)}, until ` +
        `${entry.until}${reasonOf(entry)}.`,
    ),
    ...unmatched.flatMap(({ entry, state }) =>
      state === 'fixed'
        ? [`${placeOf(entry)} is no longer violated. Remove its entry from ${file}.`]
        : state === 'absent'
          ? [`${placeOf(entry)} was not checked: there is no such check or place. Remove its entry from ${file}.`]
          : [],
    ),
  ]
}

function leftOf(today: Day, until: Day): string {
  const days = daysBetween(today, until)
  return days === 0 ? 'today only' : days === 1 ? 'one more day' : `${days} more days`
}
