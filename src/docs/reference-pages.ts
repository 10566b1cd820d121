/**
 * The pages that the documentation of every service has: problems, header fields, and the clauses
 * of the conventions.
 */
import { STATUS_CODES } from 'node:http'
import { type ClauseId, clauses } from '../clauses.js'
import { isObject } from '../definition/json.js'
import { type ProblemCode, problemKinds } from '../problem-kinds.js'
import { type Block, piecesOf } from './blocks.js'
import { type Html, html } from './html.js'
import { clauseAddress, describedInline, fileAddress, type PageContext } from './layout.js'
import { problemCodes } from './operation-block.js'
import { problemAdvice } from './problem-advice.js'
import { objectIn, shortened, textIn } from './read.js'
import { follow } from './references.js'
import { maxTextLength, typeText } from './schema-text.js'

const block = (content: Html): Block => ({ anchors: [], content })

/**
 * The blocks of the page about problems. It lists the problems that the library defines and those
 * that the service's own code defines. `base`: the string with which the member `type` of each
 * problem begins.
 */
export function problemBlocks(context: PageContext, base: string): readonly Block[] {
  const codes = Object.keys(problemKinds) as ProblemCode[]
  const intro = html`<p>The body of a response with status 400 or above is a problem: <code>application/problem+json</code> (RFC 9457, <a href="${clauseAddress(context, 'ERR-3')}">ERR-3</a>). Only a response with status 410 has no body: the version or a part of it is retired, or a brownout is in progress. Use <code>code</code> to distinguish problems: it is stable. <code>detail</code> says why this request failed, and <code>errors</code> lists the violations. <code>type</code> identifies the problem, and is the same in every version.</p>
`
  return [block(intro), ...codes.map((code) => block(problemSection(context, code, base))), ...ownProblems(context)]
}

function problemSection(context: PageContext, code: ProblemCode, base: string): Html {
  const { status, title, clause } = problemKinds[code]
  const anchor = `${clause}-${code}`
  return html`<h2 id="${anchor}"><code>${code}</code></h2>
<p>${status} ${STATUS_CODES[status]}: ${title}. Clause <a href="${clauseAddress(context, clause as ClauseId)}">${clause}</a>.</p>
<p>What to do: ${describedInline(context, problemAdvice[code])}</p>
<p><code>${base}#${anchor}</code></p>
`
}

/** The problems that the service's own code defines. */
function ownProblems(context: PageContext): readonly Block[] {
  const { document, tags } = context.site
  const found = new Map<string, Html>()
  for (const tag of tags) {
    for (const { operation, anchor } of tag.operations) {
      for (const [status, given] of Object.entries(objectIn(operation, 'responses'))) {
        const response = follow(document, given)
        for (const code of problemCodes(objectIn(response, 'content'))) {
          if (Object.hasOwn(problemKinds, code) || found.has(code)) continue
          const address = `${fileAddress(context, tag.slug)}#${encodeURIComponent(anchor)}`
          found.set(
            code,
            html`<tr><th scope="row"><code>${shortened(code, maxTextLength)}</code></th><td>${status}</td><td><a href="${address}">${textIn(operation, 'summary') ?? anchor}</a></td></tr>
`,
          )
        }
      }
    }
  }
  return piecesOf([...found.values()]).map((some, at) =>
    block(html`${
      at === 0 &&
      html`<h2>Problems of this service</h2>
`
    }<table><caption>Problems in addition to those of the conventions</caption>
<thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">An operation that returns it</th></tr></thead>
<tbody>
${some}</tbody></table>
`),
  )
}

/** The blocks of the page about clauses: each clause with its text. */
export function clauseBlocks(context: PageContext): readonly Block[] {
  return Object.entries(clauses).map(([id, { title, text }]) =>
    block(html`<h2 id="${id}">${id}: ${title}</h2>
<p>${describedInline(context, text)}</p>
`),
  )
}

/**
 * The blocks of the page about header fields. It lists the library's own fields, which are
 * components of the document. The fields that the service declares are left out.
 */
export function headerBlocks({ site, ...context }: PageContext): readonly Block[] {
  const fields = new Map<string, Html>()
  for (const { operation } of site.tags.flatMap((tag) => tag.operations)) {
    for (const given of Object.values(objectIn(operation, 'responses'))) {
      for (const [name, field] of Object.entries(objectIn(follow(site.document, given), 'headers'))) {
        if (fields.has(name) || !isObject(field) || typeof field.$ref !== 'string') continue
        const value = follow(site.document, field)
        fields.set(
          name,
          html`<tr><th scope="row" id="${name.toLowerCase()}"><code>${name}</code></th><td>${typeText(isObject(value) ? value.schema : undefined, (type) => html`${type}`)}</td><td>${describedInline({ site, ...context }, textIn(value, 'description') ?? '')}</td></tr>
`,
        )
      }
    }
  }
  const rows = [...fields].sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)).map(([, row]) => row)
  return piecesOf(rows).map((some) =>
    block(html`<table><caption>Header fields of responses</caption>
<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${some}</tbody></table>
`),
  )
}
