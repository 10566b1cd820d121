/**
 * Reports expired entries of the option `conventions`, each at most once a day. An expired entry
 * keeps its mode, unless `onExpired` is `refuse`.
 */
import { notify } from '../notify.js'
import type { ExpiredConvention } from './finding.js'
import type { Convention } from './options.js'

const day = 24 * 60 * 60 * 1000

/** When each entry was last reported, in milliseconds since 1970. */
const lastReported = new WeakMap<Convention, number>()

/** Reports an expired entry at most once a day: logs an error and calls the hook. */
export function reportExpiredEntry(
  convention: Convention,
  hook: ((event: ExpiredConvention) => unknown) | undefined,
): void {
  const { clause, mode, until, routes, refusesExpired: enforced } = convention
  const now = Date.now()
  const last = lastReported.get(convention)
  if (last !== undefined && now - last < day) return
  lastReported.set(convention, now)
  console.error(expiredText(convention))
  notify(hook, () => ({ clause, mode, until: until ?? '', routes, enforced }))
}

/** The log message for an expired entry. */
export function expiredText({ clause, mode, until, routes, refusesExpired }: Convention): string {
  const place = routes === undefined ? '' : ` for ${routes.join(', ')}`
  const state = refusesExpired ? 'The clause is enforced now' : `Its mode is still "${mode}"`
  return (
    `The entry "conventions.${clause}"${place} expired after ${until}. ${state}. Remove the entry, or set ` +
    '"until" to a later day.'
  )
}

/** Whether the day after `until` has begun. */
export const isExpired = ({ expires }: Convention): boolean => expires !== undefined && Date.now() >= expires

/** When the service is built, reports the entries that have already expired. */
export function reportExpiredEntries(
  conventions: readonly Convention[],
  hook: ((event: ExpiredConvention) => unknown) | undefined,
): void {
  for (const convention of conventions.filter(isExpired)) reportExpiredEntry(convention, hook)
}
