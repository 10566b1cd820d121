/** A choice of representations (HDR-1; RFC 9110 12.5.1). */
import type { Caches } from '../cache.js'
import { negotiator } from '../http/accept.js'

export interface Offers<T> {
  /** What an `Accept` field asks for; `undefined` where nothing of it is offered. */
  choose(accept: string | undefined): T | undefined
  /** The media types there are, the preferred ones first. */
  readonly types: readonly string[]
}

/** Offers these, the first for a request that asks for nothing. `caches` keep what was chosen. */
export function offersOf<T extends { readonly mediaType: string }>(offered: readonly T[], caches: Caches): Offers<T> {
  const byType = new Map(offered.toReversed().map((one) => [one.mediaType, one]))
  const types = Object.freeze([...new Set(offered.map((one) => one.mediaType))])
  const negotiate = negotiator(types, caches)
  return Object.freeze({ choose: (accept: string | undefined) => byType.get(negotiate(accept) ?? ''), types })
}
