/** Conversions of the values of a record, compiled from its shape. */
import { canonicalLocalDateTime } from '../http/local-date-time.js'
import { isObject, type JsonObject, put } from './json.js'
import type { Shape } from './shape.js'

/** A function over one value of a record. */
export type Convert = (value: unknown) => unknown

/** Values with their local date-times in canonical form, seven digits (REP-4). Copies; what does not fit the shape stays as it is. */
export function compileCanonical(shape: Shape): Convert {
  return compileObjects(shape, canonicalMembers)
}

/** Every member as it is, its date-times canonical. */
export const canonicalMembers: Fill = (object, source, { members, other }) => {
  for (const name of Object.keys(source)) {
    const convert = (members.get(name) ?? other(name))?.convert
    put(object, name, convert === undefined ? source[name] : convert(source[name]))
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
}

/** Makes the new object out of the old one. */
export type Fill = (object: JsonObject, source: JsonObject, members: Members) => void

/** A conversion that fills every object anew. `made` remembers by shape, so that a schema that contains itself ends. */
export function compileObjects(shape: Shape, fill: Fill, made: Map<Shape, Convert> = new Map()): Convert {
  const known = made.get(shape)
  if (known !== undefined) return known
  let convert: Convert = (value) => value
  made.set(shape, (value) => convert(value))
  const nested = (inner: Shape): Convert => compileObjects(inner, fill, made)
  const objects = shape.isObject ? convertObject(shape, fill, nested) : undefined
  const lists = shape.isArray ? convertList(shape, nested) : undefined
  const dates = shape.format === 'local-date-time'
  if (objects !== undefined || lists !== undefined || dates) {
    convert = (value) => {
      if (typeof value === 'string') return dates ? (canonicalLocalDateTime(value) ?? value) : value
      if (Array.isArray(value)) return lists === undefined ? value : lists(value)
      return objects !== undefined && isObject(value) ? objects(value) : value
    }
  }
  made.set(shape, convert)
  return convert
}

function convertObject(shape: Shape, fill: Fill, nested: (inner: Shape) => Convert): (value: JsonObject) => JsonObject {
  const members = new Map<string, Member>()
  for (const [name, member] of shape.members) {
    members.set(name, {
      shape: member,
      required: shape.required.has(name),
      conditional: shape.conditional.has(name),
      convert: nested(member),
    })
  }
  const other: Members['other'] = (name) => {
    const found = shape.other(name)
    return found && { shape: found, convert: nested(found) }
  }
  const plan: Members = { members, other: shape.hasOthers ? other : () => undefined }
  return (value) => {
    const object: JsonObject = {}
    fill(object, value, plan)
    return object
  }
}

function convertList(shape: Shape, nested: (inner: Shape) => Convert): (value: readonly unknown[]) => unknown[] {
  const first = shape.prefix.map(nested)
  const rest = shape.items === undefined ? undefined : nested(shape.items)
  return (value) =>
    value.map((item, i) => {
      const convert = first[i] ?? rest
      return convert === undefined ? item : convert(item)
    })
}
