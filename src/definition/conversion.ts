/** Conversions of record values, compiled from the shape of the record. */
import { type JsonObject, put } from './json.js'
import type { Shape } from './shape.js'
import { canonicalOf, hasFormats } from './value-formats.js'

/** Converts one value of a record. */
export type Convert = (value: unknown) => unknown

/** The conversion that returns each value unchanged. */
export const asItIs: Convert = (value) => value

/**
 * Compiles a conversion that replaces strings with the canonical strings of their formats (REP-4,
 * `value-formats.ts`). Objects and lists that the schema describes are copied. Values that do not
 * match the shape are not changed.
 */
export function compileCanonical(shape: Shape): Convert {
  return compileObjects(shape, canonicalMembers)
}

/**
 * Like `compileCanonical`, but if a value is already canonical, the conversion returns the value
 * itself instead of a copy.
 */
export function compileRespelled(shape: Shape): Convert {
  return compileObjects(shape, respelledMembers, true)
}

const respelledMembers: Fill = ({ members, other, open }) => {
  const converted = [...members]
    .filter(([, { shape }]) => hasFormats(shape))
    .map(([name, { convert }]) => ({ name, convert }))
  return (source) => {
    let object = source
    const respell = (name: string, convert: Convert): void => {
      const value = convert(source[name])
      if (value === source[name]) return
      if (object === source) object = { ...source }
      put(object, name, value)
    }
    for (const { name, convert } of converted) if (Object.hasOwn(source, name)) respell(name, convert)
    if (open) {
      for (const name of Object.keys(source)) {
        const convert = members.has(name) ? undefined : other(name)?.convert
        if (convert !== undefined) respell(name, convert)
      }
    }
    return object
  }
}

const canonicalBy = new WeakMap<Shape, Convert>()

/**
 * The canonical form of a value in a record of this shape. `path` contains the names and indexes
 * that lead to the value. If the schema does not describe that position, the value itself is
 * returned.
 */
export function canonicalAt(shape: Shape, path: readonly string[], value: unknown): unknown {
  let place: Shape | undefined = shape
  for (const token of path) {
    const at: Shape = place
    place = at.members.get(token) ?? at.other(token) ?? at.prefix[Number(token)] ?? at.items
    if (place === undefined) return value
  }
  const convert = canonicalBy.get(place) ?? compileCanonical(place)
  canonicalBy.set(place, convert)
  return convert(value)
}

/**
 * Compiles a function that returns a copy of an object. In the copy, strings with a format are
 * canonical.
 */
export const canonicalMembers: Fill = ({ members, other, open }) => {
  const converted = [...members]
    .filter(([, { convert }]) => convert !== asItIs)
    .map(([name, { convert }]) => ({ name, convert }))
  return (source) => {
    const object: JsonObject = { ...source }
    for (const { name, convert } of converted) if (Object.hasOwn(object, name)) object[name] = convert(object[name])
    if (open) {
      for (const name of Object.keys(object)) {
        const convert = members.has(name) ? undefined : other(name)?.convert
        if (convert !== undefined) put(object, name, convert(object[name]))
      }
    }
    return object
  }
}

/** A member that the schema names. */
export interface Member {
  readonly shape: Shape
  readonly required: boolean
  readonly conditional: boolean
  readonly convert: Convert
}

interface Members {
  /** The members that the schema names. */
  readonly members: ReadonlyMap<string, Member>
  /** The shape and the conversion of a member that the schema allows without naming it. */
  readonly other: (name: string) => Pick<Member, 'shape' | 'convert'> | undefined
  /** True if the schema allows members that it does not name. */
  readonly open: boolean
}

/** Compiles a function that returns the converted object for a given object. */
export type Fill = (members: Members) => (source: JsonObject) => JsonObject

/**
 * Compiles a conversion of the values of a shape. Strings are replaced with their canonical
 * strings. Objects are converted by the functions that `fill` returns. Lists are copied, but if
 * `shares` is true, a list whose items all stay the same is not copied. `made` caches the
 * conversions by shape, so that the compilation of a recursive schema ends.
 */
export function compileObjects(
  shape: Shape,
  fill: Fill,
  shares = false,
  made: Map<Shape, Convert> = new Map(),
): Convert {
  const known = made.get(shape)
  if (known !== undefined) return known
  let convert: Convert = asItIs
  made.set(shape, (value) => convert(value))
  const nested = (inner: Shape): Convert => compileObjects(inner, fill, shares, made)
  const objects = shape.isObject ? fill(membersOf(shape, nested)) : undefined
  const lists = shape.isArray ? convertList(shape, nested, shares) : undefined
  const canonical = canonicalOf(shape)
  if (objects !== undefined || lists !== undefined || canonical !== undefined) {
    convert = (value) => {
      if (typeof value === 'string') return canonical === undefined ? value : (canonical(value) ?? value)
      if (typeof value !== 'object' || value === null) return value
      if (Array.isArray(value)) return lists === undefined ? value : lists(value)
      return objects === undefined ? value : objects(value as JsonObject)
    }
  }
  made.set(shape, convert)
  return convert
}

function membersOf(shape: Shape, nested: (inner: Shape) => Convert): Members {
  const members = new Map<string, Member>()
  for (const [name, member] of shape.members) {
    members.set(name, {
      shape: member,
      required: shape.required.has(name),
      conditional: shape.conditional.has(name),
      convert: nested(member),
    })
  }
  const open = shape.hasOthers
  const other: Members['other'] = (name) => {
    const found = open ? shape.other(name) : undefined
    return found && { shape: found, convert: nested(found) }
  }
  return { members, other, open }
}

function convertList(
  shape: Shape,
  nested: (inner: Shape) => Convert,
  shares: boolean,
): (value: readonly unknown[]) => readonly unknown[] {
  const first = shape.prefix.map(nested)
  const rest = shape.items === undefined ? asItIs : nested(shape.items)
  if (rest === asItIs && first.every((convert) => convert === asItIs))
    return (value) => (shares ? value : value.slice())
  return (value) => {
    const list = value.map((item, i) => (first[i] ?? rest)(item))
    return shares && list.every((item, i) => item === value[i]) ? value : list
  }
}
