/** Upgrade guides for client engineers, derived from the OpenAPI documents of two versions. */
import { canonicalText, isList, isObject, own } from '../definition/json.js'
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import type { Change } from './changes.js'
import { compareContracts } from './compare.js'
import { type GuideItem, itemsOf, textForMarkdown } from './upgrade-items.js'

/** The names of the two versions. */
export interface UpgradeGuideOptions {
  /** Default: `info.version` of the old document, otherwise `the old version`. */
  readonly from?: string
  /** Default: `info.version` of the new document, otherwise `the new version`. */
  readonly to?: string
}

export const upgradeGuideKinds: Kinds<UpgradeGuideOptions> = { from: 'string', to: 'string' }

/** The changes under one heading. The items are Markdown without line breaks. */
interface GuidePart {
  readonly heading: string
  readonly items: readonly string[]
}

/** The changes of one resource, or the changes that belong to no single resource. */
interface GuideSection {
  readonly heading: string
  readonly parts: readonly GuidePart[]
}

/** The guide as data. HTML pages and Markdown are rendered from it. */
export interface Guide {
  readonly title: string
  /** Paragraphs of Markdown. */
  readonly intro: readonly string[]
  readonly sections: readonly GuideSection[]
}

/** The headings of the parts of a section, in order. */
const headings: Readonly<Record<GuideItem['part'], string>> = {
  gone: 'Removed',
  requests: 'Changes in requests',
  answers: 'Changes in responses',
  added: 'New',
  generated: 'In generated clients',
}

/**
 * Returns an upgrade guide in Markdown for the OpenAPI documents (3.0 or 3.1) of two versions: the
 * removals, the changes in requests, the changes in responses, the additions, and the changes in
 * generated clients. Throws `DocumentError` if an argument is not an OpenAPI document, or if a
 * reference can't be resolved. Throws `ConfigurationError` `invalid-option` for a wrong option.
 *
 * @example writeFileSync('v1-to-v8.md', upgradeGuide(openapi(service, 'v1'), openapi(service, 'v8')))
 */
export function upgradeGuide(before: unknown, after: unknown, options: UpgradeGuideOptions = {}): string {
  checkOptions('upgradeGuide()', options, upgradeGuideKinds)
  const { title, intro, sections } = guideOf(before, after, options)
  const lines = [`# ${title}`, ...intro]
  for (const { heading, parts } of sections) {
    lines.push(`## ${heading}`)
    for (const part of parts) lines.push(`### ${part.heading}`, part.items.map((item) => `- ${item}`).join('\n'))
  }
  return `${lines.join('\n\n')}\n`
}

/** Returns the guide as data. */
export function guideOf(before: unknown, after: unknown, options: UpgradeGuideOptions): Guide {
  const from = options.from ?? versionOf(before) ?? 'the old version'
  const to = options.to ?? versionOf(after) ?? 'the new version'
  const at = (document: unknown, name: string): unknown =>
    isObject(document) ? { ...document, servers: [{ url: `/${name}` }] } : document
  const changes = compareContracts(at(before, 'from'), at(after, 'to'), { version: from, next: to })
  const resources = resourcesByOperation(before, after)
  const items = itemsOf(changes, from, (change) => resources.get(placeOf(change)) ?? everywhere)
  const known = new Set(sectionsIn(before))
  const names = [...new Set([everywhere, ...known, ...sectionsIn(after)])]
  const all = names.flatMap((name) => sectionOf(name, items))
  // Resources of the old version come first, because their changes affect existing clients. New
  // resources follow.
  const [old, updated] = [
    all.filter(({ heading }) => known.has(heading) || heading === everywhere),
    all.filter(({ heading }) => !known.has(heading) && heading !== everywhere),
  ]
  const sections = [...old, ...updated].map(({ heading, parts }) => ({ heading: textForMarkdown(heading), parts }))
  return {
    title: textForMarkdown(`From ${from} to ${to}`),
    intro: introOf(textForMarkdown(from), textForMarkdown(to), after, items),
    sections,
  }
}

const everywhere = 'Everywhere'

/** Returns the operation of a change, such as `GET /orders`. */
const placeOf = ({ method, path }: Change): string => (path === undefined ? '' : `${method ?? ''} ${path}`)

const versionOf = (document: unknown): string | undefined => {
  const version = own(own(document, 'info'), 'version')
  return typeof version === 'string' && version !== '' ? version : undefined
}

/**
 * Returns the name of the resource of each operation, which is the first tag of the operation. For
 * operations without a tag, the name is `Everywhere`.
 */
function resourcesByOperation(before: unknown, after: unknown): ReadonlyMap<string, string> {
  const resources = new Map<string, string>()
  for (const document of [after, before]) for (const [place, tag] of operationsIn(document)) resources.set(place, tag)
  return resources
}

function operationsIn(document: unknown): readonly (readonly [place: string, tag: string])[] {
  const paths = own(document, 'paths')
  if (!isObject(paths)) return []
  return Object.entries(paths).flatMap(([path, item]) =>
    isObject(item)
      ? Object.entries(item).flatMap(([method, operation]) => {
          const tags = own(operation, 'tags')
          const tag: unknown = isList(tags) ? tags[0] : undefined
          return isObject(operation)
            ? [[`${method.toUpperCase()} ${path}`, typeof tag === 'string' ? tag : everywhere] as const]
            : []
        })
      : [],
  )
}

/**
 * Returns the names of the sections for the operations of a document, in the order of the document.
 */
const sectionsIn = (document: unknown): readonly string[] => [...new Set(operationsIn(document).map(([, tag]) => tag))]

function sectionOf(name: string, items: readonly GuideItem[]): readonly GuideSection[] {
  const own = items.filter(({ resource }) => resource === name)
  const parts = Object.entries(headings).flatMap(([part, heading]) => {
    const texts = [...new Set(own.filter((item) => item.part === part).map(({ text }) => text))]
    return texts.length === 0 ? [] : [{ heading, items: texts }]
  })
  return parts.length === 0 ? [] : [{ heading: name, parts }]
}

function introOf(from: string, to: string, after: unknown, items: readonly GuideItem[]): readonly string[] {
  const count = items.filter(({ breaks }) => breaks).length
  // A name such as `v1` is also a path segment, so the guide shows it as `/v1`. Other names, such
  // as `1.4.0` from `info.version`, are shown unchanged.
  const code = (name: string): string => (/^v\d+$/.test(name) ? `\`/${name}\`` : name)
  const deprecated = canonicalText([after]).includes('"deprecated":true')
    ? ` Avoid the parts of ${to} that are marked as deprecated.`
    : ''
  return [
    `Call ${code(to)} in place of ${code(from)}. The ids of items stay as they are, and links in bodies may lead ` +
      `to either version.${deprecated}`,
    count === 0
      ? `${to} has no breaking changes for clients of ${from}.`
      : `${to} has ${count} breaking ${count === 1 ? 'change' : 'changes'} for clients of ${from}. ` +
        'Each section lists removals first, then changes in requests, changes in responses, additions, and ' +
        'changes in generated clients.',
  ]
}
