/** Names for components and operations: identifiers that a generator of clients can use as they are. */

/** The parts of a segment or a member: `pre-piezas` has two, `codigosPostales` has its capitals already. */
const wordsOf = (text: string): readonly string[] => ascii(text).split(/[^A-Za-z0-9]+/)

/** Without accents; what is no Latin letter becomes its code, since component names hold nothing else. */
function ascii(text: string): string {
  // Most names are: a document asks for thousands of them.
  if (/^[ -~]*$/.test(text)) return text
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{ASCII}]/gu, (character) => `u${(character.codePointAt(0) ?? 0).toString(16)}`)
}

/** The name of a type: `PrePieza` of `pre-pieza`. */
export const typeName = (text: string): string => wordsOf(text).map(capital).join('')

/** The name of a parameter: `prePiezaId` of `pre-pieza-id`. */
export function memberName(text: string): string {
  const name = typeName(text)
  return name.charAt(0).toLowerCase() + name.slice(1)
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
