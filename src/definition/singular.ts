/**
 * Derives the name of one item from the name of its collection. If the derived name is wrong, set
 * `singular` in the definition.
 */
import { fold, spaced } from './naming.js'
import { irregularPlurals, links, singularsInS } from './naming-words.js'

/**
 * The singular of a collection's name, in English and Spanish. Each plural word is changed, but
 * only before the first preposition: "ordenes-de-compra" becomes "orden-de-compra". A name without
 * a plural word is returned unchanged.
 *
 * @example singularOf('codigos-postales') // 'codigo-postal'
 */
export function singularOf(collection: string): string {
  const pieces = spaced(collection).split(/([^\p{L}\p{M}]+)/u)
  const link = pieces.findIndex((piece, at) => at > 0 && links.includes(fold(piece)))
  const end = link < 0 ? pieces.length : link
  return pieces
    .map((piece, at) => (at < end ? singularOfWord(piece) : piece))
    .join('')
    .replaceAll(' ', '')
}

const irregularSingulars = new Map([...irregularPlurals].map(([singular, plural]) => [plural, singular]))

/**
 * Patterns of words, each with the number of letters to remove and the letters to add. The first
 * matching pattern applies.
 */
const endings: readonly (readonly [RegExp, drop: number, add: string])[] = [
  [/^s?$|[^s]$|ss$|[iu]s$|^(?:species|series|news|alias|gas|lens)$/u, 0, ''],
  [/^(?:especies|superficies|movies|cookies|calories|zombies|ties|pies)$/u, 1, ''],
  [/ies$/u, 3, 'y'],
  // The singulars of "voces" and "jueces" end in -z. Those of "prices" and "invoices" do not.
  [/(?:^(?:[jv]eces|jueces|voces|luces|cruces|raices|narices|peces)|[mt]rices)$/u, 3, 'z'],
  [/(?:x|ch|sh|ss)es$/u, 2, ''],
  [/^(?:sales|scales|males|tales|shares|squares|spares|softwares|stores|scores|cores|genes|scenes)$/u, 1, ''],
  [
    /(?:iones|[dt]ades|tudes|ales|eles|ares|eres|ores|enes|troles|perfiles|moviles|fusiles|planes|redes|leyes|reyes)$/u,
    2,
    '',
  ],
  [/s$/u, 1, ''],
]

/**
 * The singular of a word. The first letter keeps its case. A capital letter before the final "s"
 * marks the plural of an acronym ("CBUs").
 */
function singularOfWord(word: string): string {
  if (/\p{Lu}s$/u.test(word)) return word.slice(0, -1)
  const plural = fold(word)
  const irregular = irregularSingulars.get(plural)
  if (irregular !== undefined)
    return word[0] === word[0]?.toLowerCase() ? irregular : irregular.charAt(0).toUpperCase() + irregular.slice(1)
  if (singularsInS.includes(plural)) return word
  if (plural.endsWith('es') && singularsInS.includes(plural.slice(0, -2))) return word.slice(0, -2)
  const [, drop, add] = endings.find(([ending]) => ending.test(plural)) as (typeof endings)[number]
  return word.slice(0, word.length - drop) + add
}
