/**
 * The naming rules of resource paths, for names in English and Spanish (PATH-2..4). Only clear
 * violations throw (PATH-10), because accepting a wrong name does less harm than refusing a right
 * one.
 */
import { cutText } from '../cut-text.js'
import { invalidOption } from '../options/check.js'
import { ConfigurationError } from '../problem.js'
import * as lists from './naming-words.js'

/**
 * Throws `ConfigurationError` unless `name` can be the path segment of a collection. The name must
 * be well-formed, must not end in a format such as `.json` (PATH-4), must be a plural noun
 * (PATH-2), and must not name an action (PATH-3). If `allow` lists the name with a reason, PATH-2
 * and PATH-3 do not apply.
 *
 * @example checkCollectionName('factura') // throws: Use "facturas".
 */
export function checkCollectionName(name: string, allow: Readonly<Record<string, string>> = {}): void {
  if (isAllowed(name, allow)) return
  const words = wordsOf(name)
  if (isAction(words.map(fold))) {
    const rest = words.slice(1)
    const fix = isPlural(rest.map(fold)) ? show(rest.join('-')) : pluralSuggestions(rest.join('-'))
    const noun = rest.length === 0 ? '' : `Name its contents, ${fix}: the HTTP method expresses the action. `
    throw new ConfigurationError(
      'name-is-verb',
      `The collection ${show(name)} names an action. ${noun}${otherWays} ${exception}`,
    )
  }
  if (isPlural(words.map(fold))) return
  const fix =
    words.length === 0 ? 'Name its contents, such as "invoices" or "facturas"' : `Use ${pluralSuggestions(name)}`
  throw new ConfigurationError(
    'name-not-plural',
    `The collection ${show(name)} is not a plural noun. ${fix}. ${exception}`,
  )
}

/**
 * Throws `ConfigurationError` unless `name` can be the name of an endpoint below the items of
 * `collection`: a plural noun, like the name of a collection (PATH-2, PATH-3). An action is
 * expressed in other ways (PATH-8).
 *
 * @example checkEndpointName('cancel', 'orders') // throws; 'cancellations' is accepted
 */
export function checkEndpointName(
  name: string,
  collection: string,
  allow: Readonly<Record<string, string>> = {},
): void {
  if (isAllowed(name, allow)) return
  const words = wordsOf(name)
  const what = `The endpoint ${show(name)} below the items of ${show(collection)}`
  if (isAction(words.map(fold))) {
    const fix = 'Use a field that PATCH changes, or declare a flag that PUT sets and DELETE unsets (PATH-8).'
    const noun = 'If neither fits, name the result of the action in the plural, such as "cancellations" for "cancel".'
    throw new ConfigurationError('name-is-verb', `${what} names an action. ${fix} ${noun} ${exception}`)
  }
  if (isPlural(words.map(fold))) return
  const fix = words.length === 0 ? 'Name its contents, such as "cancellations"' : `Use ${pluralSuggestions(name)}`
  throw new ConfigurationError('name-not-plural', `${what} is not a plural noun. ${fix}. ${exception}`)
}

/**
 * Whether `allow` lists a name. Throws if the name is malformed, or if `allow` lists any name
 * without a reason.
 */
function isAllowed(name: string, allow: Readonly<Record<string, string>>): boolean {
  checkName(name)
  for (const [allowed, reason] of Object.entries(allow)) {
    if (typeof reason === 'string' && reason.trim() !== '') continue
    throw invalidOption(
      `The option "allow" lists ${show(allowed)} without a reason. Explain briefly why the name is right.`,
    )
  }
  return Object.hasOwn(allow, name)
}

/**
 * Throws `ConfigurationError` unless `segment` can be the path segment of a flag or an area. The
 * segment must be well-formed, must not end in a format such as `.json` (PATH-4), and must not name
 * an action (PATH-3).
 *
 * @example checkSegment('activar') // throws; 'activo' is accepted
 */
export function checkSegment(segment: string): void {
  checkName(segment)
  if (!isAction(wordsOf(segment).map(fold))) return
  const fix = 'Name a state or a thing, such as "activo" or "api".'
  throw new ConfigurationError('name-is-verb', `The segment ${show(segment)} names an action. ${fix} ${otherWays}`)
}

const otherWays =
  'Express an action as a field that PATCH changes, a flag sub-resource that PUT sets and DELETE unsets, ' +
  'or a documented endpoint() such as "/search" (PATH-8).'
const exception = 'If the name is right nevertheless, list it in "allow" with a reason.'

/**
 * Throws `ConfigurationError` unless `name` can be a path segment: letters, digits, `-` and `_`,
 * without a format such as `.json` (PATH-4). Placeholders such as `{id}` and versions such as `v1`
 * are refused too. The meaning of the name is not checked.
 */
export function checkName(name: unknown): void {
  if (typeof name !== 'string')
    throw new ConfigurationError('name-malformed', `A name is of type ${typeof name}. Give a string.`)
  const fault = faultOf(name)
  if (fault !== undefined)
    throw new ConfigurationError('name-malformed', `${show(name)} can't be a path segment. ${fault}`)
  const [stem, extension] = name.split('.', 2)
  if (extension === undefined) return
  const fix = stem ? `Use ${show(stem)}` : 'Leave it out'
  throw new ConfigurationError(
    'name-has-format',
    `${show(name)} contains a dot, but a path must not name a format, because Accept chooses the format. ${fix}.`,
  )
}

function faultOf(name: string): string | undefined {
  if (/^(?::|\{.*\}$)/su.test(name))
    return 'It is a placeholder for an id. Give only the name of the collection. The id is added automatically.'
  const parts = (name.split(/[?#]/u)[0] ?? '')
    .split(/[^\p{L}\p{M}\p{N}_.]+/u)
    .filter((part) => /[\p{L}\p{N}]/u.test(part))
  const fix = parts.length === 0 ? 'Give a plural noun, such as "invoices".' : `Use ${show(parts.join('-'))}.`
  const [odd] = /[^\p{L}\p{M}\p{N}._-]/u.exec(name) ?? []
  if (odd === '/')
    return 'It is more than one segment. Declare each one separately. A sub-collection needs the option "parent".'
  if (odd === '%') return 'It is percent-encoded: write it decoded.'
  if (odd !== undefined)
    return `It contains ${show(odd)} (${codePoint(odd)}), but only letters, digits, "-" and "_" are allowed. ${fix}`
  if (name.startsWith('-') || name.endsWith('-')) return `It begins or ends with "-". ${fix}`
  if (parts.length === 0) return `It has neither a letter nor a digit. ${fix}`
  if (/^v\d+(?:\.\d+)*$/iu.test(name))
    return 'It looks like a version, but versions are declared where resources are mounted.'
  return undefined
}

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/**
 * Whether the words name an action. Only the first word can be the verb: after another word, a verb
 * is part of a noun ("customer-search-results").
 */
function isAction([first = '', second]: readonly string[]): boolean {
  if (second === undefined)
    return lists.verbs.includes(first) || lists.nounVerbs.includes(first) || lists.loneVerbs.includes(first)
  if (lists.particles.includes(second)) return false
  return lists.verbs.includes(first) || (lists.nounVerbs.includes(first) && !isHead(second))
}

const isHead = (word: string): boolean =>
  [word, word.replace(/s$/u, ''), word.replace(/es$/u, ''), word.replace(/ies$/u, 'y')].some((stem) =>
    lists.heads.includes(stem),
  )

/**
 * Whether the words are a plural noun. One plural word at any position is enough, because English
 * puts the noun last ("customer-invoices") and Spanish puts it first ("ordenes-de-compra").
 */
function isPlural(words: readonly string[]): boolean {
  const ends = (at: number) => at === words.length - 1 || lists.links.includes(words[at + 1] ?? '')
  return words.some((word, at) => isPluralWord(word) || (lists.massNouns.includes(word) && ends(at)))
}

function isPluralWord(word: string): boolean {
  if (/[^\p{Script=Latin}]/u.test(word)) return true // The word lists cover only the Latin script.
  if (word.endsWith('s')) return !lists.singularsInS.includes(word) && !/[aeiou]ss$/u.test(word)
  return lists.pluralsWithoutS.includes(word) || /(?:children|people|women)$/u.test(word)
}

/**
 * Inserts spaces between the words of a camelCase name. The plural of an acronym ("CBUs") is one
 * word.
 */
export function spaced(name: string): string {
  const camel = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}(?!s(?!\p{Ll}))\p{Ll})/gu
  return name.normalize('NFC').replace(camel, ' ')
}

const wordsOf = (name: string): string[] => spaced(name).match(/\p{L}[\p{L}\p{M}]*/gu) ?? []
export const fold = (word: string): string => word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/**
 * Suggests the name with its noun in the plural, once for each language to which the name may
 * belong.
 */
function pluralSuggestions(name: string): string {
  const words = spaced(name).split(/([^\p{L}\p{M}]+)/u)
  const places = [...words.keys()].filter((at) => /\p{L}/u.test(words[at] ?? ''))
  const first = places[0] ?? 0
  const last = places.at(-1) ?? 0
  const link = words.find((word) => lists.links.includes(word))
  const agreeing =
    first < last &&
    /(?:[ao]|[cmvx]ion|dad)$/u.test(fold(words[first] ?? '')) &&
    /(?:[ao]|al|ar)$/u.test(words[last] ?? '')
  const chosen = link !== undefined ? [first] : agreeing ? [first, last] : [last]
  const inLanguage = (spanish: boolean) =>
    words.map((word, at) => (chosen.includes(at) ? pluralOf(word, spanish) : word)).join('')
  const certain = agreeing || (link !== undefined && !['for', 'in', 'of'].includes(link))
  const suggestions = (certain ? [true] : [false, true]).map((spanish) => show(inLanguage(spanish).replaceAll(' ', '')))
  return [...new Set(suggestions)].join(' or ')
}

/**
 * The plural of a word. `spanish` matters only if the ending of the word fits both languages:
 * "hospital" becomes "hospitals" or "hospitales".
 */
function pluralOf(word: string, spanish: boolean): string {
  const lower = word.toLowerCase()
  const plural = lists.irregularPlurals.get(fold(word)) ?? regularPlural(lower, spanish)
  if (word === lower) return plural
  return word === word.toUpperCase() ? plural.toUpperCase() : plural.charAt(0).toUpperCase() + plural.slice(1)
}

function regularPlural(word: string, spanish: boolean): string {
  if (/[sx]is$/u.test(word)) return word.replace(/is$/u, 'es')
  if (/z$/u.test(word)) return `${unstressed(word).slice(0, -1)}ces`
  if (/(?:s|x|ch|sh)$/u.test(word)) return `${unstressed(word)}es`
  if (/[^aeiou]y$/u.test(word)) return `${word.slice(0, -1)}ies`
  if (/(?:[cmvx]ion|dad|tad|tud|dor)$/u.test(word) || (/[áéíóúñ]/u.test(word) && /[dlnr]$/u.test(word)))
    return `${unstressed(word)}es`
  const english = /(?:(?<!s)tion|ssion|er|(?:ai|ea|ee|oa|oo|ou).)$/u.test(word)
  return spanish && !english && /[aeiou][lnr]$/u.test(word) ? `${word}es` : `${word}s`
}

/**
 * Removes the accent that words such as "camión", "interés" and "autobús" lose in the plural.
 * "país" and "baúl" keep their accents.
 */
const unstressed = (word: string): string => word.replace(/(?:[áéó]|(?<![aeo])[íú])(?=[lnrsz]$)/u, fold)

const show = (text: string): string => JSON.stringify(cutText(text, 80))
