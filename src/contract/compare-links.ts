/** Compares the links of answers: what a client may call next, and with what of the answer. */
import { canonicalText, isObject } from '../definition/json.js'
import type { Found } from './changes.js'
import type { Pair } from './findings.js'
import type { OwnKind } from './kinds.js'
import type { Place, Source } from './nodes.js'

/** Adds a change of an answer. */
type Add = (kind: OwnKind, found: Pick<Found, 'what' | 'before' | 'after' | 'place'>) => void

/** Links are no part of what travels: code that was generated from them breaks. `of`: the answer in words. */
export function compareLinks(
  pair: Pair<Place>,
  sources: Pair<Source>,
  { status, of, add }: { status: string; of: string; add: Add },
): void {
  const before = sources.before.members(sources.before.member(pair.before, 'links'))
  const after = sources.after.members(sources.after.member(pair.after, 'links'))
  for (const [name, old] of before) {
    const young = after.get(name)
    const place = `${status} link "${name}"`
    const words = `the link "${name}" of ${of}`
    if (young === undefined)
      add('response-link-removed', { before: old, place, what: `${words} is gone: generated clients can't follow it` })
    else if (textOf(old) !== textOf(young))
      add('response-link-changed', {
        before: old,
        after: young,
        place,
        what: `${words} leads elsewhere, or takes other values: generated clients follow it as it was`,
      })
  }
  for (const [name, young] of after)
    if (!before.has(name))
      add('response-link-added', {
        after: young,
        place: `${status} link "${name}"`,
        what: `the link "${name}" of ${of} is new`,
      })
}

/** What a link does: its description and its server do not count, as elsewhere. */
function textOf({ value }: Place): string {
  const { description: _, server: __, ...rest } = isObject(value) ? value : {}
  return canonicalText(rest)
}
