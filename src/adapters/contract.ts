/**
 * The contract between the library and the data of a service. An adapter does not deal with HTTP:
 * it gets no entity tags, patches or media types. If the adapter lacks the method that a request
 * needs, such as `create` for a POST, the response is 405. Its `Allow` header field lists the HTTP
 * methods that are supported (VERB-9). A read-only adapter needs only `list` and `read`.
 */

/**
 * A value, or a promise of the value. An adapter whose store is in the same process can return
 * values, which avoids the cost of promises.
 */
export type Awaitable<T> = T | Promise<T>

export type Scalar = string | number | boolean

/**
 * A stored value and the opaque version that the store assigned to it. A store must never assign
 * the same version twice for one key, not even after the record is deleted and created again, or
 * after a restart (HDR-2).
 */
export interface Stored<T> {
  readonly value: T
  readonly version: string
}

/**
 * How a member is compared with a value (QUERY-1). `contains`: the member is an array that contains
 * the value.
 */
export type Operator = 'eq' | 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'null'

/**
 * One condition of a list. Only records that meet all conditions are listed. Values already have
 * the type that the schema declares. A member that is null or absent meets no condition except
 * `null` with the value `true`.
 */
export type Condition = ConditionTarget &
  (
    | { readonly op: 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains'; readonly value: Scalar }
    /**
     * Matches a member that equals any of the values. A list of one value means the same as `eq`.
     * An empty list matches nothing. The list may hold thousands of values.
     */
    | { readonly op: 'in'; readonly value: readonly Scalar[] }
    /**
     * `true` selects the records whose member is null or absent. `false` selects all other records.
     */
    | { readonly op: 'null'; readonly value: boolean }
  )

interface ConditionTarget {
  /** The member of the stored record. Nested members are written with a dot. */
  readonly field: string
  /** `field` split at the dots. */
  readonly path: readonly string[]
}

export interface SortTerm {
  readonly field: string
  readonly path: readonly string[]
  readonly descending: boolean
}

/** The parent of an associated sub-collection. */
export interface ParentKey {
  /** The parent's collection. */
  readonly collection: string
  /** The parent's key: a scalar, or an object of the key's parts if the key is composite. */
  readonly key: unknown
  /**
   * The path segment below the parent. It distinguishes several associations with the same
   * collection.
   */
  readonly as: string
}

/**
 * A position in the order of a list. The page begins after the row whose sort terms have these
 * values, or ends before that row.
 */
export interface KeysetPosition {
  /**
   * One value for each term of `sort`, in the same order. Null means that the member is null or
   * absent. The row itself may no longer exist.
   */
  readonly values: readonly (Scalar | null)[]
  /** False: the page begins after that row. True: the page ends before it. */
  readonly backwards: boolean
}

/**
 * A list request. Before an adapter gets the request, the library converts the values to the types
 * of the schema, limits the page size, and adds the key to the sort order (QUERY-1..7).
 */
export interface ListRequest {
  readonly where: readonly Condition[]
  /** The unmodified text of `q` (QUERY-3). */
  readonly search?: string
  /**
   * The order of the list. The terms include the key, so no two records are equal in this order.
   * Null sorts as the largest value. The array may be empty only if `search` is set. An empty array
   * orders records by rank, and records of equal rank by ascending key.
   */
  readonly sort: readonly SortTerm[]
  /** The page number. The first page is 1, even if clients count from 0. */
  readonly page: number
  /** Items per page. */
  readonly size: number
  /** The number of items before the page. Always a safe integer. */
  readonly offset: number
  /**
   * The position of the page, if the client followed a `Link` that contains one (QUERY-7). The page
   * then holds up to `size` items next to that position, and `offset` does not apply. A store that
   * can't seek ignores `seek` and uses `offset`.
   */
  readonly seek?: KeysetPosition
  /** `false`: the total will not be used, so a store may skip counting. */
  readonly count?: false
  /**
   * Set for an associated sub-collection: only the records that are attached to this parent are
   * listed.
   */
  readonly parent?: ParentKey
}

export interface Page<T> {
  readonly items: readonly Stored<T>[]
  /** The number of all matching items. Absent if the store does not count. */
  readonly total?: number
  /**
   * False if `total` is an estimate. The response then has no `Link` to the last page. Default
   * true.
   */
  readonly exact?: boolean
  /**
   * Whether the store supports `seek` for lists in this order. If so, links to neighbouring pages
   * contain a position if possible, so that the store need not skip the rows before the page.
   */
  readonly seekable?: boolean
  /**
   * Whether there are items beyond this page: before the page if `seek.backwards` is true,
   * otherwise after it. If `more` is absent, the library computes it from the total. If there is no
   * exact total, a full page counts as having more items after it.
   */
  readonly more?: boolean
  /**
   * Set if the store can't compare a member with a value in the request. If the value comes from
   * the query, the response is 400. Otherwise, the list counts as empty.
   */
  readonly refused?: Refused
}

/** One call of an adapter on behalf of one request. */
export interface AdapterCall {
  readonly principal: unknown
  /**
   * The caller's scope: member -> the value that the member must have. The scope applies to every
   * list, count, read and write of this resource. Created records get these values. The members are
   * top-level: their names never contain a dot. `false`, `0` and `''` are ordinary values. Only
   * `recall` does not need the scope, because each idempotency id belongs to one scope.
   */
  readonly scope: Readonly<Record<string, Scalar>>
  readonly requestId: string
  /**
   * Aborts on timeout. For reads, it also aborts when the client disconnects. The signal is created
   * on first access.
   */
  readonly signal: AbortSignal
  /**
   * True if the same request will use the result of this read for a write. A replica that lags
   * behind must not serve such a read. Default false.
   */
  readonly fresh?: boolean
  /**
   * True if the request has preconditions. A replica that lags behind must not serve such a
   * request, because an outdated version would cause a wrong 304 or 412. Default false.
   */
  readonly current?: boolean
  /**
   * Identifies the caller across requests: equal principals have equal strings. Absent if the
   * caller can't be identified.
   */
  readonly caller?: string | undefined
  /** Milliseconds until the timeout. Absent if there is no timeout. */
  left?(): number
  /**
   * On a create in an associated sub-collection: the parent to which the new record is attached.
   * The adapter creates and attaches the record in one atomic step (PATH-7).
   */
  readonly attachTo?: ParentKey
  /**
   * On a create that the client may retry: identifies the create, so that the adapter recognizes a
   * retry (VERB-12). Passed only to adapters that have `recall`.
   */
  readonly idempotency?: Idempotency
  /**
   * On a write: the kind of request. The kind is `patch` for a PATCH request, and for a PUT or
   * DELETE of a flag, which is a boolean member with a URL of its own (PATH-8). In both cases, the
   * library calls `replace()` with the whole record. If `action` is absent, the kind is the name of
   * the adapter method that is called.
   */
  readonly action?: WriteAction | undefined
  /**
   * On a write with `expected`: the record in the version `expected`, if the same request has
   * already read the record.
   */
  readonly before?: unknown
  /**
   * On `list`, `read`, `create` and `replace`: the links that the response shows. An adapter may
   * report the targets of these links if it can read them in the same statement as the records.
   * Passed only to adapters that set `readsLinks`.
   */
  readonly links?: ShownLinks | undefined
}

/**
 * A link whose target the response shows. A link refers from one record to another, the target
 * (REP-1..3). Immutable: all requests that show the link in the same way share one object.
 */
export interface ShownLink {
  /** The members of the record that hold the target's key, in the order of the key's parts. */
  readonly by: readonly string[]
  /** The adapter that the target's resource is mounted with. */
  readonly adapter: object
  /**
   * The members of the target that the response needs, in addition to the target's key and version.
   * Absent: all members.
   */
  readonly members?: readonly string[]
}

/** The links that the response to one call shows. */
export interface ShownLinks {
  readonly all: readonly ShownLink[]
  /**
   * Returns the call to use for reading the target of a link. Returns `undefined` if that call is
   * not known yet.
   */
  callOf(link: ShownLink): AdapterCall | undefined
  /**
   * Before a create, the library may read the target of a link, to check that the target exists
   * (REP-7). This method lets the response to the create reuse that target. Returns true if the
   * library has read the target, or if the link is null: the adapter then need not read the target.
   * Otherwise returns false. Call this method only if the create can't change the target.
   */
  showChecked?(link: ShownLink): boolean
  /**
   * Reports the target of a link. Call this method only after the adapter's own statement has
   * succeeded. `key` is the target's key as a string. `stored` is what `read` of the target's
   * adapter would return for this key and the call that `callOf` returns. If there is no such
   * record, `stored` is `undefined`. The library itself reads the targets that are not reported.
   */
  found(link: ShownLink, key: string, stored: Stored<unknown> | undefined): void
}

/**
 * Identifies a create that the client may retry. Both members are digests, written in ASCII
 * letters, digits, `-` and `_`.
 */
export interface Idempotency {
  /**
   * The digest of the caller's identity and scope, the URL of the list, and the client's
   * idempotency key.
   */
  readonly id: string
  /** The digest of the request body's value. Equal values have equal digests. */
  readonly fingerprint: string
}

/**
 * The result of a create whose idempotency id is already in use, if the record of the first create
 * can't be returned. `mismatched`: the fingerprint of the first create is different. `running`: the
 * first create has not finished.
 */
export type Repeated = 'mismatched' | 'running'

/**
 * A refusal by the store's own rules. If a write is refused, the response is a 422 that names the
 * members (ERR-2). If a list is refused because of its query, the response is a 400 that names the
 * parameters.
 */
export interface Refused {
  /**
   * - `duplicate`: another record has the same key, or the same value where values must be unique;
   * - `reference`: a member refers to a record that does not exist;
   * - `referenced`: other records refer to this record, so this record can't be removed;
   * - `rule`: anything else.
   */
  readonly refused: 'duplicate' | 'reference' | 'referenced' | 'rule'
  /**
   * With `referenced`: the collections of the records that refer to this one, as far as the store
   * knows them. A client sees only the collections that exist in its version of the API.
   */
  readonly by?: readonly string[]
  /**
   * The members of the stored record that the refusal concerns. Nested members are written with a
   * dot. For a list, these are the members of the refused conditions. Empty if the search text is
   * refused.
   */
  readonly members: readonly string[]
  /**
   * The fault of the members, as the end of a sentence for the client. Example: `holds U+0000,
   * which this store cannot keep`. The default depends on `refused`.
   */
  readonly why?: string
}

/** True for a refusal, false for any other result of a write. */
export const isRefused = (answer: unknown): answer is Refused =>
  typeof answer === 'object' && answer !== null && 'refused' in answer

/**
 * The result of a create: the new record, or the key of a record that will be created later (202),
 * or `nothing` if no record is created (200), or a refusal.
 */
export type Created<T, K> =
  | { readonly created: Stored<T> }
  | { readonly accepted: K }
  | { readonly nothing: true }
  | Refused

/** The name of an adapter method that changes data. */
export type WriteMethod = 'create' | 'replace' | 'remove' | 'attach' | 'detach'

/**
 * The kind of a write request. `patch` changes some members of a record. The adapter performs a
 * `patch` in `replace()`.
 */
export type WriteAction = WriteMethod | 'patch'

/**
 * The service's data behind one resource. `T` is the type of the stored record. `K` is the type of
 * its key: a scalar, or an object of the key's parts.
 *
 * An adapter must not modify its arguments (values, keys, requests, calls), because they may be
 * frozen. It must not modify anything that it has returned either.
 *
 * Compare-and-set is the adapter's task: if `expected` is given, the adapter compares it with the
 * stored version in the same atomic step as the write (HDR-3). `call.scope` applies to every method
 * except `recall`: a record outside the scope counts as absent.
 */
export interface Adapter<T, K> {
  /**
   * True if a value can change while its version stays the same, for example because members are
   * computed on read. Entity tags then also cover the value, which costs a hash of each record in a
   * response (HDR-8). Default false: a version identifies the whole value.
   */
  readonly computes?: boolean
  /** True if the adapter uses `call.links`. Default false. */
  readonly readsLinks?: boolean
  /**
   * Checks the store at startup. If something is missing, throws an error that names the fix.
   * `offered` lists the write methods that requests can reach. A fault that affects only other
   * write methods must not cause an error. If `offered` is absent, requests can reach all methods.
   */
  ready?(offered?: ReadonlySet<WriteMethod>): Awaitable<void>
  /**
   * Returns one page and, if the store counts, the number of all matching items. Both come from the
   * same consistent state of the data.
   */
  list(request: ListRequest, call: AdapterCall): Awaitable<Page<T>>
  /**
   * Returns the records with these keys, in the same order, with `undefined` in place of each
   * record that does not exist. The result has as many entries as `keys`. The array `keys` may be
   * empty, may contain duplicates, and may have tens of thousands of entries.
   */
  read(keys: readonly K[], call: AdapterCall): Awaitable<readonly (Stored<T> | undefined)[]>
  /**
   * Returns the record with this key and version from memory, without asking the store whether the
   * record still exists. A later `replace` with the same `call` and version compares the whole row
   * with this record. If that `replace` changes nothing, for any reason, it returns `'stale'`, and
   * the request then reads the record. In this way, a PATCH with `If-Match` takes one round trip to
   * the store.
   *
   * Returns `undefined` if the record is not in memory, or if the adapter can't compare the whole
   * row.
   */
  cached?(key: K, version: string, call: AdapterCall): Stored<T> | undefined
  /**
   * Creates a record. With `call.idempotency`, the adapter also keeps the record under the
   * idempotency id, in the state in which it was created. Both happen in one atomic step. The
   * record is kept for as long as clients may retry the request. If the create is refused, the
   * adapter keeps nothing. If the id is already in use, the adapter creates nothing. The result is
   * then the kept record, or a `Repeated`.
   */
  create?(value: T, call: AdapterCall): Awaitable<Created<T, K> | Repeated>
  /**
   * Returns the record that an earlier create kept under the id in `call.idempotency`, even if the
   * record has been changed or removed since. Returns `'mismatched'` if the fingerprint of the
   * earlier create is different. May return `'running'` if the earlier create has not finished.
   * Returns `undefined` if no record is kept. An adapter without this method keeps no records, and
   * never gets an `idempotency`.
   */
  recall?(call: AdapterCall): Awaitable<Stored<T> | Repeated | undefined>
  replace?(
    key: K,
    value: T,
    expected: string | undefined,
    call: AdapterCall,
  ): Awaitable<Stored<T> | 'absent' | 'stale' | Refused>
  remove?(key: K, expected: string | undefined, call: AdapterCall): Awaitable<'removed' | 'absent' | 'stale' | Refused>
  /**
   * Puts an existing record into the parent's collection. `expected` is the version that the record
   * must have. The first of these cases that applies is the result:
   *
   * 1. `'absent'`: the scope contains no such record;
   * 2. `'stale'`: the record's version is not `expected`;
   * 3. `'attached'`: the record is already in that collection, and nothing changes;
   * 4. a refusal, for example `'rule'` if the record would leave the scope, or if the store can't
   * hold the parent's key;
   * 5. `'attached'`: the record is put into the collection.
   */
  attach?(
    parent: ParentKey,
    key: K,
    expected: string | undefined,
    call: AdapterCall,
  ): Awaitable<'attached' | 'absent' | 'stale' | Refused>
  /**
   * Takes a record out of the parent's collection. The record itself stays. The first of these
   * cases that applies is the result:
   *
   * 1. `'absent'`: the record is not in the collection, or the scope fixes the value of a member
   * that holds the parent's key;
   * 2. `'stale'`: the record's version is not `expected`;
   * 3. a refusal by a rule of the store;
   * 4. `'detached'`: the record is taken out of the collection.
   */
  detach?(
    parent: ParentKey,
    key: K,
    expected: string | undefined,
    call: AdapterCall,
  ): Awaitable<'detached' | 'absent' | 'stale' | Refused>
  /**
   * Returns an adapter for the same records. Its methods run in a transaction that the caller has
   * begun. `transaction` is the object that represents the transaction in the caller's database
   * client. The methods of the returned adapter stop working when the transaction ends. Without
   * this method, the option `within` of `records()` can't be used.
   */
  within?(transaction: unknown): Adapter<T, K>
}
