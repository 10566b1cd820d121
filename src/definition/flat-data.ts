/**
 * Stores plain data as one flat array, which can be compared quickly. Each object or list becomes a
 * head (the names of its members, or its length), followed by its values. Comparing a record (25
 * members in four objects) is five times as fast as serializing it as JSON.
 */
import { isContainer, type JsonObject, put } from './json.js'

/** The structure of an object or list, without its values. */
interface Head {
  /** The names of the members of an object; `undefined` for a list. */
  readonly names: readonly string[] | undefined
  readonly length: number
}

type Part = string | number | boolean | null | undefined | Head

export type FlatData = readonly Part[]

/** Maximum nesting. Data that is nested more deeply is not flattened. */
const maxDepth = 50
/** Maximum number of shared heads. Heads of lists and heads of objects are counted separately. */
const maxHeads = 1_000

/**
 * Flattens plain data. Objects with the same member names usually share one head, so that the names
 * are stored only once.
 */
export class Flattener {
  readonly #lists = new Map<number, Head>()
  readonly #objects = new Map<string, Head & { readonly names: readonly string[] }>()

  /**
   * The flattened data; `undefined` if the data is nested too deeply, or contains a value that is
   * not plain, such as a `Date` or NaN.
   */
  flat(value: object): FlatData | undefined {
    const parts: Part[] = []
    return this.#add(value, parts, 0) ? parts : undefined
  }

  #add(value: unknown, parts: Part[], depth: number): boolean {
    if (isContainer(value)) {
      if (depth > maxDepth) return false
      return Array.isArray(value)
        ? this.#addList(value, parts, depth)
        : this.#addObject(value as JsonObject, parts, depth)
    }
    parts.push(value as Part)
    if (typeof value === 'number') return !Number.isNaN(value)
    return value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean'
  }

  #addList(value: readonly unknown[], parts: Part[], depth: number): boolean {
    if (!isPlainList(value)) return false
    parts.push(this.#headOfList(value.length))
    // A hole in a list reads as `undefined`. A list with `undefined` is not flattened.
    for (let at = 0; at < value.length; at += 1)
      if (value[at] === undefined || !this.#add(value[at], parts, depth + 1)) return false
    return true
  }

  #addObject(value: JsonObject, parts: Part[], depth: number): boolean {
    const names = Object.keys(value)
    if (Object.getPrototypeOf(value) !== Object.prototype || Object.getOwnPropertyNames(value).length !== names.length)
      return false
    parts.push(this.#headOf(names))
    for (const name of names) if (!this.#add(value[name], parts, depth + 1)) return false
    return true
  }

  #headOfList(length: number): Head {
    const known = this.#lists.get(length)
    if (known !== undefined) return known
    const made = { names: undefined, length }
    if (this.#lists.size < maxHeads) this.#lists.set(length, made)
    return made
  }

  /**
   * Returns the head for these names. Shared heads are looked up by the number of names, the first
   * name and the last name. If the names between the first and the last name differ from those of
   * the shared head, a new head is returned, which is not shared.
   */
  #headOf(names: readonly string[]): Head {
    const { length } = names
    const key = `${length} ${names[0]} ${names[length - 1]}`
    const known = this.#objects.get(key)
    if (known?.names.every((name, at) => name === names[at]) && known.length === length) return known
    const made = { names, length }
    if (known === undefined && this.#objects.size < maxHeads) this.#objects.set(key, made)
    return made
  }
}

/**
 * True if `given` is plain data that has the same values as the flattened data, and the same
 * members in the same order. In that case, both are serialized to the same JSON and the same XML.
 * False for a value that may be serialized differently, such as an instance of a class, or an
 * object with non-enumerable members or `toJSON`.
 */
export const isSameData = (parts: FlatData, given: unknown): boolean => indexAfter(parts, 0, given) > 0

/**
 * Compares `given` with the flattened value that starts at index `at`. Returns the index after the
 * flattened value, or -1 if the two values are different.
 */
function indexAfter(parts: FlatData, at: number, given: unknown): number {
  const head = parts[at]
  if (head === given) return at + 1
  if (!isContainer(head) || !isContainer(given)) return -1
  return head.names === undefined
    ? indexAfterList(parts, at, head.length, given)
    : indexAfterObject(parts, at, head.names, given as JsonObject)
}

function indexAfterList(parts: FlatData, at: number, length: number, given: object): number {
  if (!Array.isArray(given) || given.length !== length || !isPlainList(given)) return -1
  let place = at + 1
  for (let item = 0; item < length && place > 0; item += 1) place = indexAfter(parts, place, given[item])
  return place
}

function indexAfterObject(parts: FlatData, at: number, names: readonly string[], given: JsonObject): number {
  if (Object.getPrototypeOf(given) !== Object.prototype) return -1
  let place = at + 1
  let count = 0
  // The loop reads the members in place, because `Object.keys()` would take almost twice as long.
  for (const name in given) {
    if (names[count] !== name) return -1
    const value = given[name]
    place = parts[place] === value ? place + 1 : indexAfter(parts, place, value)
    if (place < 0) return -1
    count += 1
  }
  return count === names.length && Object.getOwnPropertyNames(given).length === count ? place : -1
}

const isPlainList = (value: readonly unknown[]): boolean =>
  Object.getPrototypeOf(value) === Array.prototype && (value as { toJSON?: unknown }).toJSON === undefined

/** Rebuilds the data from its flattened form, and deeply freezes it. */
export function frozenData(parts: FlatData): unknown {
  let place = 0
  const next = (): unknown => {
    const part = parts[place]
    place += 1
    if (!isContainer(part)) return part
    const { names, length } = part
    if (names === undefined) return Object.freeze(Array.from({ length }, next))
    const object: JsonObject = {}
    for (const name of names) put(object, name, next())
    return Object.freeze(object)
  }
  return next()
}

/** The approximate size of flattened data, in characters. */
export function sizeOfData(parts: FlatData): number {
  let size = 0
  for (const part of parts) size += typeof part === 'string' ? 20 + part.length : 10
  return size
}
