/** Describes given values and allowed values, for messages. */
import { isList } from '../definition/json.js'
import { isPromise } from '../promise.js'
import type { Kind, NumberKind, Word } from './kinds.js'

const words: Readonly<Record<Word, string>> = {
  boolean: 'a boolean',
  string: 'a string',
  number: 'a number',
  function: 'a function',
  table: 'an object',
  list: 'a list',
  iterable: 'a list or another iterable',
  names: 'a name, or a list of different names',
  any: 'a value',
}

/** Describes the allowed values. */
export function spellKind(kind: Kind): string {
  if (typeof kind === 'string') return words[kind]
  if (isList(kind)) return orList((kind as readonly Kind[]).map(spellKind))
  const one = kind as Exclude<Kind, Word | readonly Kind[]>
  if ('oneOf' in one)
    return orList(one.oneOf.map((value) => (typeof value === 'string' ? quoted(value) : String(value))))
  if ('from' in one) return spellNumber(one)
  if ('like' in one) return one.a
  if ('each' in one) return one.a ?? spellList(one.each, one.min)
  if ('values' in one) return 'an object'
  if ('options' in one) return one.a ?? (one.open === true ? 'an object' : `{ ${Object.keys(one.options).join(', ')} }`)
  if ('is' in one) return one.by
  if ('required' in one) return spellKind(one.required)
  return 'present' in one ? spellKind(one.present) : one.instead
}

/** A string in single quotes. Tabs and line breaks are escaped, so that they are visible. */
const quoted = (text: string): string => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')}'`

const orList = (texts: readonly string[]): string =>
  [texts.slice(0, -1).join(', '), texts.at(-1)].filter((text) => text !== '').join(' or ')

function spellNumber({ from, to, whole, unit, above }: NumberKind): string {
  const number = `a ${whole === true ? 'whole ' : ''}number${unit === undefined ? '' : ` of ${unit}`}`
  if (from === Number.NEGATIVE_INFINITY) return number
  if (above === true) return `${number} above ${from}${to === undefined ? '' : `, at most ${to}`}`
  return `${number} from ${from}${to === undefined ? '' : ` to ${to}`}`
}

function spellList(each: Kind, min = 0): string {
  const elements =
    each === 'string' ? 'of strings' : each === 'table' ? 'of objects' : `in which each element is ${spellKind(each)}`
  return `a list ${elements}${min === 0 ? '' : `, at least ${min === 1 ? 'one' : min}`}`
}

/**
 * Describes a given value. A string may be a secret. So the description quotes it only if it has at
 * most 40 characters, and if the allowed values are numbers, booleans, fixed values or strings of a
 * certain format.
 */
export function spell(value: unknown, kind: Kind): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === undefined) return 'undefined'
  if (typeof value === 'string') return isPublic(kind) && value.length <= 40 ? quoted(value) : 'of type string'
  if (isList(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object' && isPromise(value)) return 'a promise'
  return `of type ${typeof value}`
}

const isPublic = (kind: Kind): boolean =>
  isList(kind)
    ? (kind as readonly Kind[]).every(isPublic)
    : typeof kind === 'string'
      ? kind === 'boolean' || kind === 'number'
      : 'oneOf' in kind || 'from' in kind || 'like' in kind
