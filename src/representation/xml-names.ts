/**
 * The words that the XML of this library has beside the members' names: one place for the writer and the reader (HDR-1, HDR-5). `docs/xml.md` tells them.
 */

/** The name of an element whose member's name is no name in XML; the attribute `name` tells it then. */
export const memberElement = 'member'

/** The name of an array's items, unless the caller has another. */
export const itemElement = 'item'

/** The one value of `encoding` and `name-encoding`: the text is a JSON string literal. */
export const jsonEncoding = 'json'

export const xsiNamespace = 'http://www.w3.org/2001/XMLSchema-instance'

/** The JSON string literal of a text, without any character that XML can't carry. */
export function jsonLiteral(text: string): string {
  // The other characters that XML can't carry are among those that JSON.stringify escapes.
  return JSON.stringify(text).replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
}

/** The text that a JSON string literal stands for; `undefined` where it is none. */
export function literalText(literal: string): string | undefined {
  try {
    const value: unknown = JSON.parse(literal)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
