/**
 * Parses the elements of field values: white space, tokens, quoted strings and lists (RFC 9110
 * 5.6). The functions that skip an element take the index of the element and return the index after
 * it. So a parser that uses these functions reads a field in one pass.
 */

const tab = 0x09
const space = 0x20
const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const del = 0x7f

/**
 * The value is 1 at the code of each ASCII character that a token may contain (`tchar`, RFC 9110
 * 5.6.2).
 */
const tchar = new Uint8Array(128)
for (const character of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") {
  tchar[character.charCodeAt(0)] = 1
}

/** The index after optional white space (RFC 9110 5.6.3). */
export function skipSpace(field: string, from: number): number {
  let at = from
  while (field.charCodeAt(at) === space || field.charCodeAt(at) === tab) at++
  return at
}

/** The index after the token that starts at `from`; `from` itself if no token starts there. */
export function tokenEnd(field: string, from: number): number {
  let at = from
  while (tchar[field.charCodeAt(at)] === 1) at++
  return at
}

/**
 * The index after the quoted string that starts at `opening` (RFC 9110 5.6.4); -1 if the string is
 * not closed or contains a control character.
 */
export function quotedEnd(field: string, opening: number): number {
  for (let at = opening + 1; at < field.length; at++) {
    let code = field.charCodeAt(at)
    if (code === quote) return at + 1
    if (code === backslash) code = field.charCodeAt(++at)
    if ((code < space && code !== tab) || code === del) return -1
  }
  return -1
}

/** The value of a quoted string, without quotes and escapes. */
export function unquote(quoted: string): string {
  const text = quoted.slice(1, -1)
  return text.includes('\\') ? text.replace(/\\(.)/gs, '$1') : text
}

/**
 * Splits a list field (RFC 9110 5.6.1) at the commas outside quoted strings. The result includes
 * empty elements. An unclosed quoted string extends to the end of the field.
 */
export function splitList(field: string): readonly string[] {
  const elements: string[] = []
  let start = 0
  let quoted = false
  for (let at = 0; at < field.length; at++) {
    const code = field.charCodeAt(at)
    if (code === quote) quoted = !quoted
    else if (code === backslash && quoted) at++
    else if (code === comma && !quoted) {
      elements.push(field.slice(start, at))
      start = at + 1
    }
  }
  elements.push(field.slice(start))
  return elements
}

/**
 * True if a string is a token (RFC 9110 5.6.2). The name of a header field, for example, is a
 * token.
 */
export const isToken = (text: string): boolean => text !== '' && tokenEnd(text, 0) === text.length
