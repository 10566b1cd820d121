/**
 * Writes, reads and compares keys (PATH-9, PATH-11). The id of a simple key is its value as a
 * string. The id of a composite key is `part=value,part=value` in the declared order. In a
 * composite id, `%`, `,` and `=` inside names and values are percent-encoded. Each key has exactly
 * one id. But if the format of a value has canonical strings, a path may contain other spellings of
 * the value, such as a UUID in upper case. All spellings identify the same record. The exceptions
 * are formats for numbers: their values must have the canonical spelling.
 */
import type { Scalar } from '../adapters/contract.js'
import { own } from './json.js'
import type { Shape } from './shape.js'
import { canonicalOf, valueFormat } from './value-formats.js'

/**
 * A key as adapters receive it: a scalar, or an object that contains the parts of a composite key.
 */
export type KeyValue = Scalar | Readonly<Record<string, Scalar>>

export interface KeyCodec {
  /** The members of the key, in order. */
  readonly members: readonly string[]
  readonly composite: boolean
  /** The key of a record; `undefined` if a part of the key is missing or has a wrong type. */
  of(record: unknown): KeyValue | undefined
  /** The id of a key. Two keys are equal if their ids are equal. */
  text(key: KeyValue): string
  /**
   * The key with this id; `undefined` if the string is not a valid id. A value whose format has
   * canonical strings may have any spelling that the format allows. All other values, and values
   * with a format for numbers, have only one spelling.
   */
  parse(text: string): KeyValue | undefined
  /** The parts of a key, in order. */
  parts(key: KeyValue): readonly Scalar[]
  /** The key with these parts, in order. */
  from(parts: readonly Scalar[]): KeyValue
}

/** Compiles the codec of a key from its members and the schema that defines their types. */
export function keyCodec(shape: Shape, members: readonly string[], composite: boolean): KeyCodec {
  const types = members.map((member) => partType(shape.members.get(member)))
  const prefixes = members.map((member) => `${escapePart(member)}=`)
  const from = (parts: readonly Scalar[]): KeyValue =>
    composite
      ? Object.freeze(Object.fromEntries(members.map((member, i) => [member, parts[i] as Scalar])))
      : (parts[0] as Scalar)
  const parts = (key: KeyValue): readonly Scalar[] =>
    composite ? members.map((member) => own(key, member) as Scalar) : [key as Scalar]
  const write = types.map((type) => type.write ?? String)
  const [writeSimple = String] = write
  const text = (key: KeyValue): string =>
    composite
      ? parts(key)
          .map((part, i) => prefixes[i] + escapePart((write[i] ?? String)(part)))
          .join(',')
      : writeSimple(key as Scalar)
  const fromAll = <Part>(
    given: readonly Part[],
    read: (type: PartType, part: Part) => Scalar | undefined,
  ): KeyValue | undefined => {
    const found: Scalar[] = []
    for (const [i, type] of types.entries()) {
      const part = read(type, given[i] as Part)
      if (part === undefined) return undefined
      found.push(part)
    }
    return from(found)
  }

  const [only, onlyType] = composite ? [] : [members[0] as string, types[0] as PartType]

  return Object.freeze({
    members: Object.freeze([...members]),
    composite,
    from,
    parts,
    text,
    of: (record: unknown) =>
      only !== undefined
        ? onlyType?.take(own(record, only))
        : fromAll(
            members.map((member) => own(record, member)),
            (type, value) => type.take(value),
          ),
    parse(id: string) {
      if (onlyType !== undefined)
        return onlyType !== plainText || unaddressable(id) === undefined ? onlyType.parse(id) : undefined
      const texts = splitParts(id, prefixes)
      return texts && fromAll(texts, (type, raw) => type.parse(raw))
    },
  })
}

/**
 * The parts of a key as an object with one member for each part. By default, the members have the
 * names of the parts. `names` gives them other names, such as those of the members in which another
 * record stores the key.
 */
export function membersHolding(
  codec: KeyCodec,
  key: KeyValue,
  names: readonly string[] = codec.members,
): Readonly<Record<string, Scalar>> {
  const parts = codec.parts(key)
  return Object.fromEntries(names.map((name, i) => [name, parts[i] as Scalar]))
}

/** The last key in a path, which is the key of the item. Throws if the path has no key. */
export function lastKey(keys: readonly KeyValue[]): KeyValue {
  const key = keys.at(-1)
  if (key === undefined) throw new Error('This path has no key.')
  return key
}

/**
 * Whether the URL of an item with this key leads to the item (PATH-11). A URL that ends with `/` or
 * `/.` leads to the collection, and a URL that ends with `/..` leads to the path above the
 * collection.
 */
export const hasUrl = (key: unknown): boolean => key !== '' && key !== '.' && key !== '..'

/**
 * The reason why a string can't be an id in a URL; `undefined` if the string can be an id
 * (PATH-11).
 */
export function unaddressable(text: string): string | undefined {
  if (text === '') return "An id can't be empty."
  if (!hasUrl(text)) return `An id can't be "." or "..": URL parsers remove such a segment.`
  if (/\p{Surrogate}/u.test(text))
    return "An id can't contain half of a surrogate pair: such a string is not valid Unicode."
  return undefined
}

/**
 * Maximum length of an id in a path, percent-encoded. By default, Node accepts at most 16 KiB of
 * header fields in total, and many other programs have similar limits. A `Location` or a request
 * with a longer id might be rejected.
 */
export const longestId = 8_000

/**
 * The reason why a new record must not have this id; `undefined` if the id is allowed (PATH-11).
 */
export function unfitForNew(text: string): string | undefined {
  const why = unaddressable(text)
  if (why !== undefined || segmentOf(text).length <= longestId) return why
  return (
    `An id can have at most ${longestId} characters in a URL, percent-encoded. Clients could not follow a link ` +
    'that contains a longer id.'
  )
}

/**
 * The path segment for an id. The id is percent-encoded once, but `,` and `=` are left readable.
 * Half of a surrogate pair can't be percent-encoded, so it becomes U+FFFD. Without this
 * replacement, one invalid record in a store would break every list that contains the record.
 */
export function segmentOf(text: string): string {
  // Most ids need no encoding. This test takes an eighth of the time of the encoding.
  if (/^[\w.~-]*$/.test(text)) return text
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
    .replaceAll('%2C', ',')
    .replaceAll('%3D', '=')
}

/**
 * Reads a part of a key: `take` reads it from a record, and returns `undefined` for a value of a
 * wrong type. `parse` reads it from an id, and returns `undefined` for an invalid string. In an id,
 * a part with a format may have any spelling of the format, except for formats for numbers. All
 * other parts must have their canonical spelling.
 */
interface PartType {
  take(value: unknown): Scalar | undefined
  parse(text: string): Scalar | undefined
  /** The canonical string of a part. Default: the part, converted with `String()`. */
  write?(value: Scalar): string
}

/**
 * The type of strings that have no format, or a format without canonical strings
 * (`value-formats.ts`). Only this type allows strings that can't be an id (`unaddressable`).
 */
const plainText: PartType = { take: (value) => (typeof value === 'string' ? value : undefined), parse: (raw) => raw }
function formatted(shape: Shape, canonical: (text: string) => string | undefined): PartType {
  const isNumber = valueFormat(shape)?.isNumber === true
  return {
    take: (value) => (typeof value === 'string' ? (canonical(value) ?? value) : undefined),
    parse(raw) {
      const found = canonical(raw)
      return isNumber && found !== raw ? undefined : found
    },
    write: (value) => canonical(String(value)) ?? String(value),
  }
}
const boolean: PartType = {
  take: (value) => (typeof value === 'boolean' ? value : undefined),
  parse: (raw) => (raw === 'true' ? true : raw === 'false' ? false : undefined),
}
const number: PartType = {
  // Negative zero is written "0", so it is the same key as zero.
  take: (value) => (typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined),
  parse(raw) {
    const value = Number(raw)
    // Only the canonical string of a number is a valid id, so that no id is rounded to another
    // number.
    return Number.isFinite(value) && String(value) === raw ? value : undefined
  },
}
const integer: PartType = {
  take: number.take,
  parse: (raw) => (Number.isInteger(Number(raw)) ? number.parse(raw) : undefined),
}

function partType(shape: Shape | undefined): PartType {
  if (shape?.types.has('integer')) return integer
  if (shape?.types.has('number')) return number
  if (shape?.types.has('boolean')) return boolean
  const canonical = canonicalOf(shape)
  return shape === undefined || canonical === undefined ? plainText : formatted(shape, canonical)
}

/**
 * Returns the values of the parts of a composite id, as strings. Returns `undefined` if the names
 * in the id, or their order, differ from those of the key's members. Also returns `undefined` if
 * the escaping of the id differs from that of `escapePart`.
 */
function splitParts(id: string, prefixes: readonly string[]): string[] | undefined {
  const pairs = id.split(',')
  if (pairs.length !== prefixes.length) return undefined
  const texts: string[] = []
  for (const [i, prefix] of prefixes.entries()) {
    const pair = pairs[i] as string
    if (!pair.startsWith(prefix)) return undefined
    const raw = unescapePart(pair.slice(prefix.length))
    // An id whose escaping differs is not valid, because each key has only one id.
    if (prefix + escapePart(raw) !== pair) return undefined
    texts.push(raw)
  }
  return texts
}

const escapePart = (raw: string): string => raw.replaceAll('%', '%25').replaceAll(',', '%2C').replaceAll('=', '%3D')
const unescapePart = (raw: string): string => raw.replaceAll('%3D', '=').replaceAll('%2C', ',').replaceAll('%25', '%')
