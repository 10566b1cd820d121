/** The components of a document: parts that several operations share, under readable names. */
import type { JsonObject } from '../definition/json.js'
import { ConfigurationError } from '../problem.js'
import type { Reference } from './document.js'

/** The kinds of components. */
export type ComponentKind = 'schemas' | 'responses' | 'parameters' | 'headers' | 'securitySchemes'

interface Named {
  readonly kind: ComponentKind
  readonly name: string
  /** Parts with the same name and the same identity become one component. */
  readonly identity: string
  /** The owner of the component in messages, such as `"pre-piezas"` or `the library`. */
  readonly owner: string
  /**
   * Builds the component. This function is called after all operations have been built, because
   * resources reference each other in cycles and in long chains.
   */
  readonly make: () => unknown
  /**
   * The only reference object of this component. The object is shared, because thousands of
   * operations may reference the component.
   */
  readonly reference: Reference
}

/**
 * The possible names of a component, and its owner. The component gets the first name that is free,
 * or that already belongs to a component with the same identity.
 */
interface Claim {
  readonly names: readonly string[]
  readonly owner: string
}

const library = 'the library'

/** Collects components and returns references to them. */
export class Components {
  readonly #kinds = new Map<ComponentKind, Map<string, Named>>()
  readonly #known = new Map<string, Reference>()
  readonly #claims: Named[] = []
  /** Whether any schema or operation has examples. If not, the check of examples is skipped. */
  hasExamples = false
  /**
   * Whether a schema was built only for a comparison. In that case, the document may contain unused
   * components.
   */
  hasUnused = false

  /**
   * Returns a reference to a value. Equal values share a component. Throws `ConfigurationError` if
   * all names are taken.
   */
  share(kind: ComponentKind, names: readonly string[], value: unknown, owner = library): Reference {
    return this.#claim(kind, { names, owner }, JSON.stringify(value), () => value)
  }

  /**
   * Returns the cached reference for a key, or creates the reference. This method is used for parts
   * that thousands of operations share.
   */
  once(key: string, make: () => Reference): Reference {
    const known = this.#known.get(key) ?? make()
    this.#known.set(key, known)
    return known
  }

  /**
   * Returns a reference to a schema that belongs to one owner. The schema may be recursive. Throws
   * `ConfigurationError` if another owner has the name.
   */
  define(name: string, owner: string, make: () => unknown): Reference {
    return this.#claim('schemas', { names: [name], owner }, `of ${owner}`, make)
  }

  /**
   * Like `define`, but for schemas that may belong to several owners. Two schemas share a component
   * if their identities are equal.
   */
  defineAlike(names: readonly string[], owner: string, identity: string, make: () => unknown): Reference {
    return this.#claim('schemas', { names, owner }, identity, make)
  }

  /**
   * Returns a reference to a part that several operations of one owner share. If another owner has
   * the name, returns the part itself.
   */
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

  /** Returns all components by kind and name, sorted by name. */
  all(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
    const made = new Map<ComponentKind, Map<string, unknown>>()
    // Building a component may append further components to the list.
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
    `${owner} and ${other} have the same name "${name}" among the ${kind} of the document. ` +
      'Set another "singular", or another "title", for one of them.',
  )
}
