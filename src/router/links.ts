/**
 * Reads the keys in the links of a body, and checks that the targets of the links exist (REP-7).
 */
import type { Awaitable } from '../adapters/contract.js'
import { escapePointer, isObject, type JsonObject, own, put } from '../definition/json.js'
import { type KeyValue, lastKey } from '../definition/key.js'
import type { LinkTo } from '../definition/resource.js'
import { decodeSegments, splitTarget } from '../http/targets.js'
import { isOver } from '../plan/life.js'
import { canonicalOf } from '../plan/record.js'
import type { ResourcePlan } from '../plan/resource-plan.js'
import type { Match, Mounted } from '../plan/routes.js'
import type { KnownViolation, Violation } from '../problem.js'
import { settled, together } from '../promise.js'
import { linkedKey } from '../representation/related.js'
import type { ViolationParams } from '../violation.js'
import type { Caller } from './caller.js'
import { otherOrigin } from './link-origin.js'
import { lineageHolds } from './operations/lineage.js'
import { readable } from './permission.js'
import { isLiving } from './served-version.js'
import type { AnswerLinks } from './shown-links.js'

/**
 * Returns a violation for each link whose target does not exist or is not visible to the caller.
 * Checks only the links that this write changes. Checks them concurrently. Adds the targets that it
 * has read to `links`, so that the response can show them.
 */
export function danglingLinks(
  caller: Caller,
  mounted: Mounted,
  next: JsonObject,
  current: JsonObject | undefined,
  links?: AnswerLinks,
): Awaitable<readonly Violation[]> {
  const { associations } = mounted.plan
  const set = current === undefined ? associations : changedLinks(associations, next, current)
  const [first] = set
  if (first === undefined) return none
  if (set.length === 1)
    return settled(danglingLink(caller, mounted, first, next, links), (found) => (found === undefined ? none : [found]))
  return settled(
    together(set, (link) => danglingLink(caller, mounted, link, next, links)),
    (found) => found.filter((violation) => violation !== undefined),
  )
}

/**
 * Returns the links that a write changes. Only these links are checked. If all links were checked,
 * a link whose target was removed earlier would block every change to other members.
 */
function changedLinks(associations: readonly LinkTo[], next: JsonObject, current: JsonObject): readonly LinkTo[] {
  const changed: LinkTo[] = []
  for (const link of associations) {
    for (const member of link.by) {
      if (own(next, member) === own(current, member)) continue
      changed.push(link)
      break
    }
  }
  return changed
}

const none: readonly Violation[] = Object.freeze([])

/** Returns the target resource of a link. */
function targetOf({ plan, targets }: Mounted, { name }: LinkTo): Mounted {
  const target = targets.get(name)
  if (target === undefined) throw new Error(`The link "${name}" of "${plan.collection}" has no target.`)
  return target
}

function danglingLink(
  caller: Caller,
  mounted: Mounted,
  link: LinkTo,
  next: JsonObject,
  links: AnswerLinks | undefined,
): Awaitable<Violation | undefined> {
  const target = targetOf(mounted, link)
  const key = linkedKey(target, link, next)
  if (key === undefined) {
    links?.check(link)
    return undefined
  }
  return settled(readable(caller, target, [key]), ([stored]) => {
    if (stored === undefined) return dangling(link, target)
    links?.check(link, { key: target.plan.key.text(key), stored })
    return undefined
  })
}

/**
 * Like `danglingLinks`, for many records that are to be created. The targets of each link are read
 * in one batch. A record may link to a record that precedes it in `records`.
 */
export async function danglingInAll(
  caller: Caller,
  mounted: Mounted,
  records: readonly JsonObject[],
): Promise<readonly (readonly Violation[])[]> {
  const violations = records.map((): Violation[] => [])
  for (const link of mounted.plan.associations) {
    const target = targetOf(mounted, link)
    const { key: codec } = target.plan
    const wanted = records.map((record) => linkedKey(target, link, record))
    const distinct = new Map(wanted.filter((key) => key !== undefined).map((key) => [codec.text(key), key]))
    const stored = await readable(caller, target, [...distinct.values()])
    const there = new Set([...distinct.keys()].filter((_, i) => stored[i] !== undefined))
    for (const [i, key] of wanted.entries()) {
      if (key !== undefined && !there.has(codec.text(key))) violations[i]?.push(dangling(link, target))
      const made = target.plan === mounted.plan ? codec.of(records[i]) : undefined
      if (made !== undefined) there.add(codec.text(made))
    }
  }
  return violations
}

function dangling(link: LinkTo, target: Mounted): KnownViolation<'reference'> {
  return {
    pointer: `/${escapePointer(link.name)}`,
    detail: `"${link.name}" refers to an item that does not exist in ${target.plan.collection}.`,
    code: 'reference',
    params: { collection: target.plan.collection },
    clause: 'REP-7',
  }
}

/**
 * Converts the links in a body to stored members: `{ client: { id: 7 } }` becomes
 * `{ client_id: 7 }`. Links to sub-collections are left out, because they are not stored. Adds
 * violations to `violations`. Returns a new object, and does not change `body`.
 */
export function storedTerms(caller: Caller, mounted: Mounted, body: JsonObject, violations: Violation[]): JsonObject {
  const { plan } = mounted
  if (plan.links.size === 0) return { ...body }
  const record: JsonObject = {}
  const taking: Taking = { caller, mounted, body, record, violations }
  for (const name of Object.keys(body)) {
    const link = plan.links.get(name)
    if (link?.kind === 'to') takeLink(taking, link)
    else if (link?.kind === 'sub') continue
    else if (link?.kind === 'external') put(record, name, belowVersion(caller, plan, name, body[name]))
    else if (plan.hidden.has(name)) violations.push(hiddenViolation(name, plan.hidden.get(name) as string))
    else put(record, name, body[name])
  }
  return record
}

/**
 * Returns the stored form of an external link, which is a link whose `href` is stored. In
 * responses, `represent()` converts a stored path to an absolute URL. Here, such a URL becomes a
 * path again, unless `href` has the format `uri` in the schema.
 */
function belowVersion({ base }: Caller, { definition }: ResourcePlan, name: string, given: unknown): unknown {
  if (!isObject(given) || typeof given.href !== 'string' || !given.href.startsWith(`${base}/`)) return given
  const { format } = definition.shape.at([name, 'href']) ?? {}
  return format === 'uri' ? given : { ...given, href: given.href.slice(base.length) }
}

/** A body, and the record that is being built from it. */
interface Taking {
  readonly caller: Caller
  readonly mounted: Mounted
  readonly body: JsonObject
  /** The members converted so far. */
  readonly record: JsonObject
  readonly violations: Violation[]
}

function takeLink(taking: Taking, link: LinkTo): void {
  const { caller, mounted, body, record, violations } = taking
  const target = targetOf(mounted, link)
  const { hidden, shared } = mounted.plan
  const given = body[link.name]
  if (given === null) {
    for (const member of link.by) if (hidden.has(member) && !shared.has(member)) record[member] = null
    // A link has no target if at least one of its stored members is null. So a body in which the
    // link is null contradicts itself only if all of these members are in the body with values
    // other than null.
    if (link.by.every((member) => !hidden.has(member) && (body[member] ?? null) !== null))
      for (const member of link.by) violations.push(contradiction(target, link.name, member))
    return
  }
  const linked = isObject(given)
    ? linkKey(caller, target, given)
    : typeof given === 'string'
      ? plainKey(caller, target, given)
      : undefined
  if (linked !== undefined) {
    const parts = target.plan.key.parts(linked)
    for (let i = 0; i < parts.length; i += 1) {
      const part = parts[i]
      const member = link.by[i] as string
      // If responses contain the member in addition to the link, the body may contain both. The
      // value of the member must then be the same as in the link.
      if (hidden.has(member) || !Object.hasOwn(body, member)) {
        const other =
          shared.has(member) && (record[member] ?? part) !== part ? otherLink(taking, link, member) : undefined
        if (other === undefined) record[member] = part
        else violations.push(contradiction(target, link.name, other))
      } else if (body[member] !== part) violations.push(contradiction(target, link.name, member))
    }
    return
  }
  const collection = target.parent === undefined ? target.path : target.collection.template
  const key = target.plan.key.members.map((member) => `"${member}": ...`).join(', ')
  violations.push({
    pointer: `/${escapePointer(link.name)}`,
    detail:
      `"${link.name}" must ${isObject(given) ? '' : 'be an object and '}lead to an item of ` +
      `${target.plan.collection}: give { "href": "${caller.base}${collection}/..." }, or ` +
      `{ ${key} }.${otherOrigin(given, caller.root)}`,
    code: 'link',
    params: linkParams(target),
    clause: 'REP-7',
  })
}

/**
 * Returns the name of another link in the body that also sets `member`, which several links use.
 */
const otherLink = ({ mounted, body }: Taking, link: LinkTo, member: string): string | undefined =>
  mounted.plan.associations.find(
    ({ name, by }) => name !== link.name && by.includes(member) && (body[name] ?? null) !== null,
  )?.name

/**
 * Returns a violation for each link that a merge patch would change without naming it. This happens
 * if the patch names another link that uses the same member, such as a tenant id, and gives this
 * member another value. `patch` has stored members.
 */
export function crossedLinks(mounted: Mounted, patch: JsonObject, current: JsonObject): readonly Violation[] {
  const { shared, hidden, associations } = mounted.plan
  const changed = [...shared].filter(
    (member) => Object.hasOwn(patch, member) && patch[member] !== canonicalOf(mounted.plan, member, current[member]),
  )
  if (changed.length === 0) return none
  return associations
    .filter(
      ({ by }) =>
        by.some((member) => changed.includes(member)) &&
        by.every((member) => shared.has(member) || !hidden.has(member) || !Object.hasOwn(patch, member)) &&
        by.every((member) => (current[member] ?? null) !== null),
    )
    .map((link) => {
      const target = targetOf(mounted, link)
      return {
        pointer: `/${escapePointer(link.name)}`,
        detail: `The patch would also change the target of "${link.name}". Send "${link.name}" too.`,
        code: 'link',
        params: linkParams(target),
        clause: 'REP-7',
      }
    })
}

/**
 * Returns the key of the target of a link object in a body. The key is read from `href`, or, if
 * there is no `href`, from the members that form the key (REP-7). If the target's records have a
 * member `href` of their own, the members that form the key are read first. Returns `undefined` if
 * the link has no valid key.
 */
function linkKey(caller: Caller, target: Mounted, given: JsonObject): KeyValue | undefined {
  const { key, definition } = target.plan
  // In an expanded link, a member `href` of the target's records is not the URL of the target.
  const own = definition.shape.members.has('href') ? key.of(given) : undefined
  if (own !== undefined) return own
  const href = Object.hasOwn(given, 'href') ? given.href : undefined
  if (typeof href === 'string') return keyOfHref(caller, target, href)
  return href === undefined || href === null ? key.of(given) : undefined
}

/**
 * Returns the key in a link that is a plain URL instead of a link object. Such a link is accepted
 * only if the service's links were plain URLs before it adopted the conventions (REP-1).
 */
function plainKey(caller: Caller, target: Mounted, given: string): KeyValue | undefined {
  const legacy = caller.legacy('REP-1')
  if (legacy === undefined) return undefined
  legacy.found('href')
  return keyOfHref(caller, target, given)
}

function keyOfHref(caller: Caller, target: Mounted, href: string): KeyValue | undefined {
  // A fast path for links as this version writes them, with an id that needs no decoding.
  const { base } = caller
  const { path } = target
  if (target.parent === undefined && href.startsWith(base) && href.startsWith(path, base.length)) {
    const end = base.length + path.length
    const id = href[end] === '/' ? href.slice(end + 1) : ''
    if (plainSegment.test(id)) return target.plan.key.parse(id)
  }
  const { root, version, versions } = caller
  const absolute = href.startsWith('/') && !href.startsWith('//') ? originOf(root) + href : href
  if (!absolute.startsWith(`${root}/`)) return undefined
  const segments = decodeSegments(splitTarget(absolute.slice(root.length)).path)
  if (segments === undefined) return undefined
  const sibling = versions === undefined ? version : versions.get(segments[0] ?? '')
  if (sibling === undefined || !isLiving(sibling)) return undefined
  const match = sibling.table.locate(versions === undefined ? segments : segments.slice(1))
  // If the path is retired, a request to the URL would get a 410, so the link is refused.
  if (match === undefined || isOver(match.route.lives?.path, Date.now())) return undefined
  const found = itemOf(match)
  if (found?.plan.collection !== target.plan.collection) return undefined
  // The URL may name another version. There, the parts of the key may have other types or names,
  // but the id in the path is the same.
  return target.plan.key.parse(found.plan.key.text(lastKey(match.keys)))
}

/** Matches an id that needs no percent-encoding in a path (RFC 3986 2.3). */
const plainSegment = /^[\w.~-]+$/

/**
 * Returns the resource if the URL is that of an item. Returns `undefined` for other URLs, such as
 * those of lists and flags, and for an item below a parent to which it does not belong.
 */
function itemOf({ route, keys }: Match): Mounted | undefined {
  if (route.kind === 'member') return route.resource
  return route.kind === 'item' && route.resource !== undefined && lineageHolds(route.resource, keys)
    ? route.resource
    : undefined
}

const originOf = (root: string): string => /^https?:\/\/[^/]+/.exec(root)?.[0] ?? root

const contradiction = (target: Mounted, link: string, member: string): KnownViolation<'link'> => ({
  pointer: `/${escapePointer(link)}`,
  detail: `"${link}" and "${member}" contradict each other. Leave one of them out.`,
  code: 'link',
  params: linkParams(target),
  clause: 'REP-7',
})

/**
 * The `params` of a violation: the collection of the target, and the members that form its key.
 */
const linkParams = ({ plan }: Mounted): ViolationParams['link'] => ({
  collection: plan.collection,
  members: plan.key.members,
})

const hiddenViolation = (name: string, link: string): KnownViolation<'unknown'> => ({
  pointer: `/${escapePointer(name)}`,
  detail: `"${name}" is not a member here. Did you mean "${link}"?`,
  code: 'unknown',
  params: { name },
  clause: 'REP-7',
  suggestion: link,
})
