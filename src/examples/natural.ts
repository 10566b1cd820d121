/** Strings that match the meaning of a member's name. */
import type { Random } from '../random.js'
import { formatTexts, type MakeText, words } from './formats.js'

const firstNames = [
  'Ada',
  'Bruno',
  'Carla',
  'Diego',
  'Elena',
  'Farid',
  'Greta',
  'Hugo',
  'Ines',
  'Jonas',
  'Kira',
  'Luis',
  'Mara',
  'Noah',
]
const lastNames = [
  'Acosta',
  'Berg',
  'Castro',
  'Duarte',
  'Engel',
  'Ferro',
  'Gomez',
  'Haas',
  'Ibarra',
  'Klein',
  'Lopez',
  'Moreno',
  'Novak',
]

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const someWords = (random: Random): string => capital(random.some(words, 2).join(' '))
const sentence = (random: Random): string => `${capital(random.some(words, 5).join(' '))}.`
const code = (random: Random): string => `${random.one(['A', 'B', 'C', 'D'])}-${random.between(1000, 9999)}`
const ofFormat =
  (format: string): MakeText =>
  (random) =>
    (formatTexts.get(format)?.[0] ?? someWords)(random)

/**
 * Generators by the words of a name, in English and Spanish. The first matching generator applies.
 */
const kinds: readonly (readonly [RegExp, MakeText])[] = [
  [/\b(?:e ?mails?|mail|correo)\b/, ofFormat('email')],
  [/\b(?:phones?|telephones?|mobile|fax|telefonos?|celular|movil)\b/, (random) => `+1 555 01${random.between(10, 99)}`],
  [/\b(?:url|uri|href|website|homepage|sitio|enlace)\b/, ofFormat('uri')],
  [/\b(?:first name|given name|nombre de pila)\b/, (random) => random.one(firstNames)],
  [/\b(?:last name|surname|family name|apellidos?)\b/, (random) => random.one(lastNames)],
  [
    /\b(?:company|organi[sz]ation|razon social|empresa)\b/,
    (random) => `${capital(random.one(words))} ${random.one(['Ltd', 'Inc', 'SA'])}`,
  ],
  [
    /\b(?:full name|nombre completo|person|author|owner|contact)\b/,
    (random) => `${random.one(firstNames)} ${random.one(lastNames)}`,
  ],
  [
    /\b(?:street|calle|address|direccion)\b/,
    (random) => `${capital(random.one(words))} Street ${random.between(1, 200)}`,
  ],
  [/\b(?:postal ?code|postcode|zip|codigo postal)\b/, (random) => String(random.between(10000, 99999))],
  [/\b(?:country|pais)\b/, (random) => random.one(['AR', 'BR', 'DE', 'ES', 'FR', 'UY'])],
  [/\b(?:currency|moneda)\b/, (random) => random.one(['EUR', 'USD', 'ARS'])],
  [/\b(?:language|locale|idioma)\b/, (random) => random.one(['en', 'es', 'de', 'fr'])],
  [/\b(?:date|day|fecha|dia)\b/, ofFormat('date')],
  [
    /\b(?:description|notes?|comments?|text|message|summary|descripcion|notas?|comentarios?|texto|mensaje|resumen)\b/,
    sentence,
  ],
  [/\b(?:codes?|number|reference|sku|codigos?|numeros?|referencia|id)\b/, code],
]

const known = new Map<string, MakeText>()

/** A string for a member with this name, such as `billingEmail` or `razonSocial`. */
export function naturalText(name: string, random: Random): string {
  const make = known.get(name) ?? kindOf(name)
  // Most names come from schemas, but open objects can have any number of names. The size of the
  // cache is therefore limited.
  if (known.size < 10_000) known.set(name, make)
  return make(random)
}

function kindOf(name: string): MakeText {
  const text = name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\d]+/gu, ' ')
    .toLowerCase()
  return kinds.find(([test]) => test.test(text))?.[1] ?? someWords
}
