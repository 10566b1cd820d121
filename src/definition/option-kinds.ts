/** The kinds of options: one table for each factory, checked in one place, so that `'false'` never turns anything on. */
import { isList, isObject } from './json.js'
import { invalidOption, knownOptions } from './known-options.js'

/** `text`, `number` and so on are what they are called; `table` is an object that is no list and no promise. NaN is no number. */
type KindName = 'boolean' | 'string' | 'number' | 'function' | 'table' | 'list' | 'iterable' | 'false'

/** What an option must be where it is given; `checked` is for those that the factory checks itself. */
export type Kind =
  | KindName
  /** Any of these kinds. */
  | readonly Kind[]
  /** One of these values. */
  | { readonly oneOf: readonly unknown[] }
  /** A number that is at least this; `whole` without a fraction. */
  | { readonly from: number; readonly whole?: true }
  /** What another factory makes: an object or function with this method. */
  | { readonly madeBy: string; readonly has: string }
  | 'checked'

/** The kind of each option, for `checkOptions`: an option that is missing here, or one too many, does not compile. */
export type Kinds<Options> = Readonly<Record<keyof Options, Kind>>

/**
 * `given` as options. Throws `ConfigurationError` where it has one that `kinds` does not know, with
 * the near miss, or one of another kind: the message names the factory (`what`), the option, and
 * what it must be.
 */
export function checkOptions(what: string, given: unknown, kinds: Readonly<Record<string, Kind>>): Record<string, unknown> {
  const options = knownOptions(what, given, kinds)
  for (const [name, value] of Object.entries(options)) {
    const kind = kinds[name] as Kind
    if (value === undefined || is(value, kind)) continue
    throw invalidOption(`The option "${name}" of ${what} is ${spell(value, kind)}. Give ${spellKind(kind)}.`)
  }
  return options as Record<string, unknown>
}

function is(value: unknown, kind: Kind): boolean {
  if (kind === 'checked') return true
  if (typeof kind === 'string') return isOf[kind](value)
  if (isList(kind)) return (kind as readonly Kind[]).some((one) => is(value, one))
  if ('oneOf' in kind) return kind.oneOf.includes(value)
  if ('from' in kind) return isOf.number(value) && (value as number) >= kind.from && (kind.whole !== true || Number.isSafeInteger(value))
  return (
    value !== null &&
    ['object', 'function'].includes(typeof value) &&
    typeof (value as Record<string, unknown>)[(kind as { has: string }).has] === 'function'
  )
}

const isOf: Readonly<Record<KindName, (value: unknown) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && !Number.isNaN(value),
  function: (value) => typeof value === 'function',
  table: (value) => isObject(value) && typeof value.then !== 'function',
  list: isList,
  iterable: (value) => typeof value === 'object' && value !== null && Symbol.iterator in value,
  false: (value) => value === false,
}

function spellKind(kind: Kind): string {
  if (typeof kind === 'string') return names[kind as KindName]
  if (isList(kind)) return (kind as readonly Kind[]).map(spellKind).join(' or ')
  if ('oneOf' in kind) return kind.oneOf.map((value) => (typeof value === 'string' ? `'${value}'` : String(value))).join(' or ')
  if ('from' in kind) return `a ${kind.whole === true ? 'whole ' : ''}number from ${kind.from}`
  return (kind as { madeBy: string }).madeBy
}

const names: Readonly<Record<KindName, string>> = {
  boolean: 'a boolean',
  string: 'a string',
  number: 'a number',
  function: 'a function',
  table: 'an object',
  list: 'a list',
  iterable: 'a list or another iterable',
  false: 'false',
}

/** A value that was given: never a text itself, which may be a secret. */
/** Texts are not repeated, for an option may hold a secret; where it is one of some words, it is none. */
function spell(value: unknown, kind: Kind): string {
  if (typeof value === 'string' && typeof kind === 'object' && 'oneOf' in kind && value.length <= 40) return `'${value}'`
  if (value === null || typeof value === 'number') return String(value)
  if (isList(value)) return 'a list'
  if (isObject(value) && typeof value.then === 'function') return 'a promise'
  return `of type ${typeof value}`
}
