/**
 * Converts a stored record to what a client sees: members in schema order, links in place of keys
 * (REP-1..8).
 */
import { isObject, type JsonObject, own, put } from '../definition/json.js'
import { type KeyValue, segmentOf } from '../definition/key.js'
import type { LinkTo } from '../definition/resource.js'
import { itemPath, lineageOf } from '../plan/addresses.js'
import type { Mounted } from '../plan/routes.js'
import { linkedKey, type Related } from './related.js'

/** Converts records to their wire form. */
export class Presenter {
  readonly #base: string
  readonly #shares: boolean
  readonly #plainLinks: boolean

  /**
   * `base`: the absolute address of the version. With `shares`, values that need no conversion are
   * shared with the record: for encoders that only read them. Functions of a team get copies. With
   * `plainLinks`, links are addresses instead of objects, as some services had them before REP-1.
   */
  constructor(base: string, shares = false, plainLinks = false) {
    this.#base = base
    this.#shares = shares
    this.#plainLinks = plainLinks
  }

  /**
   * `keys`: the parents' keys, outermost first, and the record's own. `at`: the index of the record
   * among those that `related` was gathered for.
   */
  represent(mounted: Mounted, record: unknown, keys: readonly KeyValue[], related: Related, at = 0): JsonObject {
    const source = isObject(record) ? record : {}
    const { plan } = mounted
    const wire: JsonObject = {}
    for (const field of plan.fields) {
      const { name } = field
      if (field.kind === 'member') {
        const value = Object.hasOwn(source, name) ? source[name] : undefined
        const present = this.#shares ? field.presentShared : field.present
        putPresent(wire, name, value === undefined ? absentValue(field.nullable) : present(value))
        continue
      }
      const { link } = field
      if (link.kind === 'to') putPresent(wire, name, this.#link(mounted, link, source, related, at))
      else if (link.kind === 'external') putPresent(wire, name, this.#external(mounted, link.name, source))
      else {
        const href = `${this.#base}${itemPath(mounted, keys)}/${segmentOf(link.sub)}`
        putPresent(wire, name, this.#plainLinks ? href : { href })
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

  /**
   * A link to a resource: the full record if expanded, else its address and the members that the
   * link shows.
   */
  #link(mounted: Mounted, link: LinkTo, record: JsonObject, related: Related, at: number): JsonObject | string | null {
    const target = mounted.targets.get(link.name) as Mounted
    const key = linkedKey(target, link, record)
    if (key === undefined) return null
    const found = relatedBy(related, link)
    const stored = found?.stored[at]
    if (stored !== undefined && found?.expanded)
      return this.represent(target, stored.value, lineageOf(target, key), found.nested, at)
    const href = this.#base + linkedPath(target, key)
    if (this.#plainLinks) return href
    const brief: JsonObject = { href }
    if (stored !== undefined) {
      for (const name of link.show) {
        const value = own(stored.value, name)
        putPresent(
          brief,
          name,
          value === undefined ? absentValueOf(target, name) : target.plan.present.get(name)?.(value),
        )
      }
    }
    return brief
  }

  /**
   * A stored link: a path in it becomes absolute; everything else stays as it is, such as
   * `//host/path` (RFC 3986 4.2).
   */
  #external(mounted: Mounted, name: string, record: JsonObject): unknown {
    const value = own(record, name)
    if (value === undefined) return absentValueOf(mounted, name)
    const presented = mounted.plan.present.get(name)?.(value)
    return isObject(presented) && typeof presented.href === 'string' && /^\/(?!\/)/.test(presented.href)
      ? { ...presented, href: this.#base + presented.href }
      : presented
  }
}

/** The related records of a link. A linear search, because most resources have few links. */
function relatedBy({ links }: Related, { name }: LinkTo): Related['links'][number] | undefined {
  for (const one of links) if (one.name === name) return one
  return undefined
}

/**
 * The path of an item that is identified by its key alone. Most have no parents: these need no list
 * of keys.
 */
const linkedPath = (target: Mounted, key: KeyValue): string =>
  target.parent === undefined
    ? `${target.path}/${segmentOf(target.plan.key.text(key))}`
    : itemPath(target, lineageOf(target, key))

/** The value of a member that the store lacks: null if the schema allows it, else omitted. */
const absentValue = (nullable: boolean): null | undefined => (nullable ? null : undefined)

const absentValueOf = ({ plan }: Mounted, name: string): null | undefined =>
  absentValue(plan.definition.shape.members.get(name)?.nullable ?? false)

function putPresent(wire: JsonObject, name: string, value: unknown): void {
  if (value !== undefined) put(wire, name, value)
}
