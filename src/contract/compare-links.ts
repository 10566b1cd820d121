/**
 * Compares the links that a document declares for responses (OpenAPI 3.1, Link Object). A link
 * names an operation that clients can call after the response, and the values to pass to that
 * operation.
 */
import { canonicalText, isObject } from '../definition/json.js'
import type { Found } from './changes.js'
import type { Pair } from './findings.js'
import type { OwnKind } from './kinds.js'
import type { Place, Source } from './nodes.js'

/** Reports a change of a response. */
type Add = (kind: OwnKind, found: Pick<Found, 'what' | 'before' | 'after' | 'place'>) => void

/**
 * Compares the links of a response. The links are only in the document, and not in the response
 * itself. So a changed link breaks only generated code. `of` names the response in messages.
 */
export function compareLinks(
  pair: Pair<Place>,
  sources: Pair<Source>,
  { status, of, add }: { status: string; of: string; add: Add },
): void {
  const before = sources.before.members(sources.before.member(pair.before, 'links'))
  const after = sources.after.members(sources.after.member(pair.after, 'links'))
  for (const [name, old] of before) {
    const updated = after.get(name)
    const place = `${status} link "${name}"`
    const words = `the link "${name}" of ${of}`
    if (updated === undefined)
      add('response-link-removed', {
        before: old,
        place,
        what: `${words} was removed: generated clients can't follow it`,
      })
    else if (textOf(old) !== textOf(updated))
      add('response-link-changed', {
        before: old,
        after: updated,
        place,
        what: `${words} has another target or other parameters: generated clients still follow the previous link`,
      })
  }
  for (const [name, updated] of after)
    if (!before.has(name))
      add('response-link-added', {
        after: updated,
        place: `${status} link "${name}"`,
        what: `the link "${name}" of ${of} is new`,
      })
}

/**
 * Returns a link as canonical JSON, without its description and its server, which are not compared.
 */
function textOf({ value }: Place): string {
  const { description: _, server: __, ...rest } = isObject(value) ? value : {}
  return canonicalText(rest)
}
