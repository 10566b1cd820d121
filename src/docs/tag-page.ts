/**
 * The page of a tag. A tag groups the operations of a resource, of an endpoint, of the login, or of
 * hand-written routes.
 */
import { clauses } from '../clauses.js'
import { isObject } from '../definition/json.js'
import { addressOf, type Block, entryFor, piecesOf } from './blocks.js'
import { type Html, html } from './html.js'
import { clauseAddress, described, describedInline, fileAddress, type PageContext } from './layout.js'
import { isClause } from './markdown.js'
import { memberRows, type RowContext, textCell, typeCell } from './members.js'
import { operationBlocks, summaryOf } from './operation-block.js'
import { shortened, textIn } from './read.js'
import { hasMembers, maxTextLength } from './schema-text.js'
import type { DocsTag } from './site.js'

/** The blocks of a tag's page. */
export function tagBlocks(context: PageContext, tag: DocsTag): readonly Block[] {
  const rows = rowContext(context, tag)
  return [
    ...(tag.description === undefined ? [] : [{ anchors: [], content: described(context, tag.description) }]),
    ...contents(tag),
    ...tag.operations.flatMap((operation) => operationBlocks(context, rows, operation)),
    ...tag.types.flatMap((type) => typeBlocks(context, rows, type)),
    ...clauseBlocks(context, tag),
  ]
}

/**
 * Returns the functions that the tables on this page use for links and inline text. A link to a
 * type leads to the explanation of the type, on this page or on the page of another tag.
 */
function rowContext(context: PageContext, tag: DocsTag): RowContext {
  const { tagByType } = context.site
  return {
    link: (name) => {
      const home = tagByType.get(name)
      const shown = html`<code>${shortened(name, maxTextLength)}</code>`
      if (home === undefined) return shown
      const anchor = typeAnchor(name)
      const address =
        home === tag ? addressOf(anchor) : `${fileAddress(context, home.slug)}#${encodeURIComponent(anchor)}`
      return html`<a href="${address}">${shown}</a>`
    },
    inline: (text) => describedInline(context, text),
  }
}

/**
 * Returns the anchor of a type. The anchor contains a colon, so it differs from the anchors of
 * operations.
 */
export const typeAnchor = (name: string): string => `type:${name.replace(/\s+/g, '-')}`

function contents(tag: DocsTag): readonly Block[] {
  const lines = tag.operations.map(
    (operation) =>
      html`<tr><th scope="row"><a ${entryFor(operation.anchor)}>${summaryOf(operation)}</a></th><td>${operation.method}</td><td><code>${shortened(operation.path, maxTextLength)}</code></td></tr>
`,
  )
  const tables = piecesOf(lines).map(
    (some) => html`<table><caption>Operations</caption>
<thead><tr><th scope="col">Operation</th><th scope="col">Method</th><th scope="col">Path</th></tr></thead>
<tbody>
${some}</tbody></table>
`,
  )
  const types = piecesOf(
    tag.types.map(
      (type) => html`<li><a ${entryFor(typeAnchor(type))}>${shortened(type, maxTextLength)}</a></li>
`,
    ),
  ).map(
    (some) => html`<p>Types:</p><ul class="inline">${some}</ul>
`,
  )
  return [...tables, ...types].map((content) => ({ anchors: [], content }))
}

function typeBlocks(context: PageContext, rows: RowContext, name: string): readonly Block[] {
  const schema = context.site.document.components.schemas?.[name]
  const anchor = typeAnchor(name)
  const description = textIn(schema, 'description')
  const head = html`<h2 id="${anchor}">Type <code>${shortened(name, maxTextLength)}</code></h2>
${description !== undefined && described(context, description)}`
  if (!isObject(schema) || !hasMembers(schema))
    return [
      {
        anchors: [anchor],
        content: html`${head}<p>${typeCell(schema, rows)}. ${textCell(schema, rows, '')}</p>
`,
      },
    ]
  const rules = typeCell(schema, rows)
  return piecesOf(memberRows(schema, rows)).map((some, at) => ({
    anchors: at === 0 ? [anchor] : [],
    content: html`${
      at === 0 &&
      html`${head}<p>${rules}.</p>
`
    }${memberTable(name, some, at > 0)}`,
  }))
}

const memberTable = (
  name: string,
  rows: readonly Html[],
  goesOn: boolean,
): Html => html`<table><caption>Members of ${shortened(name, maxTextLength)}${goesOn && ', continued'}</caption>
<thead><tr><th scope="col">Member</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${rows}</tbody></table>
`

/** The clauses that the operations of a tag mention, with the texts of the clauses. */
function clauseBlocks(context: PageContext, { operations }: DocsTag): readonly Block[] {
  const text = JSON.stringify(
    operations.map(({ operation, parameters }) => [operation.description, parameters, operation.responses]),
  )
  const found = [...new Set(text.match(/\b[A-Z]+-[1-9]\d?\b/g))].filter(isClause)
  if (found.length === 0) return []
  const entries = found.map(
    (
      id,
    ) => html`<dt><a href="${clauseAddress(context, id)}">${id}</a> ${clauses[id].title}</dt><dd>${describedInline(context, clauses[id].text)}</dd>
`,
  )
  return [
    {
      anchors: [],
      content: html`<details><summary>Clauses of the conventions on this page</summary><dl>
${entries}</dl></details>
`,
    },
  ]
}
