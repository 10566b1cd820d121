/** Creates the pages of a service, and the assets that the pages load. */
import type { OpenApiDocument } from '../openapi/document.js'
import { checkOptions } from '../options/check.js'
import { declareFactory } from '../options/factories.js'
import type { Kinds } from '../options/kinds.js'
import type { DocsAsset, DocsFile, DocsPages, DocsSubject } from '../plan/docs-pages.js'
import { type Block, pagesOf } from './blocks.js'
import { consoleAssets, consoleName, consolePage } from './console.js'
import { html } from './html.js'
import { indexBlocks } from './index-page.js'
import { type FixedPage, fileAddress, layout, type PageContext, pageName } from './layout.js'
import { type Markdown, markdown } from './markdown.js'
import { clauseBlocks, headerBlocks, problemBlocks } from './reference-pages.js'
import { searchAsset } from './search.js'
import { searchScript } from './search-entries.js'
import { type Site, siteOf } from './site.js'
import { style } from './style.js'
import { tagBlocks } from './tag-page.js'
import { upgradeBlocks, upgradeOf, upgradePageName } from './upgrade-page.js'

/** The options of `docsPages()`. */
export interface DocsPagesOptions {
  /** The title of the pages. Default: the title of the OpenAPI document. */
  readonly title?: string
  /**
   * Whether there is a page `console` with Swagger UI, which can send requests to the service.
   * Requires the package `swagger-ui-dist`. Default: false.
   */
  readonly console?: boolean
}

export const docsPagesKinds: Kinds<DocsPagesOptions> = { title: 'string', console: 'boolean' }

/** A page that does not belong to a tag, with its blocks. */
interface ReferencePage extends FixedPage {
  readonly blocks: (context: PageContext, subject: DocsSubject) => readonly Block[]
}

const referencePages: readonly ReferencePage[] = [
  { name: 'problems', title: 'Problems', blocks: (context, { problemBase }) => problemBlocks(context, problemBase) },
  { name: 'headers', title: 'Header fields', blocks: headerBlocks },
  { name: 'clauses', title: 'Clauses of the conventions', blocks: clauseBlocks },
]

const asset = (mediaType: string, body: string): DocsAsset => ({ mediaType, read: () => ({ body }) })

const entries = 'search-entries.js'

/**
 * Creates the HTML documentation of a service, for the option `describe` of `api()`. The service
 * serves the pages at `/{version}/docs`. Throws `ConfigurationError` if an option is invalid or a
 * required package is not installed. The package `markdown-it` is always required. The package
 * `swagger-ui-dist` is required only for the console.
 *
 * @example api({ describe: { pages: docsPages(), public: true }, versions: { v1: [...] } })
 */
export function docsPages(options: DocsPagesOptions = {}): DocsPages {
  const { title, console = false } = checkOptions<DocsPagesOptions>('docsPages()', options, docsPagesKinds)
  const reader = markdown()
  const assets = new Map<string, DocsAsset>([
    ['style.css', asset('text/css', style)],
    ['search.js', asset('text/javascript', searchAsset)],
    ...(console ? consoleAssets() : []),
  ])
  const fixed = console ? [...referencePages, { name: consoleName, title: 'Console' }] : referencePages
  const generatedFiles = new Map([[entries, 'text/javascript']])
  const reserved = new Set([
    ...assets.keys(),
    ...generatedFiles.keys(),
    ...referencePages.map(({ name }) => name),
    'index',
    consoleName,
    upgradePageName,
  ])
  // The sites, keyed by document. The router caches the documents. If it evicts a document, the
  // site of the document is removed from this map too.
  const sites = new WeakMap<object, Site>()
  const siteFor = (document: object): Site => {
    const known = sites.get(document) ?? siteOf(document as OpenApiDocument, reserved)
    sites.set(document, known)
    return known
  }
  return Object.freeze({
    assets,
    generatedFiles,
    page(name: string, subject: DocsSubject): DocsFile | undefined | Promise<DocsFile | undefined> {
      if (console && name === consoleName) return consolePage(subject, title)
      const site = siteFor(subject.document)
      const own = [...upgradePages(subject), ...fixed]
      if (name === entries) return { body: searchScript(site, own) }
      const context = contextOf(site, subject, { title, reader, fixed: own })
      const [, base = name] = numbered.exec(name) ?? []
      if (base === upgradePageName && subject.successor !== undefined)
        return upgradeFile(name, context, subject.version, subject.successor)
      return pageOf(name, context, topicOf(base === 'index' ? '' : base, subject, context))
    },
  })
}

declareFactory(docsPages, 'docsPages()')

const contextOf = (
  site: Site,
  { server, folder }: DocsSubject,
  { title, reader, fixed }: { title: string | undefined; reader: Markdown; fixed: readonly FixedPage[] },
): PageContext => ({
  site,
  title: title ?? site.document.info.title,
  server,
  folder,
  markdown: reader,
  fixed,
})

/** The content of one or more pages with the same heading. */
interface Topic {
  readonly name: string
  readonly heading: string
  readonly blocks: readonly Block[]
}

/** Matches the name of a page that ends with a page number, such as `orders~2`. */
const numbered = /^(.+)~([1-9]\d{0,5})$/

/** Returns the upgrade page for the navigation, if the version has a successor. */
const upgradePages = ({ version, successor }: DocsSubject): readonly FixedPage[] =>
  successor === undefined ? [] : [{ name: upgradePageName, title: `From ${version} to ${successor.name}` }]

async function upgradeFile(
  name: string,
  context: PageContext,
  version: string,
  successor: NonNullable<DocsSubject['successor']>,
): Promise<DocsFile | undefined> {
  const guide = upgradeOf(context, version, successor.name, await successor.document())
  return pageOf(name, context, {
    name: upgradePageName,
    heading: `From ${version} to ${successor.name}`,
    blocks: upgradeBlocks(context, guide),
  })
}

function pageOf(name: string, context: PageContext, topic: Topic | undefined): DocsFile | undefined {
  const [, , number = '1'] = numbered.exec(name) ?? []
  if (topic === undefined) return undefined
  const { heading } = topic
  const empty = layout(context, { name: topic.name, heading, page: { number: 1, of: 1, content: html`` } })
  const pages = pagesOf(topic.blocks, Buffer.byteLength(empty), (page) =>
    fileAddress(context, pageName(topic.name, page)),
  )
  const page = pages[Number(number) - 1]
  // A page has only one name. For another spelling, such as `orders~1` for `orders`, there is no
  // page.
  if (page === undefined || pageName(topic.name, page.number) !== name) return undefined
  return { body: layout(context, { name: topic.name, heading, page }) }
}

function topicOf(name: string, subject: DocsSubject, context: PageContext): Topic | undefined {
  if (name === '') return { name, heading: context.title, blocks: indexBlocks(context) }
  const reference = referencePages.find((one) => one.name === name)
  if (reference !== undefined) return { name, heading: reference.title, blocks: reference.blocks(context, subject) }
  const tag = context.site.tags.find(({ slug }) => slug === name)
  return tag && { name, heading: tag.name, blocks: tagBlocks(context, tag) }
}
