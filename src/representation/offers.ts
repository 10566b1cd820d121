/** Chooses the representation of a response by `Accept` (HDR-1; RFC 9110 12.5.1). */
import type { Caches } from '../cache.js'
import { negotiator } from '../http/accept.js'

export interface Offers<T> {
  /**
   * Returns the representation that the client prefers, by the value of its `Accept` field. Returns
   * `undefined` if the client accepts none of the representations.
   */
  choose(accept: string | undefined): T | undefined
  /** The available media types, in the service's order of preference. */
  readonly types: readonly string[]
}

/**
 * Creates an object that chooses among the given representations. The first one is the default. The
 * media type that was chosen for a value of `Accept` is stored in `caches`.
 */
export function offersOf<T extends { readonly mediaType: string }>(offered: readonly T[], caches: Caches): Offers<T> {
  const byType = new Map(offered.toReversed().map((one) => [one.mediaType, one]))
  const types = Object.freeze([...new Set(offered.map((one) => one.mediaType))])
  const negotiate = negotiator(types, caches)
  return Object.freeze({ choose: (accept: string | undefined) => byType.get(negotiate(accept) ?? ''), types })
}
