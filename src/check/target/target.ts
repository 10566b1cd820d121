/**
 * The facts about a service that are known before the first check. They come from the OpenAPI
 * document or from a target file.
 */

/** A query parameter that filters by a value. */
export interface Filter {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'other'
  /** Whether the parameter may be repeated. */
  readonly many: boolean
}

/** How checks create their own records with `--write`. */
export interface Creation {
  /**
   * A body that POST accepts. The marker, which is a random string that identifies the record, is
   * put into a copy of this body. Without `body`, the body of a POST consists of the `members` of
   * an existing item.
   */
  readonly body?: Readonly<Record<string, unknown>>
  /** The names of the members that POST accepts, without the members of the id. */
  readonly members: readonly string[]
  /**
   * The string member that contains the marker. The cleanup finds leftover records by this member,
   * so there must also be a filter for it.
   */
  readonly marker?: string
  /**
   * Whether POST accepts an `Idempotency-Key`. If it does and there is no `marker`, the cleanup
   * finds leftover records by repeating the POST with its key.
   */
  readonly idempotent?: boolean
  /**
   * String members whose values must be unique. The marker is put into these members too. If there
   * is no `marker`, a check recognizes its record by them.
   */
  readonly unique?: readonly string[]
}

/** A flag below an item: PUT sets the flag, and DELETE unsets it (PATH-8). */
export interface Flag {
  /** The path segment of the flag. */
  readonly name: string
  readonly methods: readonly string[]
}

export interface CollectionTarget {
  /** The path below the base URL, such as `/orders` or `/customers/{id}/orders`. */
  readonly template: string
  /**
   * The members that form the id of an item, in their order in the id. Absent if items have no URL,
   * or if the members are not known.
   */
  readonly key?: readonly string[]
  /** The documented methods of the collection. */
  readonly methods: readonly string[]
  /** The documented methods of an item. */
  readonly itemMethods: readonly string[]
  /** The names of all query parameters of the list. */
  readonly parameters: readonly string[]
  readonly filters: readonly Filter[]
  /** The fields that `sort` accepts. Absent if they are not known. */
  readonly sort?: readonly string[]
  /** The associations that `expand` accepts. Absent if they are not known. */
  readonly expand?: readonly string[]
  /** The associations that `expand` accepts in a GET of one item. Absent if they are not known. */
  readonly itemExpand?: readonly string[]
  readonly flags?: readonly Flag[]
  /**
   * The paths below the collection that accept GET, except items and the paths below items. An
   * example is `/orders/by-state/{state}`.
   */
  readonly below?: readonly string[]
  /** The number of the first page. */
  readonly first: 0 | 1
  /** The largest `limit`. Absent if it is not known. */
  readonly largest?: number
  /** The media types of the list. The first one is the default. */
  readonly media: readonly string[]
  /** Top-level members of an item that may be null. */
  readonly nullable: readonly string[]
  /** Members that must never be in a response. */
  readonly writeOnly: readonly string[]
  /** Whether the list needs credentials. */
  readonly secured: boolean
  /** Whether the document calls the list deprecated. */
  readonly deprecated?: boolean
  /** The media types that PATCH accepts. */
  readonly patches?: readonly string[]
  /**
   * Whether a PUT without a body, to the URL of an item below a parent, adds this existing item to
   * the collection of the parent (VERB-4).
   */
  readonly associated?: boolean
  /** Whether the document promises an entity tag for the list. */
  readonly tagged: boolean
  /** Whether the document promises a total for the list. */
  readonly counted: boolean
  readonly create?: Creation
}

export interface Target {
  /** The URL with which links begin, if it is not the base URL of the check. */
  readonly published?: string
  /**
   * The path of the first server in the document. If the base URL has no path, this path is
   * appended to the base URL.
   */
  readonly path?: string
  readonly collections: readonly CollectionTarget[]
  /**
   * Collections of a public API that clients cannot list. They accept POST, and their items accept
   * GET and DELETE (VERB-11).
   */
  readonly unlisted?: readonly CollectionTarget[]
  /**
   * The path of the login, relative to the part of the base URL before the version. With the base
   * URL `https://example.com/v1`, `/login` stands for `https://example.com/login`.
   */
  readonly login?: string
  /**
   * An origin whose browser scripts may call the service, such as `https://shop.example.com`.
   * Default: a made-up origin.
   */
  readonly origin?: string
  /** The path segments of retired versions, such as `v0`. */
  readonly retired: readonly string[]
}
