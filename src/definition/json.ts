/** JSON values as data: own members only, whatever they are called, and where they stand (RFC 6901). */

export { escapePointer, pointerTokens } from '../http/json-pointer.js'

export type JsonObject = Record<string, unknown>

/** An object or a list: what can hold other values. */
export const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

/** An object and no list, of whatever class. */
export const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object of no class, of whichever realm. */
export function isPlainObject(value: unknown): value is JsonObject {
  if (!isObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** A member, where the value is an object that has it as its own. */
export function own(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** The value at a path, own members only. */
export function get(value: unknown, path: readonly string[]): unknown {
  let found = value
  for (const name of path) found = own(found, name)
  return found
}

/** Sets a member as data, also where its name is one that assignment would take for something else. */
export function put(object: JsonObject, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
  else object[name] = value
}

/**
 * A frozen copy of JSON data, so that what its owner does to it later changes nothing. Throws `TypeError` where it is none: functions, other classes'
 * objects, and what contains itself.
 */
export function frozenCopy<T>(value: T, within: ReadonlySet<unknown> = new Set()): T {
  if (!isContainer(value)) {
    if (value === null || ['string', 'number', 'boolean', 'undefined'].includes(typeof value)) return value
    throw new TypeError(`a ${typeof value} is no JSON`)
  }
  if (within.has(value)) throw new TypeError('it contains itself')
  const inside = new Set([...within, value])
  if (isList(value)) return Object.freeze(value.map((item) => frozenCopy(item, inside))) as T
  const copy: JsonObject = {}
  for (const [name, member] of Object.entries(value)) put(copy, name, frozenCopy(member, inside))
  return Object.freeze(copy) as T
}

/** A JSON value as text, the members of objects in one order: equal values have equal texts. */
export function canonicalText(value: unknown): string {
  if (isList(value)) return `[${value.map(canonicalText).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalText(value[name])}`).join()}}`
}
