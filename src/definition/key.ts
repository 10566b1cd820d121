/**
 * Writes and compares keys (PATH-9, PATH-11). The id text of a simple key is its value; that of a
 * composite key is `part=value,part=value` in the declared order, with `%` `,` `=` inside values
 * percent-encoded. Each key has one text. In a path, texts of a format with a canonical form (a
 * UUID, a date-time) may use any spelling of the format: all identify the same record.
 */
import type { Scalar } from '../adapters/contract.js'
import { own } from './json.js'
import type { Shape } from './shape.js'
import { canonicalOf, valueFormat } from './value-formats.js'

/** A key as adapters get it: a scalar, or an object of its parts. */
export type KeyValue = Scalar | Readonly<Record<string, Scalar>>

export interface KeyCodec {
  /** The members of the key, in order. */
  readonly members: readonly string[]
  readonly composite: boolean
  /** The key of a record; `undefined` if a part is missing or of another type. */
  of(record: unknown): KeyValue | undefined
  /** The id text of a key. Keys are equal if their texts are. */
  text(key: KeyValue): string
  /**
   * The key of an id text; `undefined` if it is not one. Numbers, booleans and plain texts have one
   * spelling; those of a format may have any that the format allows.
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
 * The parts of a key under the names of the members that hold it: its own, or those in which
 * another record stores it.
 */
export function membersHolding(
  codec: KeyCodec,
  key: KeyValue,
  names: readonly string[] = codec.members,
): Readonly<Record<string, Scalar>> {
  const parts = codec.parts(key)
  return Object.fromEntries(names.map((name, i) => [name, parts[i] as Scalar]))
}

/** The last key in a path: that of the item. Throws if there is none. */
export function lastKey(keys: readonly KeyValue[]): KeyValue {
  const key = keys.at(-1)
  if (key === undefined) throw new Error('This path has no key.')
  return key
}

/** Why a text can't be an id in an address; `undefined` if it can (PATH-11). */
export function unaddressable(text: string): string | undefined {
  if (text === '') return "An id can't be empty."
  if (text === '.' || text === '..') return `An id can't be "." or "..": clients could not address it.`
  if (/\p{Surrogate}/u.test(text)) return "An id can't contain half of a surrogate pair: that is not Unicode text."
  return undefined
}

/**
 * Maximum length of an id in a path. Node and other servers accept 16 KiB of header fields in
 * total: neither a `Location` nor a request with a longer id would get through.
 */
export const longestId = 8_000

/** Why no record may be created with this id; `undefined` if one may (PATH-11). */
export function unfitForNew(text: string): string | undefined {
  const why = unaddressable(text)
  if (why !== undefined || segmentOf(text).length <= longestId) return why
  return `An id can have at most ${longestId} characters in an address, percent-encoded: clients could not follow a link to it.`
}

/**
 * The path segment of an id text: percent-encoded once, with `,` and `=` unescaped for readability.
 * Half of a surrogate pair, which no segment can hold, becomes U+FFFD, so that an invalid record in
 * a store does not break the list that contains it.
 */
export function segmentOf(text: string): string {
  // Most ids need no encoding: the test takes an eighth of the time.
  if (/^[\w.~-]*$/.test(text)) return text
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
    .replaceAll('%2C', ',')
    .replaceAll('%3D', '=')
}

/**
 * Reads a part of a key from a record and from an id; `undefined` if it is invalid. An id must use
 * the canonical spelling of a part, except for formats, where any spelling is allowed.
 */
interface PartType {
  take(value: unknown): Scalar | undefined
  parse(text: string): Scalar | undefined
  /** The canonical text of a part. Default: the part itself. */
  write?(value: Scalar): string
}

/** The only type with texts that no path can hold. */
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
  // Negative zero is written "0", so it is the same key.
  take: (value) => (typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined),
  parse(raw) {
    const value = Number(raw)
    // Only the canonical text addresses a number, so that no id is rounded to another number.
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
 * The texts of the parts of a composite id; `undefined` if its names are not those of the key in
 * order.
 */
function splitParts(id: string, prefixes: readonly string[]): string[] | undefined {
  const pairs = id.split(',')
  if (pairs.length !== prefixes.length) return undefined
  const texts: string[] = []
  for (const [i, prefix] of prefixes.entries()) {
    const pair = pairs[i] as string
    if (!pair.startsWith(prefix)) return undefined
    const raw = unescapePart(pair.slice(prefix.length))
    // Any other escaping is another text and not valid.
    if (prefix + escapePart(raw) !== pair) return undefined
    texts.push(raw)
  }
  return texts
}

const escapePart = (raw: string): string => raw.replaceAll('%', '%25').replaceAll(',', '%2C').replaceAll('=', '%3D')
const unescapePart = (raw: string): string => raw.replaceAll('%3D', '=').replaceAll('%2C', ',').replaceAll('%25', '%')
