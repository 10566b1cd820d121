/** One operation of a page: its description, curl command, parameters, body and responses. */
import { isObject, type JsonObject, own } from '../definition/json.js'
import { problemKinds } from '../problem-kinds.js'
import { addressOf, type Block, piecesOf, together } from './blocks.js'
import { curlOf } from './curl.js'
import { type Html, type HtmlPart, html } from './html.js'
import { described, describedInline, fileAddress, type PageContext } from './layout.js'
import { type RowContext, textCell, typeCell } from './members.js'
import { listIn, objectIn, shortened, textIn } from './read.js'
import { follow } from './references.js'
import { maxTextLength, typeText } from './schema-text.js'
import type { DocsOperation } from './site.js'

/** The blocks of an operation. */
export function operationBlocks(
  context: PageContext,
  rows: RowContext,
  docsOperation: DocsOperation,
): readonly Block[] {
  const { document } = context.site
  const { method, path, operation, anchor } = docsOperation
  const description = textIn(operation, 'description')
  const head = html`<h2 id="${anchor}">${summaryOf(docsOperation)}</h2>
<p><span class="method">${method}</span> <code>${path}</code></p>
${operation.deprecated === true && deprecationText(operation)}
${description !== undefined && described(context, description)}
${permissionText(operation)}
<pre><code>${curlOf(document, docsOperation, context.server)}</code></pre>
`
  const [first, ...more] = [
    ...parameterTables(context, docsOperation, rows),
    bodyText(context, rows, operation),
    ...responseTables(context, rows, docsOperation),
  ]
  return together([
    { anchors: [anchor], content: html`${head}${first}` },
    ...more.map((content) => ({ anchors: [], content: html`${content}` })),
  ])
}

/**
 * Returns whether an operation is listed in the index and in the search. HEAD and OPTIONS are not
 * listed there, because they exist for nearly every path. They are described only on the page of
 * the tag.
 */
export const isWorthListing = ({ method }: DocsOperation): boolean => method !== 'HEAD' && method !== 'OPTIONS'

/** The heading of an operation. */
export const summaryOf = ({ method, path, operation }: DocsOperation): string =>
  shortened((textIn(operation, 'summary') ?? `${method} ${path}`).replaceAll('`', ''), maxTextLength)

function deprecationText(operation: JsonObject): Html {
  const sunset = textIn(operation, 'x-sunset')
  const use = textIn(operation, 'x-successor')
  return html`<p><strong>Deprecated.</strong>${sunset !== undefined && html` It ends on <time datetime="${sunset}">${sunset.slice(0, 10)}</time>.`}${use !== undefined && html` Use <code>${shortened(use, maxTextLength)}</code> instead.`}</p>`
}

function permissionText(operation: JsonObject): HtmlPart {
  const asked = listIn(operation, 'x-permission').filter((one) => typeof one === 'string')
  return (
    asked.length > 0 && html`<p>Permission: ${asked.map((one, at) => html`${at > 0 && ', '}<code>${one}</code>`)}.</p>`
  )
}

const places: Readonly<Record<string, string>> = {
  path: 'path',
  query: 'query',
  header: 'header field',
  cookie: 'cookie',
}

function parameterTables(
  context: PageContext,
  { parameters, method, path }: DocsOperation,
  rows: RowContext,
): readonly HtmlPart[] {
  const get = method === 'HEAD' ? sameParameters(context, path, parameters) : undefined
  if (get !== undefined)
    return [
      html`<p>Parameters: the same as for <a href="${addressOf(get.anchor)}">GET</a>.</p>
`,
    ]
  return piecesOf(parameters.map((parameter) => parameterRow(context, parameter, rows))).map(
    (some, at) => html`<table><caption>Parameters${at > 0 && ', continued'}</caption>
<thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${some}</tbody></table>
`,
  )
}

/**
 * Returns the GET operation of a path if it has the same parameters as the HEAD operation
 * (`parameters`). If there are at most two parameters, returns `undefined`, and the page lists them
 * again for HEAD.
 */
function sameParameters(
  context: PageContext,
  path: string,
  parameters: readonly JsonObject[],
): DocsOperation | undefined {
  const get = context.site.tags
    .flatMap(({ operations }) => operations)
    .find((one) => one.path === path && one.method === 'GET')
  return parameters.length > 2 && get !== undefined && JSON.stringify(get.parameters) === JSON.stringify(parameters)
    ? get
    : undefined
}

function parameterRow(context: PageContext, parameter: JsonObject, rows: RowContext): Html {
  const schema =
    parameter.schema ?? Object.values(objectIn(parameter, 'content')).map((one) => objectIn(one, 'schema'))[0]
  const place = textIn(parameter, 'in') ?? ''
  return html`<tr><th scope="row"><code>${shortened(textIn(parameter, 'name') ?? '', maxTextLength)}</code>${parameter.required === true && html` <small>required</small>`}${parameter.deprecated === true && html` <small>deprecated${sunsetText(parameter)}</small>`}</th><td>${places[place] ?? place}</td><td>${typeCell(schema, rows)}</td><td>${textCell(schema, rows, textIn(parameter, 'description'))}${examplesOf(context, parameter)}</td></tr>
`
}

const sunsetText = (parameter: JsonObject): string => {
  const sunset = textIn(parameter, 'x-sunset')
  return sunset === undefined ? '' : `, until ${sunset.slice(0, 10)}`
}

function examplesOf({ site }: PageContext, parameter: JsonObject): HtmlPart {
  const values = Object.values(objectIn(parameter, 'examples')).flatMap((given) => {
    const example = follow(site.document, given)
    return isObject(example) && 'value' in example ? [example.value] : []
  })
  const all = 'example' in parameter ? [parameter.example] : values
  return (
    all.length > 0 &&
    html` Example: ${all.slice(0, 3).map((value, at) => html`${at > 0 && ', '}<code>${shortened(typeof value === 'string' ? value : JSON.stringify(value), maxTextLength)}</code>`)}.`
  )
}

function bodyText(context: PageContext, rows: RowContext, operation: JsonObject): HtmlPart {
  const body = follow(context.site.document, operation.requestBody)
  const content = contentLines(objectIn(body, 'content'), rows)
  if (content === undefined) return undefined
  const description = textIn(body, 'description')
  return html`<p>Body:</p>
${description !== undefined && described(context, description)}
<ul>${content}</ul>
${Object.values(objectIn(body, 'content'))
  .slice(0, 1)
  .map((media) => exampleBlocks(context, media))}`
}

/** Lists the media types of a body. Media types with the same schema are listed together. */
function contentLines(content: JsonObject, rows: RowContext): readonly Html[] | undefined {
  const types = new Map<string, { readonly types: string[]; readonly schema: unknown }>()
  for (const [type, media] of Object.entries(content)) {
    const schema = isObject(media) ? media.schema : undefined
    const key = JSON.stringify(schema ?? null)
    const known = types.get(key) ?? { types: [], schema }
    known.types.push(type)
    types.set(key, known)
  }
  if (types.size === 0) return undefined
  return [...types.values()].map(
    (one) =>
      html`<li>${typeText(one.schema, rows.link)} as ${one.types.map((type, at) => html`${at > 0 && ', '}<code>${shortened(type, maxTextLength)}</code>`)}</li>`,
  )
}

/** The maximum length of an example, in characters. Longer examples are cut. */
const longestExample = 3_000

function exampleBlocks({ site }: PageContext, media: unknown): HtmlPart {
  return Object.entries(objectIn(media, 'examples'))
    .slice(0, 3)
    .map(([name, given]) => {
      const example = follow(site.document, given)
      const value = isObject(example) && 'value' in example ? JSON.stringify(example.value, undefined, 2) : undefined
      return (
        value !== undefined &&
        html`<p>Example ${shortened(name, maxTextLength)}:</p><pre><code>${shortened(value, longestExample)}</code></pre>`
      )
    })
}

/**
 * Returns the tables of the responses, with a row for each status. Header fields that all responses
 * have are listed once, before the first table.
 */
function responseTables(context: PageContext, rows: RowContext, { operation }: DocsOperation): readonly HtmlPart[] {
  const answers = Object.entries(objectIn(operation, 'responses')).map(([status, given]) => ({
    status,
    response: follow(context.site.document, given),
  }))
  const common = commonFields(answers.map(({ response }) => objectIn(response, 'headers')))
  const lines = answers.map(
    ({
      status,
      response,
    }) => html`<tr><th scope="row">${shortened(status, maxTextLength)}</th><td>${meaningOf(context, rows, response)}</td><td>${fieldTexts(
      context,
      Object.entries(objectIn(response, 'headers')).filter(([name]) => !common.has(name)),
    )}</td></tr>
`,
  )
  return piecesOf(lines).map(
    (some, at) => html`${
      at === 0 &&
      common.size > 0 &&
      html`<p>Header fields of all responses: ${fieldTexts(context, [...common])}.</p>
`
    }<table><caption>Responses${at > 0 && ', continued'}</caption>
<thead><tr><th scope="col">Status</th><th scope="col">Meaning</th><th scope="col">Header fields</th></tr></thead>
<tbody>
${some}</tbody></table>
`,
  )
}

/**
 * Returns the header fields that all responses have; none if there is only one response. Only
 * fields that are components of the OpenAPI document are included.
 */
function commonFields(all: readonly JsonObject[]): ReadonlyMap<string, unknown> {
  const [first = {}, ...others] = all
  const shared = Object.entries(first).filter(
    ([name, field]) =>
      isObject(field) &&
      typeof field.$ref === 'string' &&
      others.every((fields) => own(fields[name], '$ref') === field.$ref),
  )
  return new Map(others.length === 0 ? [] : shared)
}

/**
 * Describes a response. If the library defines all problem codes of the response, returns only
 * links to these codes. Otherwise, returns the description of the response, followed by its media
 * types. The media types of a problem are left out.
 */
function meaningOf(context: PageContext, rows: RowContext, response: unknown): HtmlPart {
  const codes = problemCodes(objectIn(response, 'content'))
  const description = textIn(response, 'description') ?? ''
  if (codes.length > 0 && codes.every(isKnown)) {
    return codes.map((code, at) => {
      const { clause } = problemKinds[code as keyof typeof problemKinds]
      return html`${at > 0 && ', '}<a href="${fileAddress(context, 'problems')}#${clause}-${code}">${code}</a>`
    })
  }
  const lines = codes.length > 0 ? undefined : contentLines(objectIn(response, 'content'), rows)
  return html`${describedInline(context, shortened(description, 1_000))}${lines !== undefined && html`<ul>${lines}</ul>`}`
}

const isKnown = (code: string): boolean => Object.hasOwn(problemKinds, code)

/** Returns the problem codes of a response. */
export function problemCodes(content: JsonObject): readonly string[] {
  const [media] = Object.entries(content).filter(([type]) => type.startsWith('application/problem+'))
  const schema = isObject(media?.[1]) ? media[1].schema : undefined
  const parts = [schema, ...listIn(schema, 'allOf')]
  return parts
    .flatMap((part) => listIn(objectIn(objectIn(part, 'properties'), 'code'), 'enum'))
    .filter((code) => typeof code === 'string')
}

function fieldTexts(context: PageContext, fields: readonly (readonly [name: string, given: unknown])[]): HtmlPart {
  return fields.map(([name, given], at) => {
    const isShared = isObject(given) && typeof given.$ref === 'string'
    const text = isShared ? undefined : textIn(given, 'description')
    return html`${at > 0 && ', '}${isShared ? html`<a href="${fileAddress(context, 'headers')}#${name.toLowerCase()}">${shortened(name, maxTextLength)}</a>` : html`<code>${shortened(name, maxTextLength)}</code>`}${text !== undefined && html` (${describedInline(context, shortened(text, 300))})`}`
  })
}
