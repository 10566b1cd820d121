/** What happens to the members of a record on its way in and out (REP-4, REP-8), compiled from its shape at mount. */
import { asItIs, type Convert, canonicalMembers, compileObjects, type Fill, type Member } from '../definition/conversion.js'
import { type JsonObject, own, put } from '../definition/json.js'
import type { Shape } from '../definition/shape.js'

/**
 * Values on their way in: local date-times in canonical form, and each absent optional member as its `default`, else null where it is allowed. What only the store sets stays absent, and in an `update` also what the client could not have seen. Copies; what does not fit the
 * shape is left for the validator to name.
 */
export function compileNormalize(shape: Shape, fill: 'create' | 'update'): Convert {
  /** The defaults being filled in: one that would fill itself in again ends there. */
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
 * Values on their way out: what the schema names or allows, nullable members always there, `writeOnly` ones never, date-times with seven digits. A null that
 * the schema does not allow is how many stores say that there is nothing: it becomes `undefined`. With `shares` what is as it would leave is given back, not copied: for
 * who only looks at it.
 */
export function compilePresent(shape: Shape, shares = false): Convert {
  const fill: Fill = ({ members, other, open }) => {
    const told = [...members].filter(([, member]) => !member.shape.writeOnly)
    return (source) => {
      if (shares && isPresentable(source, told)) return source
      const object: JsonObject = {}
      for (const [name, member] of told) {
        const value = own(source, name)
        if (!isNothing(member.shape, value)) put(object, name, member.convert(value))
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
  const allowsNull = shape.nullable || shape.untold
  if (present === asItIs) return allowsNull ? asItIs : (value) => (value === null ? undefined : value)
  return (value) => (isNothing(shape, value) ? undefined : present(value))
}

/** True for plain data with these members and no others, in their order, each as it would leave. */
function isPresentable(source: JsonObject, told: readonly (readonly [name: string, member: Member])[]): boolean {
  const names = Object.keys(source)
  if (names.length !== told.length || Object.getPrototypeOf(source) !== Object.prototype) return false
  for (let i = 0; i < names.length; i += 1) {
    const [name, member] = told[i] as (typeof told)[number]
    if (names[i] !== name) return false
    const value = source[name]
    if (isNothing(member.shape, value) || member.convert(value) !== value) return false
  }
  return true
}

/** Values of hand-written routes on their way out: without `writeOnly` members, date-times with seven digits, everything else as it is. */
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
 * Stored values without what the schema does not know and without nulls that it does not allow: as a client would have to write them. What has nothing of the kind is
 * given back as it is, not copied.
 */
export function compileKnown(shape: Shape): Convert {
  const fill: Fill = ({ members, other }) => {
    const knownOf = (name: string, value: unknown): unknown => {
      const member = members.get(name)
      if (member === undefined) return (other(name)?.convert ?? leftOut)(value)
      return isNothing(member.shape, value) ? nothing : member.convert(value)
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
        if (known !== nothing) put(object, name, known)
      }
      return object ?? source
    }
  }
  return compileObjects(shape, fill, true)
}

/** Stands for a member that is no part of the result. */
const nothing = Symbol('nothing')
const leftOut: Convert = () => nothing

/** A new object with the first so many of these members. */
function firstOf(source: JsonObject, names: readonly string[], count: number): JsonObject {
  const object: JsonObject = {}
  for (const name of names.slice(0, count)) put(object, name, source[name])
  return object
}

const isNothing = (shape: Shape, value: unknown): boolean => value === undefined || (value === null && !shape.nullable && !shape.untold)
