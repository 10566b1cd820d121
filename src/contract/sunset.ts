/** Sunset dates of deprecated parts (RFC 8594), declared in `x-sunset`. */
import { own } from '../definition/json.js'

/**
 * Returns the time of a sunset, or `undefined` if the sunset is not a date. A date without a time
 * means the start of that day (UTC).
 */
function sunsetTime(sunset: unknown): number | undefined {
  if (typeof sunset !== 'string') return undefined
  const time = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(sunset) ? `${sunset}T00:00:00Z` : sunset)
  return Number.isNaN(time) ? undefined : time
}

/** Returns whether a sunset has passed. An invalid date counts as not passed. */
export function hasPassed(sunset: unknown, now: Date): boolean {
  const time = sunsetTime(sunset)
  return time !== undefined && time <= now.getTime()
}

/**
 * Returns the kind of the change if the sunset of a deprecated part was brought forward or removed.
 * Otherwise returns `undefined`.
 */
export function sunsetChange(before: unknown, after: unknown): 'sunset-brought-forward' | 'sunset-removed' | undefined {
  const old = sunsetTime(own(before, 'x-sunset'))
  const updated = sunsetTime(own(after, 'x-sunset'))
  if (old === undefined || own(after, 'deprecated') !== true) return undefined
  if (updated === undefined) return 'sunset-removed'
  return updated < old ? 'sunset-brought-forward' : undefined
}
