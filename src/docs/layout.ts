/** The layout of all pages except the console: head, landmarks and navigation. */
import type { ClauseId } from '../clauses.js'
import type { BlockPage } from './blocks.js'
import { type Html, html } from './html.js'
import type { Markdown } from './markdown.js'
import { shortened } from './read.js'
import type { DocsTag, Site } from './site.js'

/** A page that does not belong to a tag. */
export interface FixedPage {
  readonly name: string
  readonly title: string
}

/** The data with which pages are rendered. */
export interface PageContext {
  readonly site: Site
  readonly title: string
  /** The absolute URL of the version. */
  readonly server: string
  /** The URL of the folder of the pages, relative to this page. */
  readonly folder: string
  readonly markdown: Markdown
  /** The pages that do not belong to a tag, in the order of the navigation. */
  readonly fixed: readonly FixedPage[]
}

/**
 * The maximum number of tags in the navigation of pages. If there are more tags, only the index
 * lists them.
 */
const listedTags = 40

/** The maximum length of a name in a link. */
const longestName = 60

/** The URL of a page or an asset. */
export const fileAddress = ({ folder }: PageContext, name: string): string =>
  (folder === './' && name !== '' ? '' : folder) + encodeURIComponent(name)

/** The URL of the explanation of a clause. */
export const clauseAddress = (context: PageContext, id: ClauseId): string => `${fileAddress(context, 'clauses')}#${id}`

/** Renders a description, which is Markdown and may have several paragraphs. */
export const described = (context: PageContext, text: string): Html =>
  html`<div dir="auto">${context.markdown.block(shortened(text, longestDescription), (id) => clauseAddress(context, id))}</div>`

/** The maximum length of a description, in characters. Longer descriptions are cut. */
const longestDescription = 6_000

/** Renders the text of a cell or a line, which is Markdown. */
export const describedInline = (context: PageContext, text: string): Html =>
  context.markdown.inline(text, (id) => clauseAddress(context, id))

/** The content that differs from page to page. */
export interface PageContent {
  /** The name of the page, for the navigation. */
  readonly name: string
  readonly heading: string
  readonly page: BlockPage
}

/** Returns the HTML of a page. */
export function layout(context: PageContext, { name, heading, page }: PageContent): string {
  const { title, site } = context
  const address = (file: string): string => fileAddress(context, file)
  const suffix = page.number === 1 ? '' : ` (page ${page.number})`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${shortened(name === '' ? title : `${heading}${suffix} - ${title}`, 200)}</title>
<link rel="stylesheet" href="${address('style.css')}">
<script src="${address('search.js')}" defer></script>
</head>
<body>
<a class="skip" href="#docs:main">Skip to the content</a>
<header>
<p class="site"><a href="${context.folder}"${name === '' && html` aria-current="page"`}>${shortened(title, longestName)}</a></p>
<form role="search" id="docs:search" class="search" hidden data-folder="${context.folder}">
<label for="docs:words">Search</label>
<input id="docs:words" type="search" autocomplete="off" spellcheck="false" aria-controls="docs:finds" aria-describedby="docs:count">
<p id="docs:count" class="count" role="status"></p>
<ul id="docs:finds" class="finds"></ul>
</form>
</header>
<div class="side">
<nav aria-label="Documentation">
<ul>
${[{ name: '', title: 'Index' }, ...context.fixed].map((one) => navigationItem(one.name === '' ? context.folder : address(one.name), one.title, one.name === name))}
</ul>
</nav>
${site.tags.length > 0 && site.tags.length <= listedTags && tagList(site.tags, address, name)}
</div>
<main id="docs:main" tabindex="-1">
<h1>${shortened(heading, 200)}${suffix}</h1>
${page.content}
${page.of > 1 && pageList(page, (number) => address(pageName(name, number)))}
</main>
<footer><p>${context.site.document.info.version !== '' && html`Version ${shortened(context.site.document.info.version, longestName)}. `}Generated from the <a href="${context.folder}../openapi.json">OpenAPI document</a>.</p></footer>
</body>
</html>
`.toString()
}

/**
 * Returns the name of a page. The names of all pages except the first end with the page number,
 * such as `orders~2`. For the index, `name` is `''`, and the second page is `index~2`.
 */
export const pageName = (name: string, number: number): string =>
  number === 1 ? name : `${name === '' ? 'index' : name}~${number}`

const tagList = (tags: readonly DocsTag[], address: (file: string) => string, current: string): Html =>
  html`<nav aria-label="Resources">
<p>Resources</p>
<ul>
${tags.map(({ name, slug }) => navigationItem(address(slug), name, slug === current))}
</ul>
</nav>
`

const navigationItem = (
  href: string,
  title: string,
  isCurrent: boolean,
): Html => html`<li><a href="${href}"${isCurrent && html` aria-current="page"`}>${shortened(title, longestName)}</a></li>
`

function pageList({ number, of }: BlockPage, address: (number: number) => string): Html {
  const numbers = Array.from({ length: of }, (_, at) => at + 1)
  const items = numbers.map((one) =>
    one === number
      ? html`<li><span aria-current="page">Page ${one}</span></li>`
      : html`<li><a href="${address(one)}"${one === number + 1 && html` rel="next"`}>Page ${one}</a></li>`,
  )
  return html`<nav aria-label="Pages of this topic"><ol class="pages">${items}</ol></nav>`
}
