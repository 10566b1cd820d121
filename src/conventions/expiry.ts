/** Expired entries are reported once a day. Their mode stays as it is, unless `onExpired` says otherwise. */
import { notify } from '../notify.js'
import type { ExpiredConvention } from './finding.js'
import type { Convention } from './options.js'

const day = 24 * 60 * 60 * 1000

/** When each entry was last reported, in milliseconds since 1970. */
const told = new WeakMap<Convention, number>()

/** Reports an expired entry at most once a day: logs an error and calls the hook. */
export function tellExpired(convention: Convention, hook: ((event: ExpiredConvention) => unknown) | undefined): void {
  const { clause, mode, until = '', routes, refusesExpired: enforced } = convention
  const now = Date.now()
  const last = told.get(convention)
  if (last !== undefined && now - last < day) return
  told.set(convention, now)
  const place = routes === undefined ? '' : ` for ${routes.join(', ')}`
  const state = enforced ? 'It is enforced now' : `It is still "${mode}"`
  console.error(`The entry "conventions.${clause}"${place} expired after ${until}. ${state}: remove the entry, or give it a later day.`)
  notify(hook, () => ({ clause, mode, until, routes, enforced }))
}

/** Reports the entries that have already expired when the service is built. */
export function tellExpiredOf(conventions: readonly Convention[], hook: ((event: ExpiredConvention) => unknown) | undefined): void {
  for (const convention of conventions) {
    if (convention.expires !== undefined && Date.now() >= convention.expires) tellExpired(convention, hook)
  }
}
