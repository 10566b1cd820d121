/** Checks days of the Gregorian calendar. */

const daysOf = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether a day exists. Months and days count from 1. */
export function isDay(year: number, month: number, day: number): boolean {
  if (day < 1) return false
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day <= (month === 2 && leap ? 29 : (daysOf[month - 1] ?? 0))
}
