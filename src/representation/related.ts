/**
 * Reads the records that links show or expand: one batched read per association and page, never one
 * per item (REP-1..3).
 */
import type { Awaitable, Stored } from '../adapters/contract.js'
import { isObject } from '../definition/json.js'
import type { KeyValue } from '../definition/key.js'
import type { LinkTo } from '../definition/resource.js'
import type { Mounted } from '../plan/routes.js'
import { settled, together } from '../promise.js'
import { tagDigest } from './digest.js'

/** Reads the targets of a link, on behalf of the current request. */
export type ReadBatch = (
  mounted: Mounted,
  keys: readonly KeyValue[],
  link: LinkTo,
) => Awaitable<readonly (Stored<unknown> | undefined)[]>

/** The related records of some records. */
export interface Related {
  /** The associations that are shown or expanded, in the order of the definition. */
  readonly links: readonly RelatedLink[]
}

interface RelatedLink {
  readonly name: string
  readonly expanded: boolean
  /** True if versions do not identify the whole value of these records. */
  readonly computes: boolean
  /**
   * The target for each of the records, in their order; `undefined` if there is none, or none that
   * the caller may see.
   */
  readonly stored: readonly (Stored<unknown> | undefined)[]
  /** The related records of the targets, if they are expanded. */
  readonly nested: Related
}

export const noRelated: Related = Object.freeze({ links: Object.freeze([]) })

/** True if representing this resource requires no related records. */
export function standsAlone(mounted: Mounted, expand: readonly string[]): boolean {
  return expand.length === 0 && mounted.plan.showing.length === 0
}

/** The links that require a related record. */
export function shownLinks({ plan }: Mounted, expand: readonly string[]): readonly LinkTo[] {
  const { showing, associations } = plan
  return expand.length === 0
    ? showing
    : associations.filter(({ name, show }) => show.length > 0 || expand.includes(name))
}

/**
 * Reads the related records of these records, all associations concurrently. Nested associations
 * are not expanded (REP-2), so this is at most two levels deep.
 */
export function gatherRelated(
  mounted: Mounted,
  records: readonly unknown[],
  expand: readonly string[],
  read: ReadBatch,
): Awaitable<Related> {
  if (standsAlone(mounted, expand) || records.length === 0) return noRelated
  const wanted = shownLinks(mounted, expand)
  const gather = (link: LinkTo): Awaitable<RelatedLink> =>
    gatherLink(mounted, link, records, expand.includes(link.name), read)
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
    if (!expanded) return { name, expanded, computes, stored, nested: noRelated }
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
  return settled(read(target, keys, link), (found) =>
    keys.length === records.length ? found : wanted.map((at) => found[at]),
  )
}

const none: readonly undefined[] = Object.freeze([undefined])

/**
 * The versions of the related records of the record at this index: they affect its bytes, so they
 * are part of its tag (HDR-2). Different versions never produce the same text.
 */
export function stampOf({ links }: Related, at: number): string {
  let stamp = ''
  for (const { stored, nested, computes } of links) {
    const one = stored[at]
    stamp +=
      one === undefined
        ? '-'
        : `${one.version.length}:${one.version}${computes ? contentStamp(one) : ''}${stampOf(nested, at)}`
  }
  return stamp
}

/** Identifies a value that may change while its version stays the same (HDR-8). */
export const contentStamp = ({ value }: Stored<unknown>): string => `;${tagDigest(JSON.stringify(value) ?? '')};`

/** The key that a link leads to; `undefined` if a part of it is null. */
export function linkedKey(target: Mounted, { by }: LinkTo, record: unknown): KeyValue | undefined {
  if (!isObject(record)) return undefined
  const parts = by.length === 1 ? [record[by[0] as string]] : by.map((member) => record[member])
  for (const part of parts) if (part === null || part === undefined) return undefined
  return target.plan.key.from(parts as (string | number | boolean)[])
}
