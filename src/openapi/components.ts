/** The components of a document: what several operations share stands once, under a readable name. */
import { ConfigurationError } from '../problem.js'
import type { Reference } from './document.js'

/** The kinds of components that are written here. */
export type ComponentKind = 'schemas' | 'responses' | 'parameters' | 'headers' | 'securitySchemes'

interface Named {
  readonly text: string
  readonly value: unknown
  /** Who has taken the name. */
  readonly owner: string
  /** What it was made of, where that tells whether another is the same. */
  readonly identity?: string
}

/** Collects components, and gives references to them. */
export class Components {
  readonly #kinds = new Map<ComponentKind, Map<string, Named>>()
  /** References by kind and text, so that what was shared before is found at once. */
  readonly #shared = new Map<string, Reference>()

  /**
   * A reference to a value that is shared by what it says: under the first of these names that is
   * free, or that has the same value.
   */
  share(kind: ComponentKind, names: readonly string[], value: unknown, owner = 'the library'): Reference {
    const text = JSON.stringify(value)
    const known = this.#shared.get(`${kind} ${names[0]} ${text}`)
    if (known !== undefined) return known
    const table = this.#table(kind)
    const name = names.find((one) => (table.get(one)?.text ?? text) === text)
    if (name === undefined) throw clash(kind, names.at(-1) ?? '', owner, table.get(names.at(-1) ?? '')?.owner ?? '')
    table.set(name, { text, value, owner: table.get(name)?.owner ?? owner })
    const reference = referenceTo(kind, name)
    this.#shared.set(`${kind} ${names[0]} ${text}`, reference)
    return reference
  }

  /**
   * A reference to a schema that belongs to one owner alone, which is made after its name is taken:
   * it may refer to itself. Throws `ConfigurationError` where another owner has the name.
   */
  define(name: string, owner: string, make: () => unknown): Reference {
    const table = this.#table('schemas')
    const known = table.get(name)
    if (known !== undefined && known.owner !== owner) throw clash('schemas', name, owner, known.owner)
    if (known === undefined) {
      table.set(name, { text: '', value: undefined, owner })
      const value = make()
      table.set(name, { text: JSON.stringify(value), value, owner })
    }
    return referenceTo('schemas', name)
  }

  /** The same of what two owners may have alike: under the first of these names that is free, or that stands for the same `identity`. */
  defineFirst(names: readonly string[], identity: string, owner: string, make: () => unknown): Reference {
    const table = this.#table('schemas')
    const name = names.find(
      (one) =>
        (table.get(one)?.identity ?? identity) === identity && (table.get(one) === undefined || table.get(one)?.identity !== undefined),
    )
    if (name === undefined) throw clash('schemas', names.at(-1) ?? '', owner, table.get(names.at(-1) ?? '')?.owner ?? '')
    if (!table.has(name)) {
      table.set(name, { text: '', value: undefined, owner, identity })
      const value = make()
      table.set(name, { text: JSON.stringify(value), value, owner, identity })
    }
    return referenceTo('schemas', name)
  }

  /** The value behind a name; `undefined` where there is none. */
  get(kind: ComponentKind, name: string): unknown {
    return this.#table(kind).get(name)?.value
  }

  /** All of them by kind and name, sorted by name. */
  all(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
    const kinds = [...this.#kinds].filter(([, table]) => table.size > 0)
    return Object.fromEntries(
      kinds.map(([kind, table]) => [kind, Object.fromEntries([...table].sort(byName).map(([name, { value }]) => [name, value]))]),
    )
  }

  #table(kind: ComponentKind): Map<string, Named> {
    const known = this.#kinds.get(kind) ?? new Map<string, Named>()
    this.#kinds.set(kind, known)
    return known
  }
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : a > b ? 1 : 0)

const referenceTo = (kind: ComponentKind, name: string): Reference => Object.freeze({ $ref: `#/components/${kind}/${name}` })

function clash(kind: ComponentKind, name: string, owner: string, other: string): ConfigurationError {
  return new ConfigurationError(
    'description-clash',
    `${owner} and ${other} would share the name "${name}" among the ${kind} of the document. Give one of them another "singular", or another title.`,
  )
}
