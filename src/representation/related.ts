/**
 * Reads the targets of links. A target is read if the link is expanded, or if the link object
 * contains members of the target (option `show`). All targets of one link on a page are read in one
 * batch, not one by one (REP-1..3).
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

/** The related records of a list of records. */
export interface Related {
  /** The links whose targets were read, in the order of the resource definition. */
  readonly links: readonly RelatedLink[]
}

interface RelatedLink {
  readonly name: string
  readonly expanded: boolean
  /** True if the version of a target does not identify its whole value. */
  readonly computes: boolean
  /**
   * The target of the link for each of the records, in the same order. `undefined` if the record
   * has no target, if the target does not exist, or if the caller is not allowed to see it.
   */
  readonly stored: readonly (Stored<unknown> | undefined)[]
  /** The related records of the targets, if the link is expanded. Otherwise empty. */
  readonly nested: Related
}

export const noRelated: Related = Object.freeze({ links: Object.freeze([]) })

/** Returns whether a representation with these expansions needs no related records. */
export function standsAlone(mounted: Mounted, expand: readonly string[]): boolean {
  return expand.length === 0 && mounted.plan.showing.length === 0
}

/** Returns the links whose targets must be read. */
export function shownLinks({ plan }: Mounted, expand: readonly string[]): readonly LinkTo[] {
  const { showing, associations } = plan
  return expand.length === 0
    ? showing
    : associations.filter(({ name, show }) => show.length > 0 || expand.includes(name))
}

/**
 * Reads the related records of these records. The targets of all links are read concurrently. The
 * links of the related records are not expanded (REP-2), so at most two levels are read.
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

/** Reads the targets of a link. Each key is read only once. */
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
 * Returns a string with the versions of the related records of one record. `at`: the index of the
 * record in the list. Related records affect the bytes of a representation, so their versions are
 * part of its entity tag (HDR-2). Different versions never produce the same string.
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

/**
 * Returns a string that identifies the value of a record. This string is needed if the value may
 * change while the version stays the same (HDR-8).
 */
export const contentStamp = ({ value }: Stored<unknown>): string => `;${tagDigest(JSON.stringify(value) ?? '')};`

/**
 * Returns the key of a link's target. The key consists of members of the record that contains the
 * link. Returns `undefined` if one of these members is null or absent.
 */
export function linkedKey(target: Mounted, { by }: LinkTo, record: unknown): KeyValue | undefined {
  if (!isObject(record)) return undefined
  const parts = by.length === 1 ? [record[by[0] as string]] : by.map((member) => record[member])
  for (const part of parts) if (part === null || part === undefined) return undefined
  return target.plan.key.from(parts as (string | number | boolean)[])
}
