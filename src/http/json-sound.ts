/**
 * A fast check that `JSON.parse` reads a JSON text without loss (RFC 8259, RFC 7493; HDR-5). Most
 * bodies pass. The scanner (`json-scanner.ts`) checks the other bodies. Unlike this check, the
 * scanner can report what is wrong, and where.
 */

/**
 * Maximum length of a text for the fast check. A longer text is passed to the scanner without this
 * check, so that a hostile body is refused before it is parsed.
 */
const longest = 65_536
/** Maximum nesting for the fast check. The scanner checks texts that are nested more deeply. */
const maxDepth = 64

/**
 * The parsed value, wrapped in an object; `undefined` if the scanner must check the text.
 *
 * `JSON.parse` checks the grammar. Duplicate members are found by counting quotation marks. In the
 * text, each name and each string is between two quotation marks. Escaped quotation marks are not
 * counted. A duplicate member occurs twice in the text, but only once in the value. So there are no
 * duplicates if the text has exactly twice as many quotation marks as the value has names and
 * strings. Numbers that need a closer check can be recognized in the value. They are `-0`,
 * infinities and unsafe integers.
 */
export function readSound(text: string, depth: number): { readonly value: unknown } | undefined {
  if (text.length > longest) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  return 2 * stringsOf(value, Math.min(depth, maxDepth)) === quotesOf(text) ? { value } : undefined
}

/** The number of names and strings in a value; NaN if the scanner must check the text. */
function stringsOf(value: unknown, depth: number): number {
  if (typeof value === 'string') return 1
  if (typeof value === 'number') return isCertain(value) ? 0 : Number.NaN
  if (typeof value !== 'object' || value === null) return 0
  if (depth === 0) return Number.NaN
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) count += stringsOf(item, depth - 1)
    return count
  }
  for (const name of Object.keys(value)) {
    if (name === '__proto__') return Number.NaN
    count += 1 + stringsOf((value as Record<string, unknown>)[name], depth - 1)
  }
  return count
}

/**
 * True if it is certain that `JSON.parse` did not change an integer in the text into this number.
 * If `JSON.parse` changes an integer, the parsed number is `-0`, an infinity or an unsafe integer.
 * A parsed number with a fraction was not an integer in the text. It may have been rounded, which
 * is allowed.
 */
function isCertain(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) && !Object.is(value, -0) : Number.isFinite(value)
}

/** The number of quotation marks that begin or end a string in a JSON text. */
function quotesOf(text: string): number {
  let count = 0
  // Without a backslash, no quotation mark is escaped. Searching with `indexOf` takes half the time
  // of the loop below in Node 20.
  if (!text.includes('\\')) {
    for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) count += 1
    return count
  }
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22 /* " */) count += 1
    // The character after a backslash never begins or ends a string.
    else if (code === 0x5c /* \ */) at += 1
  }
  return count
}
