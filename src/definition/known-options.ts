/** Options as JavaScript callers may write them: of the wrong kind, or misspelt. */
import { ConfigurationError } from '../problem.js'
import { isList, isObject, type JsonObject } from './json.js'
import { nearMiss } from './near-miss.js'

/** The error of an option that makes no sense; `message` says the mend. */
export const invalidOption = (message: string): ConfigurationError => new ConfigurationError('invalid-option', message)

/** `given` as an object whose names are all among `known`. Throws `ConfigurationError` with the near miss. */
export function knownOptions(what: string, given: unknown, known: Readonly<Record<string, unknown>>): JsonObject {
  const options = tableOption(what, given)
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue
    const near = nearMiss(name, Object.keys(known))
    const mend = near === undefined ? `There are: ${Object.keys(known).join(', ')}.` : `Did you mean "${near}"?`
    throw invalidOption(`${what} has no option "${name}". ${mend}`)
  }
  return options
}

/** `given` as an object; nothing is an empty one. */
export function tableOption(what: string, given: unknown = {}): JsonObject {
  if (!isObject(given) || typeof given.then === 'function') throw ofOtherKind(what, given, 'an object')
  return given
}

/** `given` as a list of texts; nothing is an empty one. */
export function listOption(what: string, given: unknown = []): readonly string[] {
  if (!isList(given)) throw ofOtherKind(what, given, 'a list of names')
  for (const name of given) if (typeof name !== 'string') throw invalidOption(`Each of ${what} must be a name, not ${kindOf(name)}.`)
  return Object.freeze([...given]) as readonly string[]
}

export function textOption(what: string, given: unknown): string {
  if (typeof given !== 'string') throw ofOtherKind(what, given, 'a name')
  return given
}

/** One name or several, each once, as a list. */
export function namesOption(what: string, given: unknown): readonly string[] {
  if (given === undefined) throw ofOtherKind(what, given, 'a name or a list of names')
  const names = typeof given === 'string' ? Object.freeze([given]) : listOption(what, given)
  if (names.length === 0) throw invalidOption(`${what} names nothing. Name at least one member.`)
  if (new Set(names).size < names.length) throw invalidOption(`${what} names a member twice: ${names.join(', ')}. Name each once.`)
  return names
}

/** `given` where it is a function or absent. */
export function functionOption(what: string, given: unknown): void {
  if (given !== undefined && typeof given !== 'function') throw ofOtherKind(what, given, 'a function')
}

/** `given` as a whole number from 1. */
export function countOption(what: string, given: unknown): number {
  if (Number.isSafeInteger(given) && (given as number) > 0) return given as number
  throw invalidOption(`${what} is ${typeof given === 'string' ? JSON.stringify(given) : String(given)}. Give a whole number from 1.`)
}

/** The longest time that a timer of Node takes; longer ones fire at once. */
const longestTimer = 2 ** 31 - 1

/** `given` as milliseconds from 1, no more than a timer takes. */
export const timeOption = (what: string, given: unknown): number => Math.min(countOption(what, given), longestTimer)

/** Callers write null for what is required and was left out, so a null may be either. */
function ofOtherKind(what: string, given: unknown, wanted: string): ConfigurationError {
  const [named, is] = /^\w+\(\)$/.test(what) ? [`The options of ${what}`, 'are'] : [what, 'is']
  if (given === undefined || given === null)
    return invalidOption(`${named} ${is} missing${given === null ? ' or null' : ''}. Give ${wanted}.`)
  return invalidOption(`${named} must be ${wanted}, not ${kindOf(given)}.`)
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : isList(value) ? 'a list' : isObject(value) && typeof value.then === 'function' ? 'a promise' : typeof value
