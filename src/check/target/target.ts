/** What is known of a service before the first check: learned from its document, or written in a target file. */

/** A query parameter that filters by a value. */
export interface Filter {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'other'
  /** Whether it may stand several times. */
  readonly many: boolean
}

/** How own resources are made under `--write`. */
export interface Creation {
  /** A body that POST takes. The marker is put into a copy of it. Absent: these members of an item that there is. */
  readonly body?: Readonly<Record<string, unknown>>
  /** The members that POST takes and that are not made by the store. */
  readonly members: readonly string[]
  /** The text member that carries the marker: orphans are found by it. It must also be a filter. */
  readonly marker?: string
  /** Whether POST takes an `Idempotency-Key`: orphans are found by repeating it. */
  readonly idempotent?: boolean
  /** Text members that must differ from record to record: they get the marker, too. */
  readonly unique?: readonly string[]
}

/** A flag below an item: PUT sets it and DELETE unsets it (PATH-8). */
export interface Flag {
  /** Its segment. */
  readonly name: string
  readonly methods: readonly string[]
}

export interface CollectionTarget {
  /** Below the base address, such as `/orders` or `/customers/{id}/orders`. */
  readonly template: string
  /** The members that make up the id of an item, in the order of the id. Absent: items can not be told apart. */
  readonly key?: readonly string[]
  /** Methods that the document tells, of the collection and of its items. */
  readonly methods: readonly string[]
  readonly itemMethods: readonly string[]
  /** Every query parameter of the list. */
  readonly parameters: readonly string[]
  readonly filters: readonly Filter[]
  /** Fields of `sort`. Absent: it is not known which there are. */
  readonly sort?: readonly string[]
  /** Associations that `expand` takes. Absent: it is not known which there are. */
  readonly expand?: readonly string[]
  /** Associations that `expand` takes where one item is read. Absent: not known. */
  readonly itemExpand?: readonly string[]
  readonly flags?: readonly Flag[]
  /** Addresses below it that GET reads and that are no items, such as `/orders/by-state/{state}`. */
  readonly below?: readonly string[]
  /** The number of the first page. */
  readonly first: 0 | 1
  /** The largest `limit`. Absent: not known. */
  readonly largest?: number
  /** Media types of the list, the first one by default. */
  readonly media: readonly string[]
  /** Members of an item that may be null, without those inside others. */
  readonly nullable: readonly string[]
  /** Members that must never be in an answer. */
  readonly writeOnly: readonly string[]
  /** Whether the list needs credentials. */
  readonly secured: boolean
  /** Whether the document calls it deprecated. */
  readonly deprecated?: boolean
  /** Media types of the body of PATCH. */
  readonly patches?: readonly string[]
  /** Whether PUT of an item takes no body, and puts an existing item into the collection (VERB-4). */
  readonly associated?: boolean
  /** Whether the document promises a tag, and a total, for lists. */
  readonly tagged: boolean
  readonly counted: boolean
  readonly create?: Creation
}

export interface Target {
  /** The address that links begin with, where it is not the base address that is checked. */
  readonly published?: string
  /** The path of the server that the document names: put behind a base address that has no path. */
  readonly path?: string
  readonly collections: readonly CollectionTarget[]
  /**
   * Collections of a public API that take POST and can not be listed, and whose items take GET and
   * DELETE (VERB-11).
   */
  readonly unlisted?: readonly CollectionTarget[]
  /** The path of the login, below what stands before the version, such as `/login`. */
  readonly login?: string
  /** The origin of a browser's script that may call, such as `https://shop.example.com`. Default: one that is made up. */
  readonly origin?: string
  /** Segments of versions that have ended, such as `v0`. */
  readonly retired: readonly string[]
}
