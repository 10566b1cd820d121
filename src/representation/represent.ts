/** From a stored record to what a client sees: members in the order of the schema, links in place of keys (REP-1..8). */
import { isObject, type JsonObject, own, put } from '../definition/json.js'
import { type KeyValue, segmentOf } from '../definition/key.js'
import type { LinkTo } from '../definition/resource.js'
import { itemPath, lineageOf } from '../plan/addresses.js'
import type { Mounted } from '../plan/routes.js'
import { linkedKey, type Related } from './related.js'

/** Makes the wire's forms of records. */
export class Presenter {
  readonly #base: string
  readonly #shares: boolean
  readonly #plainLinks: boolean

  /**
   * `base` is the absolute address of the version. With `shares` what may leave as it is is the record's own: for writers that only look at it, where functions of a team
   * get copies. With `plainLinks` links are addresses in place of objects, as a service had them before REP-1.
   */
  constructor(base: string, shares = false, plainLinks = false) {
    this.#base = base
    this.#shares = shares
    this.#plainLinks = plainLinks
  }

  /** `keys` are the parents' keys, outermost first, and the record's own; `at` is the place of the record among those that `related` was gathered for. */
  represent(mounted: Mounted, record: unknown, keys: readonly KeyValue[], related: Related, at = 0): JsonObject {
    const source = isObject(record) ? record : {}
    const { plan } = mounted
    const wire: JsonObject = {}
    for (const field of plan.fields) {
      const { name } = field
      if (field.kind === 'member') {
        const value = Object.hasOwn(source, name) ? source[name] : undefined
        const present = this.#shares ? field.presentShared : field.present
        putPresent(wire, name, value === undefined ? nothing(field.nullable) : present(value))
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

  /** A link to a resource: the record in full where it is expanded, else its address with what the link shows. */
  #link(mounted: Mounted, link: LinkTo, record: JsonObject, related: Related, at: number): JsonObject | string | null {
    const target = mounted.targets.get(link.name) as Mounted
    const key = linkedKey(target, link, record)
    if (key === undefined) return null
    const found = relatedBy(related, link)
    const stored = found?.stored[at]
    if (stored !== undefined && found?.expanded) return this.represent(target, stored.value, lineageOf(target, key), found.nested, at)
    const href = this.#base + linkedPath(target, key)
    if (this.#plainLinks) return href
    const brief: JsonObject = { href }
    if (stored !== undefined) {
      for (const name of link.show) {
        const value = own(stored.value, name)
        putPresent(brief, name, value === undefined ? nothingOf(target, name) : target.plan.present.get(name)?.(value))
      }
    }
    return brief
  }

  /** A stored link: a path in it becomes absolute, whatever else stands in it stays, such as `//host/path` (RFC 3986 4.2). */
  #external(mounted: Mounted, name: string, record: JsonObject): unknown {
    const value = own(record, name)
    if (value === undefined) return nothingOf(mounted, name)
    const presented = mounted.plan.present.get(name)?.(value)
    return isObject(presented) && typeof presented.href === 'string' && /^\/(?!\/)/.test(presented.href)
      ? { ...presented, href: this.#base + presented.href }
      : presented
  }
}

/** What was gathered of a link: most resources show few. */
function relatedBy({ links }: Related, { name }: LinkTo): Related['links'][number] | undefined {
  for (const one of links) if (one.name === name) return one
  return undefined
}

/** The path of an item that is named by its key alone. Most lie below nothing: then no row of keys is made. */
const linkedPath = (target: Mounted, key: KeyValue): string =>
  target.parent === undefined ? `${target.path}/${segmentOf(target.plan.key.text(key))}` : itemPath(target, lineageOf(target, key))

/** A member of which the store has nothing: null where the schema allows it, else it stays away. */
const nothing = (nullable: boolean): null | undefined => (nullable ? null : undefined)

const nothingOf = ({ plan }: Mounted, name: string): null | undefined => nothing(plan.definition.shape.members.get(name)?.nullable ?? false)

function putPresent(wire: JsonObject, name: string, value: unknown): void {
  if (value !== undefined) put(wire, name, value)
}
