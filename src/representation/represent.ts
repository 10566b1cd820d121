/**
 * Converts a stored record to its representation. Links to sub-collections come first. The members
 * follow in the order of the schema, and links replace keys (REP-1..8).
 */
import { isObject, type JsonObject, own, put } from '../definition/json.js'
import { hasUrl, type KeyValue, segmentOf } from '../definition/key.js'
import type { LinkTo } from '../definition/resource.js'
import { itemPath, lineageOf } from '../plan/addresses.js'
import type { Mounted } from '../plan/routes.js'
import { linkedKey, type Related } from './related.js'

/** Converts records to representations. */
export class Presenter {
  readonly #base: string
  readonly #shares: boolean
  readonly #plainLinks: boolean

  /**
   * `base`: the absolute URL of the version. With `shares`, the representation and the record share
   * the values that need no conversion. This requires an encoder that does not modify values. The
   * service's own encoders get copies instead, because they may modify values. With `plainLinks`,
   * links to resources and sub-collections are plain URLs instead of objects, unless they are
   * expanded. Some services wrote their links like this before they followed REP-1.
   */
  constructor(base: string, shares = false, plainLinks = false) {
    this.#base = base
    this.#shares = shares
    this.#plainLinks = plainLinks
  }

  /**
   * Returns the representation of a record. `keys`: the keys of the record's parents, outermost
   * first, and then the record's own key. `at`: the index of the record in the list for which
   * `related` was read.
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
   * Returns the value of a link to a resource. The value is null if the link has no target, or if
   * no URL can contain the stored key (PATH-11). It is the full target if the link is expanded and
   * the target was read. In all other cases, it is an object with the URL and the members that the
   * link shows, or only the URL if `plainLinks` is set.
   */
  #link(mounted: Mounted, link: LinkTo, record: JsonObject, related: Related, at: number): JsonObject | string | null {
    const target = mounted.targets.get(link.name) as Mounted
    const key = linkedKey(target, link, record)
    if (key === undefined || !hasUrl(key)) return null
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
   * Returns the value of an external link, which is a link whose `href` is stored in the record. If
   * the `href` begins with exactly one slash, the URL of the version is put in front of it. Every
   * other `href` stays unchanged, for example `//host/path` (RFC 3986 4.2).
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

/**
 * Returns the related records of a link. A linear search is fast enough, because most resources
 * have few links.
 */
function relatedBy({ links }: Related, { name }: LinkTo): Related['links'][number] | undefined {
  for (const one of links) if (one.name === name) return one
  return undefined
}

/**
 * Returns the path of the item with this key. Most resources have no parent, so this common case is
 * handled without creating a list of keys.
 */
const linkedPath = (target: Mounted, key: KeyValue): string =>
  target.parent === undefined
    ? `${target.path}/${segmentOf(target.plan.key.text(key))}`
    : itemPath(target, lineageOf(target, key))

/**
 * Returns the value for a member that the stored record lacks: null if the schema allows it,
 * otherwise `undefined`. A member with the value `undefined` is omitted.
 */
const absentValue = (nullable: boolean): null | undefined => (nullable ? null : undefined)

const absentValueOf = ({ plan }: Mounted, name: string): null | undefined =>
  absentValue(plan.definition.shape.members.get(name)?.nullable ?? false)

function putPresent(wire: JsonObject, name: string, value: unknown): void {
  if (value !== undefined) put(wire, name, value)
}
