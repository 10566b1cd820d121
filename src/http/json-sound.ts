/**
 * A quick proof that a JSON text says what `JSON.parse` makes of it (RFC 8259, RFC 7493; HDR-5). Most bodies pass; the others are for the scanner to judge, which can
 * say what is wrong and where.
 */

/** Beyond these the scanner looks first: what is hostile is refused before anything is made of it. */
const longest = 65_536
const deepest = 64

/**
 * The value of a text in which the scanner would find nothing, boxed; `undefined` where that is not proved.
 *
 * `JSON.parse` holds it against the grammar. A member that stands twice leaves one name in the value where the text has two, so the quotation marks of the text are
 * twice the names and strings of the value only where none does. Numbers that may have changed show in the value: `-0`, infinities, and integers beyond the safe ones.
 */
export function readSound(text: string, depth: number): { readonly value: unknown } | undefined {
  if (text.length > longest) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  return 2 * stringsOf(value, Math.min(depth, deepest)) === quotesOf(text) ? { value } : undefined
}

/** How many names and strings a value holds; NaN where the scanner has to look. */
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

/** True for a number that no literal could have meant otherwise: a fraction is rounded, as everywhere, and a double that has one is below 2^53. */
function isCertain(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) && !Object.is(value, -0) : Number.isFinite(value)
}

/** How many quotation marks stand in a JSON text but for escaped ones: each begins or ends a string. */
function quotesOf(text: string): number {
  let count = 0
  // Without a backslash nothing is escaped: to leap from mark to mark takes Node 20 half the time.
  if (!text.includes('\\')) {
    for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) count += 1
    return count
  }
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22 /* " */) count += 1
    // Whatever an escape stands for, the character after the backslash begins or ends nothing.
    else if (code === 0x5c /* \ */) at += 1
  }
  return count
}
