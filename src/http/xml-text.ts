/**
 * Characters, names and escapes of XML 1.0 (fifth edition) and of Namespaces in XML 1.0.
 */

const unfit = /[^\t\n\r -\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u

/** Whether XML 1.0 can carry a text at all, by reference or not (2.2): no control characters but tab, LF and CR, no half surrogate pairs, no U+FFFE, U+FFFF. */
export function isXmlText(text: string): boolean {
  return !unfit.test(text)
}

// The fifth edition's names as far as they lie in the basic plane: fewer parsers than one would think know the others. Without U+1680 and U+FEFF, which are names
// to XML and white space to many a reader.
const nameStart =
  'A-Z_a-z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u167F\\u1681-\\u1FFF\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFEFE\\uFF00-\\uFFFD'
const nameMore = '\\-.0-9\\u00B7\\u0300-\\u036F\\u203F\\u2040'
const ncName = new RegExp(`^[${nameStart}][${nameStart}${nameMore}]*$`)
const noStart = new RegExp(`^[${nameMore}]`)

/** Whether a text can be the name of an element without a prefix (Namespaces 3, NCName) for every reader. */
export function isNcName(text: string): boolean {
  return ncName.test(text)
}

/** Whether the part of a name behind its colon begins as no name may: saxes looks at the whole name alone. */
export function startsAmiss(local: string): boolean {
  return noStart.test(local)
}

/** Whether a text is empty or white space (2.3, S). */
export function isBlank(text: string): boolean {
  return !/[^ \t\r\n]/.test(text)
}

/** A text without the white space of XML around it; `trim` would take more. */
export function trimXml(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return end - start === text.length ? text : text.slice(start, end)
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

// Everything that needs neither an escape nor a second look: one test lets nearly all texts through.
const beyondPlain = /[^\t\n -%'-;=?-\uD7FF\uE000-\uFFFD]/

/** Whether a text may stand between tags as it is. One with characters beyond the basic plane may, too, and is told no. */
export function isPlain(text: string): boolean {
  return !beyondPlain.test(text)
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  // Only `]]>` needs it, and it does no harm elsewhere.
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  // Readers turn CR and CR LF into LF (2.11), but not where they stand as references.
  '\r': '&#13;',
}

const escapeOf = (character: string): string => escapes[character] as string

/** A text as it stands between tags; it is one that XML can carry. */
export function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, escapeOf)
}

/** A text as it stands in an attribute between double quotes; white space is kept as it is (3.3.3). */
export function escapeAttribute(text: string): string {
  return text.replace(/[&<>"\t\n\r]/g, escapeOf)
}
