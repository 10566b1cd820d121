/** The records that links show or expand: one batched read per association and page, never one per item (REP-1..3). */
import type { Awaitable, Stored } from '../adapters/contract.js'
import { isObject } from '../definition/json.js'
import type { KeyValue } from '../definition/key.js'
import type { LinkTo } from '../definition/resource.js'
import type { Mounted } from '../plan/routes.js'
import { settled, together } from '../promise.js'
import { tagDigest } from './digest.js'

/** Reads what a link leads to, on behalf of the request at hand. */
export type ReadBatch = (mounted: Mounted, keys: readonly KeyValue[], link: LinkTo) => Awaitable<readonly (Stored<unknown> | undefined)[]>

/** What some records are shown with. */
export interface Related {
  /** The associations that show or expand, in the order of the definition. */
  readonly links: readonly RelatedLink[]
}

interface RelatedLink {
  readonly name: string
  readonly expanded: boolean
  /** Versions do not stand for the whole of these records. */
  readonly computes: boolean
  /** What each of the records leads to, in their order; `undefined` where that is nothing, or nothing that the caller may see. */
  readonly stored: readonly (Stored<unknown> | undefined)[]
  /** What these are shown with in turn, where they are expanded. */
  readonly nested: Related
}

export const nothingRelated: Related = Object.freeze({ links: Object.freeze([]) })

/** True where representing this resource takes no related record at all. */
export function standsAlone(mounted: Mounted, expand: readonly string[]): boolean {
  return expand.length === 0 && mounted.plan.showing.length === 0
}

/** The links that take a related record to be shown. */
export function shownLinks({ plan }: Mounted, expand: readonly string[]): readonly LinkTo[] {
  const { showing, associations } = plan
  return expand.length === 0 ? showing : associations.filter(({ name, show }) => show.length > 0 || expand.includes(name))
}

/** Reads what the links of these records need, the associations side by side. Nested associations stay links (REP-2), so this goes two levels deep at most. */
export function gatherRelated(
  mounted: Mounted,
  records: readonly unknown[],
  expand: readonly string[],
  read: ReadBatch,
): Awaitable<Related> {
  if (standsAlone(mounted, expand) || records.length === 0) return nothingRelated
  const wanted = shownLinks(mounted, expand)
  const gather = (link: LinkTo): Awaitable<RelatedLink> => gatherLink(mounted, link, records, expand.includes(link.name), read)
  const [only] = wanted
  if (only !== undefined && wanted.length === 1) return settled(gather(only), (link) => ({ links: [link] }))
  return settled(together(wanted, gather), (links) => ({ links }))
}

function gatherLink(
  mounted: Mounted,
  link: LinkTo,
  records: readonly unknown[],
  expanded: boolean,
  read: ReadBatch,
): Awaitable<RelatedLink> {
  const { name } = link
  const target = mounted.targets.get(name) as Mounted
  return settled(readAll(target, link, records, read), (stored): Awaitable<RelatedLink> => {
    const computes = target.adapter.computes === true
    if (!expanded) return { name, expanded, computes, stored, nested: nothingRelated }
    const values = stored.map((one) => one?.value)
    return settled(gatherRelated(target, values, [], read), (nested) => ({ name, expanded, computes, stored, nested }))
  })
}

/** Reads each key once. */
function readAll(
  target: Mounted,
  link: LinkTo,
  records: readonly unknown[],
  read: ReadBatch,
): Awaitable<readonly (Stored<unknown> | undefined)[]> {
  if (records.length === 1) {
    const key = linkedKey(target, link, records[0])
    return key === undefined ? none : read(target, [key], link)
  }
  const { composite, text } = target.plan.key
  const keys: KeyValue[] = []
  const places = new Map<unknown, number>()
  const wanted = records.map((record) => {
    const key = linkedKey(target, link, record)
    if (key === undefined) return -1
    const name = composite ? text(key) : key
    const known = places.get(name)
    if (known !== undefined) return known
    places.set(name, keys.length)
    return keys.push(key) - 1
  })
  if (keys.length === 0) return wanted.map(() => undefined)
  return settled(read(target, keys, link), (found) => (keys.length === records.length ? found : wanted.map((at) => found[at])))
}

const none: readonly undefined[] = Object.freeze([undefined])

/** The versions of what the record at this place is shown with: they shape its bytes, so they shape its tag (HDR-2). No two that differ have one text. */
export function stampOf({ links }: Related, at: number): string {
  let stamp = ''
  for (const { stored, nested, computes } of links) {
    const one = stored[at]
    stamp += one === undefined ? '-' : `${one.version.length}:${one.version}${computes ? contentStamp(one) : ''}${stampOf(nested, at)}`
  }
  return stamp
}

/** Stands for a value that can change while its version stays (HDR-8). */
export const contentStamp = ({ value }: Stored<unknown>): string => `;${tagDigest(JSON.stringify(value) ?? '')};`

/** The key a link leads to, or `undefined` where a part of it is null. */
export function linkedKey(target: Mounted, { by }: LinkTo, record: unknown): KeyValue | undefined {
  if (!isObject(record)) return undefined
  const parts = by.length === 1 ? [record[by[0] as string]] : by.map((member) => record[member])
  for (const part of parts) if (part === null || part === undefined) return undefined
  return target.plan.key.from(parts as (string | number | boolean)[])
}
