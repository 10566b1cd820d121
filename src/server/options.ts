/** Checks of options as JavaScript callers may write them. Each throws `ConfigurationError`. */
import { ConfigurationError } from '../problem.js'

/** The longest time, in milliseconds, that a timer of Node takes. */
const longest = 2 ** 31 - 1

export const invalid = (message: string): ConfigurationError => new ConfigurationError('invalid-option', message)

/** `given` as the options of `what`: an object. */
export function checkObject(what: string, given: unknown): void {
  if (!isTable(given)) throw invalid(`The options of ${what} must be an object.`)
}

/** `what` names the option, such as `check of probes()`. */
export function checkKind(what: string, value: unknown, kind: 'function' | 'number' | 'object' | 'string'): void {
  if (value === undefined || (typeof value === kind && (kind !== 'object' || isTable(value)))) return
  throw invalid(`${what} is ${value === null ? 'null' : `of type ${typeof value}`}. Give a value of type ${kind}.`)
}

/** Neither a list nor a promise. */
const isTable = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value) && !('then' in value)

/** A whole number from `least` that a timer can take. */
export function wholeNumber(what: string, value: unknown, least = 0): number {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= longest) return value as number
  throw invalid(`${what} is ${JSON.stringify(value) ?? typeof value}. Give a whole number, ${least} to ${longest}.`)
}
