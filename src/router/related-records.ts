/** The related records that links show, as far as the caller may read them (REP-1..3). */
import type { Awaitable, Stored } from '../adapters/contract.js'
import type { JsonObject } from '../definition/json.js'
import type { Mounted } from '../plan/routes.js'
import { settled } from '../promise.js'
import { gatherRelated, nothingRelated, type Related, standsAlone } from '../representation/related.js'
import { Presenter } from '../representation/represent.js'
import type { Caller, Place } from './caller.js'
import { readable } from './permission.js'
import type { AnswerLinks } from './shown-links.js'

/** The related records that these need to be shown. `links` has those that came with them. */
export function relatedOf(
  caller: Caller,
  resource: Mounted,
  items: readonly Stored<unknown>[],
  expand: readonly string[],
  links?: AnswerLinks,
): Awaitable<Related> {
  if (standsAlone(resource, expand)) return nothingRelated
  const records = items.map((item) => item.value)
  return gatherRelated(resource, records, expand, (mounted, keys, link) => readable(caller, mounted, keys, links?.told(link)))
}

/** The item of the path as a plain GET shows it. */
export function shownItem(place: Place, stored: Stored<unknown>): Awaitable<JsonObject> {
  const { resource, keys, base } = place
  return settled(relatedOf(place, resource, [stored], []), (related) =>
    new Presenter(base, false, place.legacy('REP-1') !== undefined).represent(resource, stored.value, keys, related),
  )
}
