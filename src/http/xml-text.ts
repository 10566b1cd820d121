/** Characters, names and escapes of XML 1.0 (fifth edition) and Namespaces in XML 1.0. */

const unfit = /[^\t\n\r -\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u

/**
 * Whether XML 1.0 can represent all characters of a string, literally or by character reference
 * (XML 1.0 2.2). XML can't represent lone surrogates, U+FFFE, U+FFFF, and characters below U+0020
 * other than tab, LF and CR.
 */
export function isXmlText(text: string): boolean {
  return !unfit.test(text)
}

// The characters that may start a name in the fifth edition (`nameStart`), and the other characters
// of names (`nameMore`). The colon is excluded. The characters outside the basic multilingual plane
// are excluded, because few parsers support them. U+1680 and U+FEFF are excluded, because many
// parsers treat them as white space, although XML allows them in names.
const nameStart =
  'A-Z_a-z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u167F\\u1681-\\u1FFF\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFEFE\\uFF00-\\uFFFD'
const nameMore = '\\-.0-9\\u00B7\\u0300-\\u036F\\u203F\\u2040'
const ncName = new RegExp(`^[${nameStart}][${nameStart}${nameMore}]*$`)
const noStart = new RegExp(`^[${nameMore}]`)

/**
 * Whether a string is a valid element name without a prefix (`NCName`, Namespaces in XML 1.0 3),
 * and has only characters that most parsers support in names.
 */
export function isNcName(text: string): boolean {
  return ncName.test(text)
}

/**
 * Whether the local part of a prefixed name begins with a character that can't start a name. saxes
 * does not check the local part. It checks only the whole name, which starts with the prefix.
 */
export function hasInvalidStart(local: string): boolean {
  return noStart.test(local)
}

/** Whether a string is empty or consists of XML white space (`S`, XML 1.0 2.3). */
export function isBlank(text: string): boolean {
  return !/[^ \t\r\n]/.test(text)
}

/**
 * Returns a string without its leading and trailing XML white space. `trim` would also remove other
 * white space.
 */
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

// Matches every character that is escaped between tags, that XML can't represent, or that is
// outside the basic multilingual plane. Nearly all strings contain none of these characters, so
// this single test is enough for them.
const beyondPlain = /[^\t\n -%'-;=?-\uD7FF\uE000-\uFFFD]/

/**
 * Whether a string certainly needs no escaping between tags. The result is also false for a string
 * with characters outside the basic multilingual plane, although these characters need no escaping.
 */
export function isPlain(text: string): boolean {
  return !beyondPlain.test(text)
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  // This escape is required only in `]]>`, and harmless elsewhere.
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  // Parsers normalize literal CR and CR LF to LF (XML 1.0 2.11), but keep character references.
  '\r': '&#13;',
}

const escapeOf = (character: string): string => escapes[character] as string

/**
 * Escapes a string for use between tags. XML must be able to represent the string (`isXmlText`).
 */
export function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, escapeOf)
}

/**
 * Escapes a string for use in a double-quoted attribute. Tabs and line ends are escaped too,
 * because parsers would replace them with spaces (XML 1.0 3.3.3).
 */
export function escapeAttribute(text: string): string {
  return text.replace(/[&<>"\t\n\r]/g, escapeOf)
}
