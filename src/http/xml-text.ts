/** Characters, names and escapes of XML 1.0 (fifth edition) and Namespaces in XML 1.0. */

const unfit = /[^\t\n\r -\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u

/**
 * Whether XML 1.0 can represent a text at all, literally or by reference (2.2): no control
 * characters except tab, LF and CR, no lone surrogates, no U+FFFE or U+FFFF.
 */
export function isXmlText(text: string): boolean {
  return !unfit.test(text)
}

// The names of the fifth edition, limited to the basic multilingual plane, since few parsers
// support the others. Excludes U+1680 and U+FEFF, which XML allows in names but many readers treat
// as white space.
const nameStart =
  'A-Z_a-z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u167F\\u1681-\\u1FFF\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFEFE\\uFF00-\\uFFFD'
const nameMore = '\\-.0-9\\u00B7\\u0300-\\u036F\\u203F\\u2040'
const ncName = new RegExp(`^[${nameStart}][${nameStart}${nameMore}]*$`)
const noStart = new RegExp(`^[${nameMore}]`)

/**
 * Whether a text is valid as an element name without a prefix (Namespaces 3, NCName) for every
 * reader.
 */
export function isNcName(text: string): boolean {
  return ncName.test(text)
}

/**
 * Whether the local part of a prefixed name begins with a character that can't start a name. saxes
 * checks only the whole name.
 */
export function hasInvalidStart(local: string): boolean {
  return noStart.test(local)
}

/** Whether a text is empty or white space (2.3, S). */
export function isBlank(text: string): boolean {
  return !/[^ \t\r\n]/.test(text)
}

/** A text without leading and trailing XML white space; `trim` would remove more. */
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

// Matches characters that may need an escape or another test: a single test accepts nearly all
// texts.
const beyondPlain = /[^\t\n -%'-;=?-\uD7FF\uE000-\uFFFD]/

/**
 * Whether a text needs no escaping between tags. False also for characters outside the basic plane,
 * which would not need any.
 */
export function isPlain(text: string): boolean {
  return !beyondPlain.test(text)
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  // Required only in `]]>`, and harmless elsewhere.
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  // Readers normalize CR and CR LF to LF (2.11), but not character references.
  '\r': '&#13;',
}

const escapeOf = (character: string): string => escapes[character] as string

/** Escapes a text for use between tags. XML must be able to represent it. */
export function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, escapeOf)
}

/** Escapes a text for use in a double-quoted attribute. Preserves white space (3.3.3). */
export function escapeAttribute(text: string): string {
  return text.replace(/[&<>"\t\n\r]/g, escapeOf)
}
