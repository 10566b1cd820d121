/**
 * The contract between the library and a team's data. An adapter does not deal with HTTP: it gets
 * no entity tags, patches or media types. A missing method is answered with 405 and the right
 * `Allow` (VERB-9). A read-only adapter has only `list` and `read`.
 */

/** A value or a promise of it. A store in the same process can avoid the cost of promises. */
export type Awaitable<T> = T | Promise<T>

export type Scalar = string | number | boolean

/**
 * A stored value and the opaque version that the store assigned to it. A version is never used
 * twice for one key, not even after the record is deleted and created again, or after a restart
 * (HDR-2).
 */
export interface Stored<T> {
  readonly value: T
  readonly version: string
}

/** How a member is compared with a value (QUERY-1). */
export type Operator = 'eq' | 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'null'

/**
 * One condition of a list. All conditions must hold. Values already have the type that the schema
 * declares. A member that is null or absent matches only `null` conditions.
 */
export type Condition = ConditionTarget &
  (
    | { readonly op: 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains'; readonly value: Scalar }
    /**
     * Any of the values. One value means the same as `eq`, an empty list matches nothing, and there
     * may be thousands.
     */
    | { readonly op: 'in'; readonly value: readonly Scalar[] }
    /** `true` selects records whose member is null or absent, `false` the others. */
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

/** The parent in an associated sub-collection. */
export interface ParentKey {
  /** The parent's collection. */
  readonly collection: string
  /** The parent's key: a scalar, or an object of its parts if it is composite. */
  readonly key: unknown
  /** The path segment below the parent. It distinguishes two associations with the same parent. */
  readonly as: string
}

/**
 * A position in the order of a list. The page begins after, or ends before, the row whose sort
 * terms have these values.
 */
export interface KeysetPosition {
  /**
   * One value for each term of `sort`, in the same order. Null means null or absent. The row
   * itself may no longer exist.
   */
  readonly values: readonly (Scalar | null)[]
  /** False: the page begins after that row. True: the page ends before it. */
  readonly backwards: boolean
}

/**
 * A list request: typed, coerced, bounded and totally ordered before it reaches an adapter
 * (QUERY-1..7).
 */
export interface ListRequest {
  readonly where: readonly Condition[]
  /** The unmodified text of `q` (QUERY-3). */
  readonly search?: string
  /**
   * The order. The key is always the last term, so the order is total. Null sorts as the largest
   * value. Empty only together with `search`: then records are ordered by rank, and by ascending
   * key.
   */
  readonly sort: readonly SortTerm[]
  /** The page number. The first page is 1, even if clients count from 0. */
  readonly page: number
  /** Items per page. */
  readonly size: number
  /** The number of items before the page, a safe integer. */
  readonly offset: number
  /**
   * The position of the page when a client follows a `Link` (QUERY-7). The page then holds the
   * `size` items next to that position, and `offset` does not apply. A store that can't seek
   * ignores `seek` and uses `offset`.
   */
  readonly seek?: KeysetPosition
  /** `false`: `total` is not used, so a store may skip counting. */
  readonly count?: false
  /** Lists only the records that are attached to this parent (associated sub-collections). */
  readonly parent?: ParentKey
}

export interface Page<T> {
  readonly items: readonly Stored<T>[]
  /** The number of all matching items. Absent if the store does not count. */
  readonly total?: number
  /**
   * False if `total` is an estimate: then the response has no `Link` to a last page. Default true.
   */
  readonly exact?: boolean
  /**
   * Whether the store supports `seek` for lists in this order. If so, links to neighbouring pages
   * may carry a position, which avoids counting rows.
   */
  readonly seekable?: boolean
  /**
   * Whether there are items beyond this page: before it if `seek.backwards` is true, otherwise
   * after it. If absent, it is computed from the total.
   */
  readonly more?: boolean
  /**
   * Set if the request holds a value that the store can't compare with, so that nothing matches.
   * The client gets a 400.
   */
  readonly refused?: Refused
}

/** One call of an adapter on behalf of one request. */
export interface AdapterCall {
  readonly principal: unknown
  /**
   * Equalities (member -> value) that apply to every list, count, read and write of this resource,
   * and are set on created records. The members are top-level: their names never contain a dot.
   * `false`, `0` and `''` are ordinary values. `recall` does not need the scope, because each id
   * belongs to one scope.
   */
  readonly scope: Readonly<Record<string, Scalar>>
  readonly requestId: string
  /** Aborts on timeout and, for reads, when the client disconnects. Created on first access. */
  readonly signal: AbortSignal
  /**
   * The result of this read is used for a write of the same request, so a replica that lags behind
   * must not serve it. Default false.
   */
  readonly fresh?: boolean
  /**
   * The request has preconditions, so a replica that lags behind must not serve it: an outdated
   * version would cause a wrong 304 or 412. Default false.
   */
  readonly current?: boolean
  /**
   * Identifies the caller across requests: equal principals have equal texts. Absent if the caller
   * can't be identified.
   */
  readonly caller?: string | undefined
  /** Milliseconds until the timeout. Absent if there is none. */
  left?(): number
  /**
   * On a create in an associated sub-collection: the parent that the new record is attached to in
   * the same step (PATH-7).
   */
  readonly attachTo?: ParentKey
  /**
   * On a create that the client may repeat: identifies the repeats (VERB-12). Only given to
   * adapters that have `recall`.
   */
  readonly idempotency?: Idempotency
  /**
   * On a write: the kind of request. PATCH requests and flags are `patch`; they reach the adapter
   * as `replace()` with the whole record. Absent: the same as the method's name.
   */
  readonly action?: WriteAction | undefined
  /**
   * On a write with `expected`: the record in exactly that version, if the caller has already read
   * it.
   */
  readonly before?: unknown
  /**
   * The links that the response shows, on `list`, `read`, `create` and `replace`. An adapter may
   * report their targets if it can read them in the same statement. Only given to adapters that set
   * `readsLinks`.
   */
  readonly links?: ShownLinks | undefined
}

/**
 * A link (REP-1..3) whose target the response shows. Immutable: all requests that show the link in
 * the same way share one object.
 */
export interface ShownLink {
  /** The members of the record that hold the target's key, in the order of its parts. */
  readonly by: readonly string[]
  /** The mounted adapter of the target. */
  readonly adapter: object
  /** The members of the target that are needed, in addition to its key and version. Absent: all. */
  readonly members?: readonly string[]
}

/** The links that the response to one call shows. */
export interface ShownLinks {
  readonly all: readonly ShownLink[]
  /** The call to read the target with. `undefined` if it is not known yet. */
  callOf(link: ShownLink): AdapterCall | undefined
  /**
   * On a create: reports the target as it was read to check that it exists (REP-7), and returns
   * true, also if the link is null. Returns false if it was not read. For creates that can't change
   * the target, so that the adapter need not read it.
   */
  showChecked?(link: ShownLink): boolean
  /**
   * Reports a target, after the adapter has read its result: what `read` of the target would return
   * for `key` with that call, `undefined` if there is no such record. `key` is the text of the key.
   * Targets that are not reported are read later.
   */
  found(link: ShownLink, key: string, stored: Stored<unknown> | undefined): void
}

/**
 * Identifies a create that may be repeated. Both members are digests of ASCII letters, digits, `-`
 * and `_`.
 */
export interface Idempotency {
  /**
   * Identifies the caller, the collection and the client's key, so two callers never share an id.
   */
  readonly id: string
  /** The digest of the body's value: equal for equal values. */
  readonly fingerprint: string
}

/**
 * The result of a repeated create, in place of a new record. `mismatched`: the id was used with
 * another fingerprint. `running`: the first create has not finished.
 */
export type Repeated = 'mismatched' | 'running'

/**
 * A refusal by the store's own rules. A write is answered with a 422 that names the members
 * (ERR-2), a list with a 400 that names the parameters.
 */
export interface Refused {
  /**
   * - `duplicate`: another record has the same key, or the same value where values must be unique;
   * - `reference`: a member refers to a record that does not exist;
   * - `referenced`: other records refer to this one, so it can't be removed;
   * - `rule`: anything else.
   */
  readonly refused: 'duplicate' | 'reference' | 'referenced' | 'rule'
  /**
   * With `referenced`: the collections of the referring records, as far as the store knows. Clients
   * see those that exist in their version.
   */
  readonly by?: readonly string[]
  /**
   * The members of the stored record, nested ones with a dot. For a list: the members of the
   * offending conditions; empty if the search text is at fault.
   */
  readonly members: readonly string[]
  /**
   * What is wrong with them, for the client, as the end of a sentence: `holds U+0000, which this
   * store cannot keep`. The default depends on `refused`.
   */
  readonly why?: string
}

/** True for a refusal, false for any other result of a write. */
export const isRefused = (answer: unknown): answer is Refused =>
  typeof answer === 'object' && answer !== null && 'refused' in answer

/**
 * The result of a create: the record, the key of a record to be created later (202), or `nothing`
 * if none is created (200).
 */
export type Created<T, K> =
  | { readonly created: Stored<T> }
  | { readonly accepted: K }
  | { readonly nothing: true }
  | Refused

/** A method of an adapter that changes something. */
export type WriteMethod = 'create' | 'replace' | 'remove' | 'attach' | 'detach'

/**
 * The kind of a write request. `patch` changes some members of a record; the adapter performs it in
 * `replace()`.
 */
export type WriteAction = WriteMethod | 'patch'

/**
 * A team's data behind one resource. `T` is the stored record. `K` is its key: a scalar, or an
 * object of its parts.
 *
 * An adapter must not modify its arguments (values, keys, requests, calls), which may be frozen,
 * nor anything that it has returned.
 *
 * Compare-and-set is the adapter's task: if `expected` is given, it is compared with the stored
 * version in the same atomic step as the write (HDR-3). `call.scope` applies to every method: a
 * record outside the scope is absent.
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
   * Checks the store at startup. Throws an error that names the fix if something is missing.
   * `offered` lists the methods that requests can reach; what is needed only by other methods must
   * not cause an error. Default: all methods.
   */
  ready?(offered?: ReadonlySet<WriteMethod>): Awaitable<void>
  /** One page and the number of all matching items, both from one consistent state. */
  list(request: ListRequest, call: AdapterCall): Awaitable<Page<T>>
  /**
   * The records with these keys, in the same order, `undefined` for each that does not exist. The
   * result has as many entries as `keys`, which may be empty, contain duplicates, or have tens of
   * thousands of entries.
   */
  read(keys: readonly K[], call: AdapterCall): Awaitable<readonly (Stored<T> | undefined)[]>
  /**
   * The record with this key and version from memory, without asking the store whether it still
   * exists. A `replace` that follows with the same `call` and version compares the row with this
   * record, and returns `'stale'` whenever it changes nothing, for any reason. The request then
   * reads the record. In this way a PATCH with `If-Match` takes one round trip to the store.
   * `undefined` if the adapter does not hold the record, or can't compare the whole row. Absent:
   * the adapter never holds records.
   */
  cached?(key: K, version: string, call: AdapterCall): Stored<T> | undefined
  /**
   * Creates a record. With `call.idempotency`, the record as created is kept under its id in the
   * same atomic step, for as long as clients may repeat the request. A refused create is not kept.
   * If the id is already kept, nothing is created, and the result is the kept record.
   */
  create?(value: T, call: AdapterCall): Awaitable<Created<T, K> | Repeated>
  /**
   * The record that an earlier create kept under `call.idempotency`, even if it has been changed or
   * removed since; `undefined` if there is none. A different fingerprint is `'mismatched'` for as
   * long as the id is kept. Absent: the adapter keeps no records, and never gets an `idempotency`.
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
   * Puts an existing record into the parent's collection. `expected` is the record's version. The
   * first of these that applies is the result:
   *
   * 1. `'absent'`: the scope contains no such record;
   * 2. `'stale'`: its version is not `expected`;
   * 3. `'attached'`, and nothing changes: the record is already in that collection;
   * 4. a refusal, for example `'rule'` if the record would leave the scope or the store can't hold
   * the parent's key;
   * 5. `'attached'`.
   */
  attach?(
    parent: ParentKey,
    key: K,
    expected: string | undefined,
    call: AdapterCall,
  ): Awaitable<'attached' | 'absent' | 'stale' | Refused>
  /**
   * Takes a record out of the parent's collection. The record itself stays. The result is
   * `'absent'` if the record is not in the collection or the scope fixes a member that holds the
   * parent's key; otherwise `'stale'` if the version differs; otherwise `'detached'`.
   */
  detach?(
    parent: ParentKey,
    key: K,
    expected: string | undefined,
    call: AdapterCall,
  ): Awaitable<'detached' | 'absent' | 'stale' | Refused>
  /**
   * The same adapter over a transaction that the team has begun, in the form that its client uses.
   * The methods stop working when that transaction ends. Absent: the option `within` of `records()`
   * can't be used.
   */
  within?(transaction: unknown): Adapter<T, K>
}
