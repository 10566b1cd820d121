/** HTML as a value: texts that are inserted into a template are escaped, unless they are HTML already. */

/** HTML that may stand in a page as it is. Only `html` and `trusted` make it. */
export class Html {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** The values that a template accepts. Lists are concatenated; `undefined` and `false` are empty. */
export type HtmlPart = Html | string | number | undefined | false | readonly HtmlPart[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Control characters but tab, line feed and carriage return, and surrogates without their pair: HTML has none (HTML 13.1). Shown as U+FFFD. */
const unfit = /(?![\t\n\r])\p{Control}|\p{Surrogate}/gu

/** A text as it stands in an element or in a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(unfit, '\ufffd').replace(/[&<>"']/g, (character) => entities[character] as string)

const textOf = (part: HtmlPart): string => {
  if (part === undefined || part === false) return ''
  if (part instanceof Html) return part.toString()
  return typeof part === 'object' ? part.map(textOf).join('') : escapeHtml(String(part))
}

/**
 * HTML of a template. Attributes must be quoted in it.
 *
 * @example html`<a href="${address}">${title}</a>`
 */
export const html = (texts: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html =>
  new Html(texts.map((text, at) => text + textOf(parts[at])).join(''))

/** HTML that another library has made safe. */
export const trusted = (text: string): Html => new Html(text)
