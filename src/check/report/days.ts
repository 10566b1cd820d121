/**
 * A calendar day in UTC, in the format of ISO 8601: `2026-12-31`. Such strings sort in the order of
 * the days.
 */

export type Day = string

export const dayOf = (date: Date): Day => date.toISOString().slice(0, 10)

/** Whether a string is a day of the calendar: `2026-02-30` is not. */
export function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(date.getTime()) && dayOf(date) === text
}

/** The type of an option whose value is a day. */
export const dayKind = { a: 'a day of the calendar such as "2026-12-31"', like: { test: isDay } } as const

/** The number of days from one day to a later one. */
export const daysBetween = (from: Day, to: Day): number => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000)
