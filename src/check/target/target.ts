/** The facts about a service before the first check, from its document or a target file. */

/** A query parameter that filters by a value. */
export interface Filter {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'other'
  /** Whether it may be repeated. */
  readonly many: boolean
}

/** How checks create their own records with `--write`. */
export interface Creation {
  /**
   * A body that POST accepts. The marker is put into a copy of it. Absent: the body has the
   * `members` of an existing item.
   */
  readonly body?: Readonly<Record<string, unknown>>
  /** The members that POST accepts and the store does not generate. */
  readonly members: readonly string[]
  /**
   * The text member for the marker, by which leftover records are found. It must also be a filter.
   */
  readonly marker?: string
  /** Whether POST accepts an `Idempotency-Key`. Leftover records are found by repeating it. */
  readonly idempotent?: boolean
  /** Text members that must be unique. They also get the marker. */
  readonly unique?: readonly string[]
}

/** A flag below an item: PUT sets it and DELETE unsets it (PATH-8). */
export interface Flag {
  /** Its path segment. */
  readonly name: string
  readonly methods: readonly string[]
}

export interface CollectionTarget {
  /** Below the base address, such as `/orders` or `/customers/{id}/orders`. */
  readonly template: string
  /**
   * The members of the id of an item, in the order of the id. Absent: items can't be identified.
   */
  readonly key?: readonly string[]
  /** The documented methods of the collection and of its items. */
  readonly methods: readonly string[]
  readonly itemMethods: readonly string[]
  /** Every query parameter of the list. */
  readonly parameters: readonly string[]
  readonly filters: readonly Filter[]
  /** Fields of `sort`. Absent: not known. */
  readonly sort?: readonly string[]
  /** Associations that `expand` accepts. Absent: not known. */
  readonly expand?: readonly string[]
  /** Associations that `expand` accepts in a GET of one item. Absent: not known. */
  readonly itemExpand?: readonly string[]
  readonly flags?: readonly Flag[]
  /**
   * Other addresses with GET below the collection, which are not items, such as
   * `/orders/by-state/{state}`.
   */
  readonly below?: readonly string[]
  /** The number of the first page. */
  readonly first: 0 | 1
  /** The largest `limit`. Absent: not known. */
  readonly largest?: number
  /** Media types of the list, the first one by default. */
  readonly media: readonly string[]
  /** Top-level members of an item that may be null. */
  readonly nullable: readonly string[]
  /** Members that must never be in an answer. */
  readonly writeOnly: readonly string[]
  /** Whether the list needs credentials. */
  readonly secured: boolean
  /** Whether it is deprecated in the document. */
  readonly deprecated?: boolean
  /** Media types of the body of PATCH. */
  readonly patches?: readonly string[]
  /** Whether PUT of an item has no body, and adds an existing item to the collection (VERB-4). */
  readonly associated?: boolean
  /** Whether the document promises a tag for lists. */
  readonly tagged: boolean
  /** Whether the document promises a total for lists. */
  readonly counted: boolean
  readonly create?: Creation
}

export interface Target {
  /** The address with which links begin, if it is not the checked base address. */
  readonly published?: string
  /** The path of the server in the document, appended to a base address without a path. */
  readonly path?: string
  readonly collections: readonly CollectionTarget[]
  /**
   * Collections of a public API that accept POST and cannot be listed, and whose items accept GET
   * and DELETE (VERB-11).
   */
  readonly unlisted?: readonly CollectionTarget[]
  /** The path of the login, relative to the address before the version, such as `/login`. */
  readonly login?: string
  /**
   * An origin whose browser scripts may call the service, such as `https://shop.example.com`.
   * Default: a made-up origin.
   */
  readonly origin?: string
  /** Segments of versions that have ended, such as `v0`. */
  readonly retired: readonly string[]
}
