/**
 * Matches the segments of a path to a route, with look-ups in tables that were built at startup.
 */
import type { KeyValue } from '../definition/key.js'
import type { OperationDescription } from './operation.js'
import type { Match, Mounted, Route } from './routes.js'

/**
 * Returns the route of these segments, and the keys in the segments. Returns `undefined` if there
 * is no such route. `top` contains a table for each area (`''` for no area). The keys of that table
 * are the segments that can follow the area.
 */
export function match<Op extends OperationDescription>(
  top: ReadonlyMap<string, ReadonlyMap<string, Mounted<Op> | Route<Op>>>,
  segments: readonly string[],
): Match<Op> | undefined {
  const [first = '', second = ''] = segments
  const area = top.get(first)
  const inArea = first !== '' && area !== undefined
  const found = inArea ? area.get(second) : top.get('')?.get(first)
  const from = inArea ? 2 : 1
  if (found === undefined) return undefined
  if (!('plan' in found)) return matchFile(found, segments, from)
  return matchBelow(found, segments, from, [])
}

function matchBelow<Op extends OperationDescription>(
  mounted: Mounted<Op>,
  segments: readonly string[],
  from: number,
  keys: readonly KeyValue[],
): Match<Op> | undefined {
  const id = segments[from]
  if (id === undefined) return { route: mounted.collection, keys }
  const key = mounted.plan.key.parse(id)
  if (key === undefined || id === '') return undefined
  const through = keys.length === 0 ? [key] : [...keys, key]
  const segment = segments[from + 1]
  if (segment === undefined) return { route: mounted.item, keys: through }
  const next = mounted.below.get(segment)
  if (next === undefined) return undefined
  if (next.kind === 'contained') return matchBelow(next.mounted, segments, from + 2, through)
  if (next.kind === 'leaf') return segments.length === from + 2 ? { route: next.route, keys: through } : undefined
  const memberId = segments[from + 2]
  if (memberId === undefined) return { route: next.members, keys: through }
  const memberKey = next.child.plan.key.parse(memberId)
  return memberKey === undefined || segments.length > from + 3
    ? undefined
    : { route: next.member, keys: [...through, memberKey] }
}

/** Matches an endpoint, a document, or one of the files below a document. */
function matchFile<Op extends OperationDescription>(
  found: Route<Op>,
  segments: readonly string[],
  from: number,
): Match<Op> | undefined {
  if (segments.length === from) return { route: found, keys: [] }
  const { file } = found
  return file === undefined || segments.length > from + 1 || segments[from] === ''
    ? undefined
    : { route: file, keys: [] }
}
