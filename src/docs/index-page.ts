/**
 * The index page: an introduction, instructions for calling the service, and links to all pages.
 */
import { own } from '../definition/json.js'
import { type Block, longestPage, piecesOf } from './blocks.js'
import { type Html, type HtmlPart, html } from './html.js'
import { described, describedInline, fileAddress, type PageContext } from './layout.js'
import { isWorthListing, summaryOf } from './operation-block.js'
import { listIn, objectIn, shortened, sound, textIn } from './read.js'
import { follow } from './references.js'
import { maxTextLength } from './schema-text.js'
import type { DocsTag } from './site.js'
import { upgradePageName } from './upgrade-page.js'

/**
 * Maximum size of the list of all resources with their operations, in bytes. If the list would be
 * longer, the operations are omitted.
 */
const longestList = longestPage / 2

/** The blocks of the index. */
export function indexBlocks(context: PageContext): readonly Block[] {
  const { tags } = context.site
  const long = tags.map((tag) => tagLine(context, tag, true))
  const size = long.reduce((sum, line) => sum + Buffer.byteLength(line.toString()), 0)
  const lines = size > longestList ? tags.map((tag) => tagLine(context, tag, false)) : long
  const lists = piecesOf(lines).map(
    (some, at) => html`${
      at === 0 &&
      html`<h2>Resources</h2>
`
    }<ul class="index">
${some}</ul>
`,
  )
  return [
    introduction(context),
    access(context),
    ...(lists.length === 0 ? [html`<p>This version has no operations.</p>`] : lists),
  ].map((content) => ({
    anchors: [],
    content,
  }))
}

function introduction(context: PageContext): Html {
  const { document } = context.site
  const { info } = document
  const summary = textIn(info, 'summary')
  const description = textIn(info, 'description')
  const sunset = textIn(document, 'x-sunset')
  return html`${
    isDeprecated(context) &&
    html`<p><strong>This version is deprecated</strong> (${clauseLink(context, 'VER-3')}).${sunset !== undefined && html` It ends on <time datetime="${sunset}">${sunset.slice(0, 10)}</time>.`} Responses announce the deprecation in <code>Deprecation</code>${sunset !== undefined && html` and <code>Sunset</code>`}.${upgradeLink(context)}</p>
${brownoutText(document)}`
  }${
    summary !== undefined &&
    html`<p>${summary}</p>
`
  }${description !== undefined && described(context, description)}
<p>Address: <code>${context.server}</code></p>
<p>The OpenAPI document, for programs: <a href="${context.folder}../openapi.json">JSON</a>, <a href="${context.folder}../openapi.yaml">YAML</a>.${links(context)}</p>
`
}

/** The link to the upgrade guide, if there is one. */
const upgradeLink = (context: PageContext): HtmlPart =>
  context.fixed
    .filter(({ name }) => name === upgradePageName)
    .map(({ name, title }) => html` What clients must change: <a href="${fileAddress(context, name)}">${title}</a>.`)

/** The announced brownouts: periods in which the deprecated version is unavailable. */
function brownoutText(document: unknown): HtmlPart {
  const coming = listIn(document, 'x-brownouts').slice(0, 50)
  return (
    coming.length > 0 &&
    html`<p>At these times the version is unavailable, and its responses have <code>Retry-After</code>:</p>
<ul>
${coming.map(
  (one) => html`<li>${timeText(one, 'from')} to ${timeText(one, 'until')}: status ${Number(own(one, 'status'))}</li>
`,
)}</ul>
`
  )
}

const timeText = (brownout: unknown, name: 'from' | 'until'): Html => {
  const time = textIn(brownout, name) ?? ''
  return html`<time datetime="${time}">${time.slice(0, 16).replace('T', ' ')} UTC</time>`
}

const clauseLink = (context: PageContext, id: 'VER-3'): Html =>
  html`<a href="${fileAddress(context, 'clauses')}#${id}">${id}</a>`

/**
 * Returns whether the version is deprecated. It is deprecated if the operation that returns its
 * OpenAPI document is marked as deprecated.
 */
const isDeprecated = ({ site }: PageContext): boolean =>
  objectIn(site.document.paths['/openapi'], 'get').deprecated === true

/** Links to further information. Only web URLs and mail addresses become links. */
function links({ site }: PageContext): HtmlPart {
  const { info, externalDocs } = site.document as { readonly info: object; readonly externalDocs?: unknown }
  const contact = objectIn(info, 'contact')
  const license = objectIn(info, 'license')
  const email = textIn(contact, 'email')
  return [
    linkTo(textIn(externalDocs, 'url'), textIn(externalDocs, 'description') ?? 'More documentation'),
    linkTo(textIn(info, 'termsOfService'), 'Terms of service'),
    linkTo(textIn(contact, 'url'), textIn(contact, 'name') ?? 'Contact'),
    email !== undefined && html` <a href="mailto:${encodeURIComponent(sound(email))}">${email}</a>.`,
    linkTo(textIn(license, 'url'), textIn(license, 'name') ?? 'License') ??
      (textIn(license, 'name') !== undefined && html` License: ${textIn(license, 'name')}.`),
  ]
}

const linkTo = (url: string | undefined, title: string): HtmlPart =>
  url !== undefined && /^https?:\/\//i.test(url)
    ? html` <a href="${url}">${shortened(title, maxTextLength)}</a>.`
    : undefined

/** The section about access, which lists the authentication schemes of the document. */
function access(context: PageContext): Html {
  const { document } = context.site
  const schemes = Object.entries(document.components.securitySchemes ?? {})
  if (schemes.length === 0)
    return html`<h2>Access</h2>
<p>No credentials are needed.</p>
`
  const lines = schemes.map(([name, given]) => {
    const scheme = follow(document, given)
    const description = textIn(scheme, 'description')
    return html`<li><strong>${shortened(name, maxTextLength)}</strong>: ${description === undefined ? textIn(scheme, 'type') : describedInline(context, shortened(description, 500))}</li>
`
  })
  return html`<h2>Access</h2>
<ul>
${lines}</ul>
<p>The curl commands read your token from <code>$TOKEN</code>, or your user name and password from <code>$NAME</code> and <code>$PASSWORD</code>. Set these variables first, for example with <code>TOKEN=...</code>.</p>
`
}

function tagLine(
  context: PageContext,
  { name, slug, description, operations }: DocsTag,
  withOperations: boolean,
): Html {
  const address = fileAddress(context, slug)
  const [line = ''] = (description ?? '').split('\n')
  return html`<li><a href="${address}"><strong>${shortened(name, maxTextLength)}</strong></a>${line !== '' && html` <span dir="auto">${describedInline(context, shortened(line, withOperations ? 200 : 100))}</span>`}${
    withOperations &&
    html`
<ul>${operations.filter(isWorthListing).map(
      (
        operation,
      ) => html`<li><a href="${address}#${encodeURIComponent(operation.anchor)}">${summaryOf(operation)}</a> <span class="method">${operation.method}</span> <code>${shortened(operation.path, maxTextLength)}</code></li>
`,
    )}</ul>`
  }</li>
`
}
