/** The components of a document: what several operations share stands once, under a readable name. */
import type { JsonObject } from '../definition/json.js'
import { ConfigurationError } from '../problem.js'
import type { Reference } from './document.js'

/** The kinds of components that are written here. */
export type ComponentKind = 'schemas' | 'responses' | 'parameters' | 'headers' | 'securitySchemes'

interface Named {
  readonly kind: ComponentKind
  readonly name: string
  /** What it was made of: two of one identity are the same. */
  readonly identity: string
  /** Who has taken the name. */
  readonly owner: string
  /** Asked when all are wanted, since resources lead to each other in circles and in long chains. */
  readonly make: () => unknown
  /** One object for all places: thousands of operations refer to the same. */
  readonly reference: Reference
}

/** Whose name it is, and the names that it may have: the first that is free, or that has the same identity. */
interface Claim {
  readonly names: readonly string[]
  readonly owner: string
}

const library = 'the library'

/** Collects components, and gives references to them. */
export class Components {
  readonly #kinds = new Map<ComponentKind, Map<string, Named>>()
  readonly #known = new Map<string, Reference>()
  readonly #claims: Named[] = []
  /** Whether any schema, or any operation, has examples: most documents have none to check. */
  hasExamples = false
  /** Whether a schema was made for a comparison alone: what it refers to may stand nowhere else. */
  hasStrays = false

  /** A reference to a value that is shared by what it says. Throws `ConfigurationError` where others have all the names. */
  share(kind: ComponentKind, names: readonly string[], value: unknown, owner = library): Reference {
    return this.#claim(kind, { names, owner }, JSON.stringify(value), () => value)
  }

  /** The reference that was made for a key before, or is made now: what thousands of operations share is written once. */
  once(key: string, make: () => Reference): Reference {
    const known = this.#known.get(key) ?? make()
    this.#known.set(key, known)
    return known
  }

  /**
   * A reference to a schema that one owner alone has, and that may lead back to itself. Throws
   * `ConfigurationError` where another owner has the name.
   */
  define(name: string, owner: string, make: () => unknown): Reference {
    return this.#claim('schemas', { names: [name], owner }, `of ${owner}`, make)
  }

  /** The same of what two owners may have alike: `identity` tells whether they have. */
  defineAlike(names: readonly string[], owner: string, identity: string, make: () => unknown): Reference {
    return this.#claim('schemas', { names, owner }, identity, make)
  }

  /** A reference to what an owner shares among its operations, or the value itself where others have the name: it can do without one. */
  shareIfFree(
    kind: ComponentKind,
    name: string,
    owner: string,
    make: () => Readonly<JsonObject>,
  ): Reference | Readonly<JsonObject> {
    const identity = `of ${owner}`
    if ((this.#kinds.get(kind)?.get(name)?.identity ?? identity) !== identity) return make()
    return this.#claim(kind, { names: [name], owner }, identity, make)
  }

  /** All of them by kind and name, sorted by name. */
  all(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
    const made = new Map<ComponentKind, Map<string, unknown>>()
    // What is made may need more of them, which then stand at the end.
    for (const { kind, name, make } of this.#claims) {
      const table = made.get(kind) ?? new Map<string, unknown>()
      made.set(kind, table)
      table.set(name, make())
    }
    return Object.fromEntries([...made].map(([kind, table]) => [kind, sorted(table)]))
  }

  #claim(kind: ComponentKind, { names, owner }: Claim, identity: string, make: () => unknown): Reference {
    const table = this.#kinds.get(kind) ?? new Map<string, Named>()
    this.#kinds.set(kind, table)
    let taken: Named | undefined
    for (const name of names) {
      taken = table.get(name)
      if (taken === undefined) {
        const claimed = { kind, name, identity, owner, make, reference: { $ref: `#/components/${kind}/${name}` } }
        table.set(name, claimed)
        this.#claims.push(claimed)
        return claimed.reference
      }
      if (taken.identity === identity) return taken.reference
    }
    throw clash(kind, names.at(-1) ?? '', owner, taken?.owner ?? library)
  }
}

function sorted(table: ReadonlyMap<string, unknown>): Readonly<Record<string, unknown>> {
  const result: Record<string, unknown> = {}
  for (const name of [...table.keys()].sort()) result[name] = table.get(name)
  return result
}

function clash(kind: ComponentKind, name: string, owner: string, other: string): ConfigurationError {
  return new ConfigurationError(
    'description-clash',
    `${owner} and ${other} would share the name "${name}" among the ${kind} of the document. Give one of them another "singular", or another title.`,
  )
}
