/**
 * The JSON types of the values in a body, for formats such as XML, in which a value need not mark
 * its own type (HDR-1, HDR-5).
 */
import type { Shape } from '../definition/shape.js'

/**
 * The JSON types except null. Null is left out because every format marks it in the value itself.
 * An integer has the type `number`.
 */
export type Kind = 'string' | 'number' | 'boolean' | 'object' | 'array'

/**
 * The form of one value in a body: the type of the value, and the forms of its members or items.
 * The value may be the body itself, a member, or an item of an array.
 */
export interface Form {
  /**
   * The type of the value. `undefined` if several types are possible, or if the type is unknown. In
   * that case, the value in the body must mark its type itself, for example by the attribute `type`
   * in XML.
   */
  readonly kind: Kind | undefined
  /** Returns the form of a member, whether or not the schema declares the member. */
  member(name: string): Form
  /** Returns the form of an array item. */
  item(index: number): Form
}

/** The form of a value whose type and contents are unknown. */
export const openForm: Form = Object.freeze({ kind: undefined, member: () => openForm, item: () => openForm })

/** The form of a value whose type is known and whose contents are unknown. */
export const formOfKind = (kind: Kind): Form => Object.freeze({ kind, member: () => openForm, item: () => openForm })

/** The form of an array whose items all have the same form. */
export const listOf = (item: Form): Form => Object.freeze({ kind: 'array', member: () => openForm, item: () => item })

const made = new WeakMap<Shape, Form>()

/** The form of the values that a schema describes. */
export function formOf(shape: Shape): Form {
  const known = made.get(shape)
  if (known !== undefined) return known
  const form = new ShapeForm(shape)
  made.set(shape, form)
  return form
}

/**
 * The form of a schema. The forms of members are created on first use, so that a recursive schema
 * does not cause endless recursion.
 */
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
      // A client could invent any number of undeclared names, so their forms are not stored in
      // `#members`.
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
