/**
 * Converts the changes between two versions to the items of an upgrade guide. Equal changes of a
 * member in several bodies are merged into one item.
 */
import { canonicalText } from '../definition/json.js'
import type { Change } from './changes.js'

/** One line of a guide. */
export interface GuideItem {
  /** The resource that is affected. */
  readonly resource: string
  readonly part: 'gone' | 'requests' | 'answers' | 'added' | 'generated'
  /** Markdown without line breaks. */
  readonly text: string
  /** Whether the change breaks clients that are not adapted to it. */
  readonly breaks: boolean
}

/** The maximum length of a string in an item, in characters. Longer strings are cut. */
const maxItemLength = 600

/**
 * Kinds of changes that are irrelevant for clients that move to another version. For example, such
 * clients need not know the sunset of the old version.
 */
const omittedKinds: ReadonlySet<string> = new Set([
  'base-path-changed',
  'sunset-removed',
  'sunset-brought-forward',
  'operation-undeprecated',
  'advisory-header-removed',
  'error-status-removed',
])

/** Kinds of changes that affect only generated code. */
const generated: ReadonlySet<string> = new Set(['operation-id-changed', 'component-removed', 'path-parameter-renamed'])

/**
 * Returns the items of a guide. `from` is the name of the old version. The summaries of the changes
 * begin with this name. `resourceOf` returns the resource of a change.
 */
export function itemsOf(
  changes: readonly Change[],
  from: string,
  resourceOf: (change: Change) => string,
): readonly GuideItem[] {
  const reported = changes.filter((change) => !isOmitted(change))
  const [operations, others] = split(reported, ({ kind }) => kind === 'operation-added')
  const [members, rest] = split(others, (change) => memberOf(change, from) !== undefined)
  return [
    ...rest.map((change) => plainItem(change, from, resourceOf)),
    ...memberItems(members, from, resourceOf),
    ...newOperations(operations, resourceOf),
  ]
}

function isOmitted({ kind, method, place, path }: Change): boolean {
  if (omittedKinds.has(kind) || /^\/(?:openapi|docs)\b/.test(path ?? '')) return true
  // HEAD and OPTIONS exist for nearly every path, so the guide does not list them.
  if (kind.startsWith('operation-') && (method === 'HEAD' || method === 'OPTIONS')) return true
  // The guide omits the header field `Link`, because it differs in every version. The guide also
  // omits the maximum length of `sort` and `expand`, which follows from the names that these
  // parameters accept.
  return (
    / header "Link"$/i.test(place) || (kind.startsWith('parameter-maximum') && /^query "(?:sort|expand)"$/.test(place))
  )
}

function split<T>(all: readonly T[], is: (one: T) => boolean): readonly [T[], T[]] {
  return [all.filter(is), all.filter((one) => !is(one))]
}

/** Returns the part of the guide in which a change is listed. */
function partOf(change: Change): GuideItem['part'] {
  const { kind, breaking } = change
  if (generated.has(kind) || kind.startsWith('response-link')) return 'generated'
  if (kind === 'path-removed' || kind.startsWith('operation-removed')) return 'gone'
  if (
    !breaking &&
    /-(?:added|raised|allowed|widened|relaxed|became-many-valued)$/.test(kind) &&
    kind !== 'status-added'
  )
    return 'added'
  return isReceived(change) ? 'answers' : 'requests'
}

/**
 * Whether a change affects a response, a webhook, a callback, or the reply to a webhook or
 * callback.
 */
function isReceived({ kind, path, place }: Change): boolean {
  // The form with the changed part can be sent in a request, a response or a webhook. It is sent in
  // a request only if `place` begins with `body ` and `path` begins with `/`. The `path` of a
  // webhook is its name.
  if (kind === 'part-style-changed') return !(place.startsWith('body ') && path?.startsWith('/') === true)
  if (kind.startsWith('part-')) return ['part-type-removed', 'part-type-unknown', 'part-header-removed'].includes(kind)
  return /^(?:response|header|status|reply|delivery|webhook|callback)-/.test(kind)
}

function plainItem(change: Change, from: string, resourceOf: (change: Change) => string): GuideItem {
  const sentence = withoutPrefix(change, from).replace(/ \(also in \d+ other operations?\)/, '')
  return {
    resource: resourceOf(change),
    part: partOf(change),
    text: ended(textForMarkdown(capital(sentence))),
    breaks: change.breaking,
  }
}

const withoutPrefix = ({ summary }: Change, from: string): string =>
  summary.startsWith(`${from}: `) ? summary.slice(from.length + 2) : summary

/** A change of a member of a body. */
interface MemberChange {
  readonly name: string
  /** All operations that are affected. */
  readonly operations: readonly string[]
  readonly predicate: string
  readonly effect: string | undefined
}

const memberSentence =
  /^the member "(.*)" of the (?:body|\d+ response) of ([A-Z]+ \S+) (.*?)(?: \(also in \d+ other operations?\))?(?:: (clients .*))?$/s

function memberOf(change: Change, from: string): MemberChange | undefined {
  const [, name, operation, predicate, effect] = memberSentence.exec(withoutPrefix(change, from)) ?? []
  if (name === undefined || operation === undefined || predicate === undefined) return undefined
  // A member of the items in a list is reported like the same member of a single item.
  return { name: name.replace(/^\[\]\.?/, ''), operations: [operation, ...change.alsoAt], predicate, effect }
}

/** The same change of a member, in one or more bodies of a resource. */
interface MemberGroup {
  readonly resource: string
  readonly change: Change
  readonly member: MemberChange
  readonly operations: Set<string>
}

/** Merges equal changes of a member in all bodies of a resource into one item. */
function memberItems(
  changes: readonly Change[],
  from: string,
  resourceOf: (change: Change) => string,
): readonly GuideItem[] {
  const groups = new Map<string, MemberGroup>()
  for (const change of changes) {
    const member = memberOf(change, from)
    if (member === undefined) continue
    const resource = resourceOf(change)
    const key = JSON.stringify([resource, partOf(change), member.name, member.predicate])
    const group = groups.get(key) ?? { resource, change, member, operations: new Set<string>() }
    groups.set(key, group)
    for (const operation of member.operations)
      if (!/^(?:HEAD|OPTIONS) /.test(operation)) group.operations.add(operation)
  }
  const all = [...groups.values()]
  const newNames = newNamesIn(all)
  return all.map((group) => {
    const { resource, change, member, operations } = group
    const places = [...operations].map(codeText).join(', ')
    const effect = member.effect === undefined ? '' : `: ${textForMarkdown(member.effect)}`
    const name = newNames.get(group)
    const hint =
      name === undefined ? '' : ` ${codeText(name)} is new and has the same type: the member may have been renamed.`
    const text = `${codeText(member.name)} ${textForMarkdown(member.predicate)} (${places})${effect}`
    return { resource, part: partOf(change), text: `${ended(text)}${hint}`, breaks: change.breaking }
  })
}

/**
 * Finds members that were probably renamed. A rename is probable if exactly one member of a type is
 * gone from the bodies of a resource, and exactly one member of the same type is new.
 */
function newNamesIn(groups: readonly MemberGroup[]): ReadonlyMap<MemberGroup, string> {
  const byType = new Map<string, { readonly gone: MemberGroup[]; readonly fresh: Set<string> }>()
  for (const group of groups) {
    const { resource, change } = group
    const isGone = change.kind.endsWith('-member-removed')
    if (!isGone && !change.kind.endsWith('member-added')) continue
    const key = JSON.stringify([
      resource,
      change.kind.split('-')[0],
      canonicalText([isGone ? change.before : change.after]),
    ])
    const known = byType.get(key) ?? { gone: [], fresh: new Set<string>() }
    byType.set(key, known)
    if (isGone) known.gone.push(group)
    else known.fresh.add(group.member.name)
  }
  const found = new Map<MemberGroup, string>()
  for (const { gone, fresh } of byType.values()) {
    const [name] = fresh
    if (name !== undefined && fresh.size === 1 && new Set(gone.map(({ member }) => member.name)).size === 1)
      for (const group of gone) found.set(group, name)
  }
  return found
}

/** Returns an item for each path with new operations. The item lists their methods. */
function newOperations(changes: readonly Change[], resourceOf: (change: Change) => string): readonly GuideItem[] {
  const paths = new Map<string, { readonly resource: string; readonly methods: string[] }>()
  for (const change of changes) {
    const { path = '', method = '' } = change
    const entry = paths.get(path) ?? { resource: resourceOf(change), methods: [] }
    paths.set(path, entry)
    entry.methods.push(method)
  }
  return [...paths].map(([path, { resource, methods }]) => ({
    resource,
    part: 'added',
    text: `${codeText(path)}: ${methods.join(', ')}.`,
    breaks: false,
  }))
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const ended = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)

/** Control characters, including line breaks, and unpaired surrogates. */
const unfit = /[\p{Control}\u2028\u2029]|\p{Surrogate}/gu

const plain = (text: string): string => {
  const whole = text.replace(unfit, ' ')
  return whole.length <= maxItemLength ? whole : `${[...whole].slice(0, maxItemLength).join('')}…`
}

/** Escapes a string for Markdown. */
export const textForMarkdown = (text: string): string => plain(text).replace(/[\\`*_{}[\]<>#|~&!]/g, '\\$&')

/** Returns a string as a Markdown code span. */
function codeText(text: string): string {
  const fence = '`'.repeat(Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1)
  const padding = text.startsWith('`') || text.endsWith('`') || text === '' ? ' ' : ''
  return `${fence}${padding}${plain(text)}${padding}${fence}`
}
