/**
 * Functions for JSON values. They use only own properties, and treat all names in the same way,
 * even `__proto__`. Pointers follow RFC 6901.
 */

export { escapePointer, pointerTokens } from '../http/json-pointer.js'

export type JsonObject = Record<string, unknown>

/** An object or a list: any value that can contain other values. */
export const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

/** An object of any class, but not a list. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object without a class, from any realm. */
export function isPlainObject(value: unknown): value is JsonObject {
  if (!isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** Names the kind of a value in a sentence, such as `null`, `a list`, `an object` or `a string`. */
export function kindName(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (isList(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/**
 * An own property of an object; `undefined` if the object lacks it, or if `value` is a list or not
 * an object.
 */
export function own(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/**
 * The value at a path of member names; `undefined` if a member is missing, or if the path leads
 * into a list.
 */
export function get(value: unknown, path: readonly string[]): unknown {
  let found = value
  for (const name of path) found = own(found, name)
  return found
}

/**
 * Sets a member of an object. This works even for `__proto__`, which an assignment would treat
 * specially.
 */
export function put(object: JsonObject, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  else object[name] = value
}

/**
 * A deeply frozen copy of JSON data, so that later changes of the original have no effect. Throws
 * `TypeError` for functions, symbols, bigints, cyclic values, and instances of classes, such as a
 * `Date`.
 */
export function frozenCopy<T>(value: T, within: ReadonlySet<unknown> = new Set()): T {
  if (!isContainer(value)) {
    if (value === null || ['string', 'number', 'boolean', 'undefined'].includes(typeof value)) return value
    throw new TypeError(`a ${typeof value} is not JSON`)
  }
  if (within.has(value)) throw new TypeError('it contains itself')
  if (!isList(value) && !isPlainObject(value))
    throw new TypeError(`an instance of ${value.constructor?.name || 'a class'} is not JSON`)
  const inside = new Set([...within, value])
  if (isList(value)) return Object.freeze(value.map((item) => frozenCopy(item, inside))) as T
  const copy: JsonObject = {}
  for (const [name, member] of Object.entries(value)) put(copy, name, frozenCopy(member, inside))
  return Object.freeze(copy) as T
}

/** A JSON value as a JSON text with sorted member names, so that equal values have equal texts. */
export function canonicalText(value: unknown): string {
  if (isList(value)) return `[${value.map(canonicalText).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalText(value[name])}`).join()}}`
}
