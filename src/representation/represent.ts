/** From a stored record to what a client sees: members in the order of the schema, links in place of keys (REP-1..8). */
import { isObject, type JsonObject, own, put } from '../definition/json.js'
import { type KeyValue, segmentOf } from '../definition/key.js'
import type { Link } from '../definition/resource.js'
import { itemPath, lineageOf } from '../plan/addresses.js'
import type { Mounted } from '../plan/routes.js'
import { linkedKey, type Related } from './related.js'

/**
 * The wire's form of a record. `keys` are its parents' keys, outermost first, and its own; `base` is the absolute address of the version; `at` is the place of the
 * record among those that `related` was gathered for. With `shares` what may leave as it is is the record's own: for writers that only look at it, where functions of a team get
 * copies.
 */
export function represent(
  mounted: Mounted,
  record: unknown,
  keys: readonly KeyValue[],
  base: string,
  related: Related,
  at = 0,
  shares = false,
): JsonObject {
  const source = isObject(record) ? record : {}
  const { plan } = mounted
  const wire: JsonObject = {}
  for (const field of plan.fields) {
    const { name } = field
    if (field.kind === 'member') {
      const value = Object.hasOwn(source, name) ? source[name] : undefined
      const present = shares ? field.presentShared : field.present
      putPresent(wire, name, value === undefined ? nothing(field.nullable) : present(value))
    } else {
      putPresent(wire, name, representLink(mounted, field.link, source, keys, base, related, at, shares))
    }
  }
  if (plan.open) {
    for (const name of Object.keys(source)) {
      const present = plan.presentOther(name)
      if (present !== undefined) putPresent(wire, name, present(source[name]))
    }
  }
  return wire
}

/** A member of which the store has nothing: null where the schema allows it, else it stays away. */
const nothing = (nullable: boolean): null | undefined => (nullable ? null : undefined)

function putPresent(wire: JsonObject, name: string, value: unknown): void {
  if (value !== undefined) put(wire, name, value)
}

function representLink(
  mounted: Mounted,
  link: Link,
  record: JsonObject,
  keys: readonly KeyValue[],
  base: string,
  related: Related,
  at: number,
  shares: boolean,
): unknown {
  if (link.kind === 'sub') return { href: `${base}${itemPath(mounted, keys)}/${segmentOf(link.sub)}` }
  if (link.kind === 'external') return external(mounted, link.name, record, base)
  const target = mounted.targets.get(link.name) as Mounted
  const key = linkedKey(target, link, record)
  if (key === undefined) return null
  const lineage = lineageOf(target, key)
  const found = related.links.find(({ name }) => name === link.name)
  const stored = found?.stored[at]
  if (stored !== undefined && found?.expanded) return represent(target, stored.value, lineage, base, found.nested, at, shares)
  const brief: JsonObject = { href: `${base}${itemPath(target, lineage)}` }
  if (stored !== undefined) {
    for (const name of link.show) {
      const value = own(stored.value, name)
      const nullable = target.plan.definition.shape.members.get(name)?.nullable ?? false
      putPresent(brief, name, value === undefined ? nothing(nullable) : target.plan.present.get(name)?.(value))
    }
  }
  return brief
}

/** A stored link: a path in it becomes absolute, whatever else stands in it stays, such as `//host/path` (RFC 3986 4.2). */
function external(mounted: Mounted, name: string, record: JsonObject, base: string): unknown {
  const shape = mounted.plan.definition.shape.members.get(name)
  const value = own(record, name)
  if (value === undefined) return nothing(shape?.nullable ?? false)
  const presented = mounted.plan.present.get(name)?.(value)
  return isObject(presented) && typeof presented.href === 'string' && /^\/(?!\/)/.test(presented.href)
    ? { ...presented, href: base + presented.href }
    : presented
}
