/**
 * A fast check that `JSON.parse` reads a JSON text without loss (RFC 8259, RFC 7493; HDR-5). Most
 * bodies pass. The others go to the scanner, which can report the error and its position.
 */

/**
 * Above these limits the scanner runs first, so that hostile bodies are refused before they are
 * parsed.
 */
const longest = 65_536
const maxDepth = 64

/**
 * The parsed value, wrapped in an object; `undefined` if the scanner has to decide.
 *
 * `JSON.parse` checks the grammar. A duplicate member occurs twice in the text but once in the
 * value. So the number of quotation marks in the text is twice the number of names and strings in
 * the value only if there are no duplicates. Numbers that may have changed are visible in the
 * value: `-0`, infinities, and unsafe integers.
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

/** The number of names and strings in a value; NaN if the scanner has to decide. */
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
 * True for a number that any literal for it can only have meant: fractions are rounded as usual,
 * and a double with a fraction is below 2^53.
 */
function isCertain(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) && !Object.is(value, -0) : Number.isFinite(value)
}

/** The number of unescaped quotation marks in a JSON text: each begins or ends a string. */
function quotesOf(text: string): number {
  let count = 0
  // Without a backslash nothing is escaped. Searching for the next mark takes half the time in Node
  // 20.
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
