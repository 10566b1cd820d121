/**
 * The JSON type of the value at each place, for formats without types of their own (HDR-1, HDR-5).
 */
import type { Shape } from '../definition/shape.js'

/**
 * The JSON types except null, which every format marks in the value itself. An integer is a number.
 */
export type Kind = 'string' | 'number' | 'boolean' | 'object' | 'array'

/** One place of a value on the wire. */
export interface Form {
  /**
   * The type of the value here; `undefined` if several are possible or the type is unknown: then
   * the format itself must carry it.
   */
  readonly kind: Kind | undefined
  /** The place of a member, known or unknown. */
  member(name: string): Form
  /** The place of an item. */
  item(index: number): Form
}

/** A place of unknown type, with unknown contents. */
export const openForm: Form = Object.freeze({ kind: undefined, member: () => openForm, item: () => openForm })

/** A value of one type, with unknown contents. */
export const formOfKind = (kind: Kind): Form => Object.freeze({ kind, member: () => openForm, item: () => openForm })

/** A list whose items all have one form. */
export const listOf = (item: Form): Form => Object.freeze({ kind: 'array', member: () => openForm, item: () => item })

const made = new WeakMap<Shape, Form>()

/** The form of values that a schema describes. */
export function formOf(shape: Shape): Form {
  const known = made.get(shape)
  if (known !== undefined) return known
  const form = new ShapeForm(shape)
  made.set(shape, form)
  return form
}

/** Members are created on first use, so that recursive schemas terminate. */
class ShapeForm implements Form {
  readonly kind: Kind | undefined
  readonly #shape: Shape
  readonly #members = new Map<string, Form>()
  #prefix: readonly Form[] | undefined
  #items: Form | undefined

  constructor(shape: Shape) {
    this.#shape = shape
    const [type, ...others] = shape.types
    this.kind = type === undefined || others.length > 0 ? undefined : type === 'integer' ? 'number' : (type as Kind)
  }

  member(name: string): Form {
    const known = this.#members.get(name)
    if (known !== undefined) return known
    const declared = this.#shape.members.get(name)
    if (declared === undefined) {
      // Names that a client invents must not fill the cache.
      const other = this.#shape.other(name)
      return other === undefined ? openForm : formOf(other)
    }
    const form = formOf(declared)
    this.#members.set(name, form)
    return form
  }

  item(index: number): Form {
    this.#prefix ??= this.#shape.prefix.map(formOf)
    const { items } = this.#shape
    this.#items ??= items === undefined ? openForm : formOf(items)
    return this.#prefix[index] ?? this.#items
  }
}
