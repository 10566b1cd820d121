/**
 * Renders the Markdown in descriptions: CommonMark with tables, but without scripts and external
 * resources (OpenAPI 3.1, "Rich Text Formatting").
 */
import { createRequire } from 'node:module'
import type { MarkdownIt, Token } from 'markdown-it'
import { type ClauseId, clauses } from '../clauses.js'
import { invalidOption } from '../options/check.js'
import { escapeHtml, type Html, html, trusted } from './html.js'
import { sound } from './read.js'

/** Returns the URL of the explanation of a clause. */
type ClauseAddress = (id: ClauseId) => string

/** Renders Markdown. */
export interface Markdown {
  /** Returns the HTML of a text that may have several paragraphs. */
  block(text: string, addressOf: ClauseAddress): Html
  /**
   * Returns HTML without paragraphs if the text has no line breaks. Otherwise returns the same as
   * `block`.
   */
  inline(text: string, addressOf: ClauseAddress): Html
}

/** Loads the package `markdown-it`. */
export type LoadParser = () => (options: object) => MarkdownIt

const load: LoadParser = () => createRequire(import.meta.url)('markdown-it')

/**
 * Creates a renderer. Throws `ConfigurationError` if the package `markdown-it` is not installed.
 */
export function markdown(loadParser: LoadParser = load): Markdown {
  const parser = parserOf(loadParser)
  return {
    block: (text, addressOf) => trusted(parser.render(sound(text), { addressOf })),
    inline(text, addressOf) {
      const given = sound(text)
      return trusted(
        given.includes('\n') ? parser.render(given, { addressOf }) : parser.renderInline(given, { addressOf }),
      )
    },
  }
}

function parserOf(loadParser: LoadParser): MarkdownIt {
  let make: ReturnType<LoadParser>
  try {
    make = loadParser()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    throw invalidOption(
      'docsPages() renders descriptions with the package markdown-it, which is not installed. ' +
        'Run npm install markdown-it.',
    )
  }
  const parser = make({ html: false, linkify: false })
  parser.validateLink = isHarmless
  const { rules } = parser.renderer
  rules.text = (tokens, at, _options, env) =>
    textOf(tokens, at, (env as { readonly addressOf: ClauseAddress }).addressOf)
  // Images become links. An image would be requested from another host, and the
  // `Content-Security-Policy` of the page would block the request.
  rules.image = (tokens, at) => pictureLink(tokens[at] as Token)
  // Headings become bold paragraphs, because their levels would not match those of the page's own
  // headings.
  rules.heading_open = () => '<p><strong>'
  rules.heading_close = () => '</strong></p>\n'
  // Cells are not aligned, because the alignment would be an inline style.
  rules.th_open = () => '<th scope="col">'
  rules.td_open = () => '<td>'
  return parser
}

/**
 * Returns whether a link may be rendered. Links with a relative URL or with the scheme `http`,
 * `https` or `mailto` may be rendered. A link with another scheme, such as `javascript:`, stays
 * text.
 */
function isHarmless(address: string): boolean {
  const [, scheme] = /^([^/?#]*?):/.exec(address) ?? []
  return scheme === undefined || ['http', 'https', 'mailto'].includes(scheme.toLowerCase())
}

function pictureLink({ attrs, content }: Token): string {
  const address = attrs?.find(([name]) => name === 'src')?.[1] ?? ''
  return html`<a href="${address}">${content === '' ? address : content}</a>`.toString()
}

/**
 * Renders a piece of text in a description. Ids of clauses become links, unless the text is inside
 * a link.
 */
function textOf(tokens: readonly Token[], at: number, addressOf: ClauseAddress): string {
  const { content } = tokens[at] as Token
  const depth = tokens
    .slice(0, at)
    .reduce((open, { type }) => open + (type === 'link_open' ? 1 : type === 'link_close' ? -1 : 0), 0)
  return depth > 0 ? escapeHtml(content) : linkedClauses(content, addressOf).toString()
}

/** Renders plain text, with ids of clauses as links. */
function linkedClauses(text: string, addressOf: ClauseAddress): Html {
  const parts = text.split(/\b((?:PATH|REP|VERB|QUERY|HDR|AUTH|ERR|LIMIT|VER)-[1-9]\d?)\b/)
  return html`${parts.map((part, at) => (at % 2 === 1 && isClause(part) ? html`<a href="${addressOf(part)}">${part}</a>` : part))}`
}

/** True for the id of a clause. */
export const isClause = (text: string): text is ClauseId => Object.hasOwn(clauses, text)
