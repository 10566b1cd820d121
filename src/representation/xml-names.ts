/**
 * The element names, attribute values and namespaces that the library itself adds to XML documents.
 * The XML writer and the XML reader share them (HDR-1, HDR-5). See `docs/xml.md`.
 */

/**
 * The element name for a member whose own name is not a valid element name. The attribute `name` of
 * the element holds the name of the member.
 */
export const memberElement = 'member'

/** The default name of the elements for the items of an array. */
export const itemElement = 'item'

/**
 * The only valid value of the attributes `encoding` and `name-encoding`. It means that the text of
 * the element, or the value of its attribute `name`, is a JSON string literal.
 */
export const jsonEncoding = 'json'

export const xsiNamespace = 'http://www.w3.org/2001/XMLSchema-instance'

/**
 * Returns a string as a JSON string literal. The literal contains only characters that XML can
 * represent.
 */
export function jsonLiteral(text: string): string {
  // `JSON.stringify` escapes all characters that XML can't represent, except these two.
  return JSON.stringify(text).replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
}

/** Returns the value of a JSON string literal, or `undefined` if the literal is invalid. */
export function literalText(literal: string): string | undefined {
  try {
    const value: unknown = JSON.parse(literal)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
