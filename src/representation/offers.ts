/** Chooses among representations (HDR-1; RFC 9110 12.5.1). */
import type { Caches } from '../cache.js'
import { negotiator } from '../http/accept.js'

export interface Offers<T> {
  /** The preferred match for an `Accept` field; `undefined` if nothing matches. */
  choose(accept: string | undefined): T | undefined
  /** The available media types, preferred ones first. */
  readonly types: readonly string[]
}

/** Creates a choice. The first entry is the default. `caches` hold the results. */
export function offersOf<T extends { readonly mediaType: string }>(offered: readonly T[], caches: Caches): Offers<T> {
  const byType = new Map(offered.toReversed().map((one) => [one.mediaType, one]))
  const types = Object.freeze([...new Set(offered.map((one) => one.mediaType))])
  const negotiate = negotiator(types, caches)
  return Object.freeze({ choose: (accept: string | undefined) => byType.get(negotiate(accept) ?? ''), types })
}
