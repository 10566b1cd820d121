/**
 * Reads the related records that a response needs for its links and expansions (REP-1..3). Records
 * that the caller may not read are left out.
 */
import type { Awaitable, Stored } from '../adapters/contract.js'
import type { JsonObject } from '../definition/json.js'
import type { Mounted } from '../plan/routes.js'
import { settled } from '../promise.js'
import { gatherRelated, noRelated, type Related, standsAlone } from '../representation/related.js'
import { Presenter } from '../representation/represent.js'
import type { Caller, Place } from './caller.js'
import { readable } from './permission.js'
import type { AnswerLinks } from './shown-links.js'

/** Where related records may come from. */
interface Gathering {
  /** Contains the related records that the adapter has returned together with the items. */
  readonly links?: AnswerLinks | undefined
  /** Whether cached copies may replace the related records. */
  readonly reusesCopies?: boolean
}

/** Returns the related records that are needed to represent these items. */
export function relatedOf(
  caller: Caller,
  resource: Mounted,
  items: readonly Stored<unknown>[],
  expand: readonly string[],
  { links, reusesCopies = false }: Gathering = {},
): Awaitable<Related> {
  if (standsAlone(resource, expand)) return noRelated
  const records = items.map((item) => item.value)
  const { records: kept } = caller.service.reuse
  return gatherRelated(resource, records, expand, (mounted, keys, link) => {
    const found = readable(caller, mounted, keys, links?.preloaded(link))
    return reusesCopies ? settled(found, (stored) => kept.of(mounted, stored, keys)) : found
  })
}

/** Returns the item that the path identifies, as a GET without expansions shows it. */
export function shownItem(place: Place, stored: Stored<unknown>): Awaitable<JsonObject> {
  const { resource, keys, base } = place
  return settled(relatedOf(place, resource, [stored], []), (related) =>
    new Presenter(base, false, place.legacy('REP-1') !== undefined).represent(resource, stored.value, keys, related),
  )
}
