/**
 * Converts the members of records on input and output (REP-4, REP-8). The conversions are compiled
 * from the shape of the record at mount.
 */
import {
  asItIs,
  type Convert,
  canonicalMembers,
  compileObjects,
  type Fill,
  type Member,
} from '../definition/conversion.js'
import { type JsonObject, own, put } from '../definition/json.js'
import type { Shape } from '../definition/shape.js'

/**
 * Compiles the conversion that normalizes input. Strings such as date-times get their canonical
 * form. An absent optional member gets its `default`. If it has no `default` but allows null, it
 * gets null. Members that only the store sets stay absent, and so do members that the schema names
 * only for some records (in a branch of `oneOf`, for example). In an `update`, `writeOnly` members
 * stay absent, too, because the client can't see them. The result is a copy. Values that do not
 * match the shape are left for the validator to report.
 */
export function compileNormalize(shape: Shape, fill: 'create' | 'update'): Convert {
  /**
   * The members whose defaults are being filled in. If a default contains the same member again,
   * that member is not filled in a second time.
   */
  const filling = new Set<Shape>()
  const fallbackOf = ({ shape: member, convert }: Member): unknown => {
    if (member.fallback === undefined) return null
    filling.add(member)
    try {
      return convert(structuredClone(member.fallback.value))
    } finally {
      filling.delete(member)
    }
  }
  return compileObjects(shape, (known) => {
    const canonical = canonicalMembers(known)
    const filled = [...known.members].filter(([, member]) => {
      const { readOnly, writeOnly, nullable, fallback } = member.shape
      if (member.required || member.conditional || readOnly || (writeOnly && fill === 'update')) return false
      return nullable || fallback !== undefined
    })
    return (source) => {
      const object = canonical(source)
      for (const [name, member] of filled) {
        if (!Object.hasOwn(source, name) && !filling.has(member.shape)) put(object, name, fallbackOf(member))
      }
      return object
    }
  })
}

/**
 * Compiles the conversion of values for output. The result has only members that the schema names
 * or allows. A nullable member is always present, unless the schema names it only for some records.
 * `writeOnly` members are never present. Strings such as date-times have the canonical spelling of
 * their format. Many stores use null for absent values, so a null that the schema does not allow
 * becomes `undefined`. With `shares`, a value that needs no change is returned as it is, without a
 * copy. Use `shares` if the result is only read.
 */
export function compilePresent(shape: Shape, shares = false): Convert {
  const fill: Fill = ({ members, other, open }) => {
    const visible = [...members].filter(([, member]) => !member.shape.writeOnly)
    return (source) => {
      if (shares && isPresentable(source, visible)) return source
      const object: JsonObject = {}
      for (const [name, member] of visible) {
        const value = own(source, name)
        if (!isAbsent(member.shape, value)) put(object, name, member.convert(value))
        else if (member.shape.nullable && !member.conditional) put(object, name, null)
      }
      for (const name of open ? Object.keys(source) : []) {
        const member = members.has(name) ? undefined : other(name)
        if (member !== undefined && !member.shape.writeOnly) put(object, name, member.convert(source[name]))
      }
      return object
    }
  }
  const present = compileObjects(shape, fill, shares)
  const allowsNull = shape.nullable || shape.untyped
  if (present === asItIs) return allowsNull ? asItIs : (value) => (value === null ? undefined : value)
  return (value) => (isAbsent(shape, value) ? undefined : present(value))
}

/**
 * True for a plain object with exactly the members of `visible`, in the same order and already in
 * their output form.
 */
function isPresentable(source: JsonObject, visible: readonly (readonly [name: string, member: Member])[]): boolean {
  const names = Object.keys(source)
  if (names.length !== visible.length || Object.getPrototypeOf(source) !== Object.prototype) return false
  for (let i = 0; i < names.length; i += 1) {
    const [name, member] = visible[i] as (typeof visible)[number]
    if (names[i] !== name) return false
    const value = source[name]
    if (isAbsent(member.shape, value) || member.convert(value) !== value) return false
  }
  return true
}

/**
 * Compiles the conversion of the values that hand-written routes send. `writeOnly` members are
 * removed, and strings such as date-times get the canonical spelling of their format. Everything
 * else stays unchanged.
 */
export function compileSent(shape: Shape): Convert {
  return compileObjects(shape, ({ members, other }) => (source) => {
    const object: JsonObject = {}
    for (const name of Object.keys(source)) {
      const member = members.get(name) ?? other(name)
      if (member?.shape.writeOnly) continue
      put(object, name, member === undefined ? source[name] : member.convert(source[name]))
    }
    return object
  })
}

/**
 * Compiles the conversion that removes members from stored values: members that the schema does not
 * allow, and members with a null that the schema does not allow. A value that needs no change is
 * returned as it is, without a copy.
 */
export function compileKnown(shape: Shape): Convert {
  const fill: Fill = ({ members, other }) => {
    const knownOf = (name: string, value: unknown): unknown => {
      const member = members.get(name)
      if (member === undefined) return (other(name)?.convert ?? omit)(value)
      return isAbsent(member.shape, value) ? omitted : member.convert(value)
    }
    return (source) => {
      let object: JsonObject | undefined
      const names = Object.keys(source)
      for (let i = 0; i < names.length; i += 1) {
        const name = names[i] as string
        const value = source[name]
        const known = knownOf(name, value)
        if (object === undefined && known === value) continue
        object ??= firstOf(source, names, i)
        if (known !== omitted) put(object, name, known)
      }
      return object ?? source
    }
  }
  return compileObjects(shape, fill, true)
}

/** Marks a member that is not part of the result. */
const omitted = Symbol('omitted')
const omit: Convert = () => omitted

/** Returns a new object with the first `count` of these members. */
function firstOf(source: JsonObject, names: readonly string[], count: number): JsonObject {
  const object: JsonObject = {}
  for (const name of names.slice(0, count)) put(object, name, source[name])
  return object
}

const isAbsent = (shape: Shape, value: unknown): boolean =>
  value === undefined || (value === null && !shape.nullable && !shape.untyped)
