/** The changes between two versions as the items of an upgrade guide: in words, those of one member together. */
import { canonicalText } from '../definition/json.js'
import type { Change } from './changes.js'

/** One line of a guide. */
export interface GuideItem {
  /** The resource that it concerns. */
  readonly home: string
  readonly part: 'gone' | 'requests' | 'answers' | 'added' | 'generated'
  /** Markdown without line breaks. */
  readonly text: string
  /** Whether clients that do nothing break. */
  readonly breaks: boolean
}

/** Characters of an item; the documents have the rest. */
const longestItem = 600

/** What says nothing to who goes to another version: that the new one has no end yet, and what was counted by bytes. */
const silent: ReadonlySet<string> = new Set([
  'base-path-changed',
  'sunset-removed',
  'sunset-brought-forward',
  'operation-undeprecated',
  'advisory-header-removed',
  'error-status-removed',
])

/** Differences that only code made from the document notices. */
const generated: ReadonlySet<string> = new Set(['operation-id-changed', 'component-removed', 'path-parameter-renamed'])

/** `homeOf` gives the resource of a change, `from` is the version that sentences begin with. */
export function itemsOf(
  changes: readonly Change[],
  from: string,
  homeOf: (change: Change) => string,
): readonly GuideItem[] {
  const told = changes.filter((change) => !isSilent(change))
  const [operations, others] = split(told, ({ kind }) => kind === 'operation-added')
  const [members, rest] = split(others, (change) => memberOf(change, from) !== undefined)
  return [
    ...rest.map((change) => plainItem(change, from, homeOf)),
    ...memberItems(members, from, homeOf),
    ...newOperations(operations, homeOf),
  ]
}

function isSilent({ kind, method, place, path }: Change): boolean {
  if (silent.has(kind) || /^\/(?:openapi|docs)\b/.test(path ?? '')) return true
  // HEAD and OPTIONS come with their address.
  if (kind.startsWith('operation-') && (method === 'HEAD' || method === 'OPTIONS')) return true
  // Links between pages and to a successor come and go; how long a list of names may get follows from the names.
  return (
    / header "Link"$/i.test(place) || (kind.startsWith('parameter-maximum') && /^query "(?:sort|expand)"$/.test(place))
  )
}

function split<T>(all: readonly T[], is: (one: T) => boolean): readonly [T[], T[]] {
  return [all.filter(is), all.filter((one) => !is(one))]
}

/** Which part of the guide a change belongs to. */
function partOf({ kind, breaking }: Change): GuideItem['part'] {
  if (generated.has(kind) || kind.startsWith('response-link')) return 'generated'
  if (kind === 'path-removed' || kind.startsWith('operation-removed')) return 'gone'
  const answers = /^(?:response|header|status|reply|delivery|webhook|callback)-/.test(kind)
  if (
    !breaking &&
    /-(?:added|raised|allowed|widened|relaxed|became-many-valued)$/.test(kind) &&
    kind !== 'status-added'
  )
    return 'added'
  return answers ? 'answers' : 'requests'
}

function plainItem(change: Change, from: string, homeOf: (change: Change) => string): GuideItem {
  const sentence = withoutPrefix(change, from).replace(/ \(and \d+ more operations?\)/, '')
  return {
    home: homeOf(change),
    part: partOf(change),
    text: ended(textForMarkdown(capital(sentence))),
    breaks: change.breaking,
  }
}

const withoutPrefix = ({ summary }: Change, from: string): string =>
  summary.startsWith(`${from}: `) ? summary.slice(from.length + 2) : summary

/** A difference of a member of a body. */
interface MemberChange {
  readonly name: string
  /** Where it stands: the operation of the change, and those beside it. */
  readonly operations: readonly string[]
  readonly says: string
  readonly so: string | undefined
}

const memberSentence =
  /^the member "(.*)" of the (?:body|\d+ answer) of ([A-Z]+ \S+) (.*?)(?: \(and \d+ more operations?\))?(?:: (clients .*))?$/s

function memberOf(change: Change, from: string): MemberChange | undefined {
  const [, name, operation, says, so] = memberSentence.exec(withoutPrefix(change, from)) ?? []
  if (name === undefined || operation === undefined || says === undefined) return undefined
  // The items of a list are the items themselves.
  return { name: name.replace(/^\[\]\.?/, ''), operations: [operation, ...change.alsoAt], says, so }
}

/** A member with what happens to it in all bodies of a resource where that is the same. */
interface MemberGroup {
  readonly home: string
  readonly change: Change
  readonly member: MemberChange
  readonly operations: Set<string>
}

/** What happens to a member in all bodies of a resource is one item. */
function memberItems(
  changes: readonly Change[],
  from: string,
  homeOf: (change: Change) => string,
): readonly GuideItem[] {
  const groups = new Map<string, MemberGroup>()
  for (const change of changes) {
    const member = memberOf(change, from)
    if (member === undefined) continue
    const home = homeOf(change)
    const key = JSON.stringify([home, partOf(change), member.name, member.says])
    const group = groups.get(key) ?? { home, change, member, operations: new Set<string>() }
    groups.set(key, group)
    for (const operation of member.operations)
      if (!/^(?:HEAD|OPTIONS) /.test(operation)) group.operations.add(operation)
  }
  const all = [...groups.values()]
  const newNames = newNamesIn(all)
  return all.map((group) => {
    const { home, change, member, operations } = group
    const places = [...operations].map(codeText).join(', ')
    const so = member.so === undefined ? '' : `: ${textForMarkdown(member.so)}`
    const name = newNames.get(group)
    const hint =
      name === undefined ? '' : ` ${codeText(name)} is new there and has the same type: it may be its new name.`
    const text = `${codeText(member.name)} ${textForMarkdown(member.says)} (${places})${so}`
    return { home, part: partOf(change), text: `${ended(text)}${hint}`, breaks: change.breaking }
  })
}

/** Where one member of a type is gone from the bodies of a resource and one alone of that type is new in them, that one may be its new name. */
function newNamesIn(groups: readonly MemberGroup[]): ReadonlyMap<MemberGroup, string> {
  const byType = new Map<string, { readonly gone: MemberGroup[]; readonly fresh: Set<string> }>()
  for (const group of groups) {
    const { home, change } = group
    const isGone = change.kind.endsWith('-member-removed')
    if (!isGone && !change.kind.endsWith('member-added')) continue
    const key = JSON.stringify([
      home,
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

/** New methods, those of one address together. */
function newOperations(changes: readonly Change[], homeOf: (change: Change) => string): readonly GuideItem[] {
  const paths = new Map<string, { readonly home: string; readonly methods: string[] }>()
  for (const change of changes) {
    const { path = '', method = '' } = change
    const entry = paths.get(path) ?? { home: homeOf(change), methods: [] }
    paths.set(path, entry)
    entry.methods.push(method)
  }
  return [...paths].map(([path, { home, methods }]) => ({
    home,
    part: 'added',
    text: `${codeText(path)}: ${methods.join(', ')}.`,
    breaks: false,
  }))
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const ended = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)

/** Control characters, line breaks among them, and surrogates without their pair. */
const unfit = /[\p{Control}\u2028\u2029]|\p{Surrogate}/gu

const plain = (text: string): string => {
  const whole = text.replace(unfit, ' ')
  return whole.length <= longestItem ? whole : `${[...whole].slice(0, longestItem).join('')}…`
}

/** A text as Markdown has it as text. */
export const textForMarkdown = (text: string): string => plain(text).replace(/[\\`*_{}[\]<>#|~&!]/g, '\\$&')

/** A text as code. */
function codeText(text: string): string {
  const fence = '`'.repeat(Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)) + 1)
  const padding = text.startsWith('`') || text.endsWith('`') || text === '' ? ' ' : ''
  return `${fence}${padding}${plain(text)}${padding}${fence}`
}
