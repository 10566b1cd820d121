/** Dates on which something deprecated may go (RFC 8594), as documents say them in `x-sunset`. */
import { own } from '../definition/json.js'

/** The time of a sunset; `undefined` where it is no date. A date without a time is the start of that day (UTC). */
function sunsetTime(sunset: unknown): number | undefined {
  if (typeof sunset !== 'string') return undefined
  const time = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(sunset) ? `${sunset}T00:00:00Z` : sunset)
  return Number.isNaN(time) ? undefined : time
}

/** Whether a sunset has come. What is no date has none. */
export function hasPassed(sunset: unknown, now: Date): boolean {
  const time = sunsetTime(sunset)
  return time !== undefined && time <= now.getTime()
}

/** How the sunset of something that stays has changed for the worse; `undefined` where it has not. */
export function sunsetChange(before: unknown, after: unknown): 'sunset-brought-forward' | 'sunset-removed' | undefined {
  const old = sunsetTime(own(before, 'x-sunset'))
  const young = sunsetTime(own(after, 'x-sunset'))
  if (old === undefined || own(after, 'deprecated') !== true) return undefined
  if (young === undefined) return 'sunset-removed'
  return young < old ? 'sunset-brought-forward' : undefined
}
