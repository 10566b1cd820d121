/** Conversions of the values of a record, compiled from its shape. */
import { canonicalLocalDateTime } from '../http/local-date-time.js'
import { type JsonObject, put } from './json.js'
import type { Shape } from './shape.js'

/** A function over one value of a record. */
export type Convert = (value: unknown) => unknown

/** A value that needs no conversion. */
export const asItIs: Convert = (value) => value

/** Values with their local date-times in canonical form, seven digits (REP-4). Copies; what does not fit the shape stays as it is. */
export function compileCanonical(shape: Shape): Convert {
  return compileObjects(shape, canonicalMembers)
}

/** Every member as it is, its date-times canonical. */
export const canonicalMembers: Fill = ({ members, other, open }) => {
  const converted = [...members].filter(([, { convert }]) => convert !== asItIs).map(([name, { convert }]) => ({ name, convert }))
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
  /** Those that the schema names. */
  readonly members: ReadonlyMap<string, Member>
  /** What to do with a member that it allows without naming it. */
  readonly other: (name: string) => Pick<Member, 'shape' | 'convert'> | undefined
  /** True where there may be such members. */
  readonly open: boolean
}

/** Compiles what makes the new object out of the old one. */
export type Fill = (members: Members) => (source: JsonObject) => JsonObject

/**
 * A conversion that fills every object anew. `shares` lets a list whose items need none be the very same; a `fill` may do so with objects. `made` remembers by shape, so
 * that a schema that contains itself ends.
 */
export function compileObjects(shape: Shape, fill: Fill, shares = false, made: Map<Shape, Convert> = new Map()): Convert {
  const known = made.get(shape)
  if (known !== undefined) return known
  let convert: Convert = asItIs
  made.set(shape, (value) => convert(value))
  const nested = (inner: Shape): Convert => compileObjects(inner, fill, shares, made)
  const objects = shape.isObject ? fill(membersOf(shape, nested)) : undefined
  const lists = shape.isArray ? convertList(shape, nested, shares) : undefined
  const dates = shape.format === 'local-date-time'
  if (objects !== undefined || lists !== undefined || dates) {
    convert = (value) => {
      if (typeof value === 'string') return dates ? (canonicalLocalDateTime(value) ?? value) : value
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

function convertList(shape: Shape, nested: (inner: Shape) => Convert, shares: boolean): (value: readonly unknown[]) => readonly unknown[] {
  const first = shape.prefix.map(nested)
  const rest = shape.items === undefined ? asItIs : nested(shape.items)
  if (rest === asItIs && first.every((convert) => convert === asItIs)) return (value) => (shares ? value : value.slice())
  return (value) => {
    const list = value.map((item, i) => (first[i] ?? rest)(item))
    return shares && list.every((item, i) => item === value[i]) ? value : list
  }
}
