/**
 * HTML as a value, and templates for HTML. A string that is inserted into a template is escaped. An
 * `Html` value is inserted unchanged.
 */

/** HTML that is inserted without escaping. Only `html` and `trusted` create it. */
export class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/**
 * The values that a template accepts. The items of a list are concatenated. `undefined` and `false`
 * become an empty string.
 */
export type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Lone surrogates, and control characters other than tab, LF and CR. They are replaced with U+FFFD.
 * Of these characters, HTML allows only form feed (HTML 13.1).
 */
const unfit = /(?![\t\n\r])\p{Control}|\p{Surrogate}/gu

/** Escapes a string for an element or a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(unfit, '\ufffd').replace(/[&<>"']/g, (character) => entities[character] as string)

const textOf = (part: HtmlPart): string => {
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.toString()
  return typeof part === 'object' ? part.map(textOf).join('') : escapeHtml(String(part))
}

/**
 * Returns the HTML of a template. Attributes must be quoted.
 *
 * @example html`<a href="${address}">${title}</a>`
 */
export const html = (texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html =>
  new Html(texts.map((text, at) => text + textOf(parts[at])).join(''))

/** Wraps a string that is safe HTML, such as the output of `markdown-it`. */
export const trusted = (text: string): Html => new Html(text)
