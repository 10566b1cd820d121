/** Options as JavaScript callers may write them: of the wrong kind, or misspelt. */
import { ConfigurationError } from '../problem.js'
import { isList, isObject, type JsonObject } from './json.js'
import { nearMiss } from './near-miss.js'

const invalid = (message: string): ConfigurationError => new ConfigurationError('invalid-option', message)

/** `given` as an object whose names are all among `known`. Throws `ConfigurationError` with the near miss. */
export function knownOptions(what: string, given: unknown, known: Readonly<Record<string, true>>): JsonObject {
  const options = tableOption(what, given)
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue
    const near = nearMiss(name, Object.keys(known))
    const mend = near === undefined ? `There are: ${Object.keys(known).join(', ')}.` : `Did you mean "${near}"?`
    throw invalid(`${what} has no option "${name}". ${mend}`)
  }
  return options
}

/** `given` as an object; nothing is an empty one. */
export function tableOption(what: string, given: unknown = {}): JsonObject {
  if (!isObject(given)) throw invalid(`${what} must be an object, not ${kindOf(given)}.`)
  return given
}

/** `given` as a list of texts; nothing is an empty one. */
export function listOption(what: string, given: unknown = []): readonly string[] {
  if (!isList(given)) throw invalid(`${what} must be a list of names, not ${kindOf(given)}.`)
  return Object.freeze(given.map((name) => textOption(`Each of ${what}`, name)))
}

export function textOption(what: string, given: unknown): string {
  if (typeof given !== 'string') throw invalid(`${what} must be a name, not ${kindOf(given)}.`)
  return given
}

/** One name or several, each once, as a list. */
export function namesOption(what: string, given: unknown): readonly string[] {
  const names = typeof given === 'string' ? Object.freeze([given]) : listOption(what, given ?? null)
  if (names.length === 0) throw invalid(`${what} names nothing. Name at least one member.`)
  if (new Set(names).size < names.length) throw invalid(`${what} names a member twice: ${names.join(', ')}. Name each once.`)
  return names
}

/** `given` where it is a function or absent. */
export function functionOption(what: string, given: unknown): void {
  if (given !== undefined && typeof given !== 'function') throw invalid(`${what} must be a function, not ${kindOf(given)}.`)
}

const kindOf = (value: unknown): string => (value === null ? 'null' : isList(value) ? 'a list' : typeof value)
