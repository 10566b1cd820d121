/**
 * Element and attribute names that the library adds to those of members, shared by the XML writer
 * and reader (HDR-1, HDR-5). See `docs/xml.md`.
 */

/**
 * The element of a member whose name is not a valid element name. The attribute `name` holds the
 * name.
 */
export const memberElement = 'member'

/** The default name of an array's items. */
export const itemElement = 'item'

/** The only value of `encoding` and `name-encoding`: the text is a JSON string literal. */
export const jsonEncoding = 'json'

export const xsiNamespace = 'http://www.w3.org/2001/XMLSchema-instance'

/** A text as a JSON string literal, without characters that XML can't represent. */
export function jsonLiteral(text: string): string {
  // `JSON.stringify` escapes all other characters that XML can't represent.
  return JSON.stringify(text).replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
}

/** The text of a JSON string literal; `undefined` if it is invalid. */
export function literalText(literal: string): string | undefined {
  try {
    const value: unknown = JSON.parse(literal)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
