/**
 * Names for components and operations. The names consist of ASCII letters and digits, so that
 * client generators need not change them.
 */

/**
 * Splits the name of a path segment or member into words. `pre-piezas` becomes `pre` and `piezas`.
 * `codigosPostales` stays one word, with its capital letter.
 */
const wordsOf = (text: string): readonly string[] => ascii(text).split(/[^A-Za-z0-9]+/)

/**
 * Removes accents, and replaces each other non-ASCII character with `u` and its code point in
 * hexadecimal, because component names must be ASCII.
 */
function ascii(text: string): string {
  // Fast path: a document needs thousands of names, and most are ASCII.
  if (/^[ -~]*$/.test(text)) return text
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{ASCII}]/gu, (character) => `u${(character.codePointAt(0) ?? 0).toString(16)}`)
}

/** Returns the name of a type: `PrePieza` for `pre-pieza`. */
export const typeName = (text: string): string => wordsOf(text).map(capital).join('')

/** Returns the name of a parameter: `prePiezaId` for `pre-pieza-id`. */
export function memberName(text: string): string {
  const name = typeName(text)
  return name.charAt(0).toLowerCase() + name.slice(1)
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
