/**
 * What the library asks of a team's data. An adapter knows no HTTP: no entity tag, no patch, no media type.
 * An absent method is 405 with the right `Allow` (VERB-9); a read-only adapter is `list` and `read`.
 */

/** A value or a promise of it: a store in the process need not pay for promises. */
export type Awaitable<T> = T | Promise<T>

export type Scalar = string | number | boolean

/**
 * A stored value and the opaque version the store gave it. A version is never used twice for one key: not after a delete, a
 * re-creation or a restart (HDR-2).
 */
export interface Stored<T> {
  readonly value: T
  readonly version: string
}

/** How a member is compared with a value (QUERY-1). */
export type Operator = 'eq' | 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'null'

/**
 * One condition of a list; all of them hold at once. Values are typed by the schema already. Except under `null`, a member that is null or absent
 * matches nothing.
 */
export type Condition = ConditionTarget &
  (
    | { readonly op: 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains'; readonly value: Scalar }
    /**
     * Any of the values. One value means the same as `eq`, none matches nothing, and there may be
     * thousands.
     */
    | { readonly op: 'in'; readonly value: readonly Scalar[] }
    /** `true` asks for null or absent, `false` for the others. */
    | { readonly op: 'null'; readonly value: boolean }
  )

interface ConditionTarget {
  /** The member of the stored record, nested ones with a dot. */
  readonly field: string
  /** The same, split. */
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
  /** The parent's key: a scalar, or an object of its parts where it is composite. */
  readonly key: unknown
  /** The segment under the parent: it tells two associations with one parent apart. */
  readonly as: string
}

/** A place in the order of a list: the page lies on one side of the row whose sort terms have these values. */
export interface KeysetPosition {
  /** One value for each term of `sort`, in its order; null for what is null or absent. The row itself may be gone by now. */
  readonly values: readonly (Scalar | null)[]
  /** False: the page begins after that row. True: it ends before it. */
  readonly backwards: boolean
}

/** A list request: typed, coerced, bounded and totally ordered before an adapter sees it (QUERY-1..7). */
export interface ListRequest {
  readonly where: readonly Condition[]
  /** The text of `q` as it came (QUERY-3). */
  readonly search?: string
  /**
   * The order. The key is always the last term, so the order is total; null sorts as the largest value. Empty only with `search`:
   * then the order is rank, and the key ascending.
   */
  readonly sort: readonly SortTerm[]
  /** The first page is 1, whatever the wire counts from. */
  readonly page: number
  /** Items per page. */
  readonly size: number
  /** Items before the page; a safe integer. */
  readonly offset: number
  /**
   * Where the page lies, when a client follows a `Link` (QUERY-7): then it holds the `size` items next to that place, whatever `offset` says. A store that can't
   * seek ignores it and goes by `offset`.
   */
  readonly seek?: KeysetPosition
  /** `false`: nobody looks at `total`, so a store that would have to count can save that. */
  readonly count?: false
  /** Only what is attached to this parent: associated sub-collections. */
  readonly parent?: ParentKey
}

export interface Page<T> {
  readonly items: readonly Stored<T>[]
  /** How many items match in all; absent where the store does not count. */
  readonly total?: number
  /** False where `total` is an estimate: then there is no `Link` to a last page. Default true. */
  readonly exact?: boolean
  /** The store honours `seek` for lists of this order: links to the pages beside this one may carry a place instead of counting rows. */
  readonly seekable?: boolean
  /** Whether items lie beyond this page: before it where it was sought backwards, else after it. Absent: the total tells. */
  readonly more?: boolean
  /** The request holds a value that the store can't even compare with, so nothing matches: a client hears of it (400). */
  readonly refused?: Refused
}

/** One call of an adapter on behalf of one request. */
export interface AdapterCall {
  readonly principal: unknown
  /**
   * Equalities (member -> value) that every list, count, read and write of this resource obeys; set
   * on what is created. The members are the record's own: a name never holds a dot. `false`, `0`
   * and `''` are values like any other. `recall` needs no scope: each id belongs to one scope.
   */
  readonly scope: Readonly<Record<string, Scalar>>
  readonly requestId: string
  /** Fires when the time is up and, on reads, when the client goes away. Made when first asked for. */
  readonly signal: AbortSignal
  /** What is read goes into a write of this request, so a replica that lags behind will not do. Default false. */
  readonly fresh?: boolean
  /**
   * The request has preconditions: an old version would give a 304 or a 412 that is not true, so a
   * replica that lags behind will not do. Default false.
   */
  readonly current?: boolean
  /** Names the caller over requests: the same text for the same principal. Absent: it has no name. */
  readonly caller?: string | undefined
  /** Milliseconds until the time is up. Absent: nobody waits. */
  left?(): number
  /** On a create in an associated sub-collection: the parent that the new record is attached to, in the same step (PATH-7). */
  readonly attachTo?: ParentKey
  /**
   * On a create that its client may repeat: what a repeat is known by (VERB-12). Only adapters that
   * have `recall` are given one.
   */
  readonly idempotency?: Idempotency
  /**
   * On a write: what the request does. A PATCH and a flag are `patch`, which reaches the adapter as
   * `replace()` with the whole record. Absent: what the method's name says.
   */
  readonly action?: WriteAction | undefined
  /**
   * On a write with `expected`: the record of that very version, where the caller has read it
   * already. Absent: it has not.
   */
  readonly before?: unknown
  /**
   * The links that the answer shows, on `list`, `read`, `create` and `replace`: an adapter may tell
   * what they lead to, where it can read that in the same statement. Only adapters that say
   * `readsLinks` are given some.
   */
  readonly links?: ShownLinks | undefined
}

/** A link (REP-1..3) whose target the answer shows. It is fixed: one object for all requests that show it alike. */
export interface ShownLink {
  /** The members of the record that hold the key of the target, in the order of its parts. */
  readonly by: readonly string[]
  /** The adapter of the target, as it was mounted. */
  readonly adapter: object
  /** The members of the target that are looked at, beside its key and its version. Absent: all. */
  readonly members?: readonly string[]
}

/** The links that the answer to one call shows. */
export interface ShownLinks {
  readonly all: readonly ShownLink[]
  /** The call that a read of the target would get; `undefined` where there can be none yet. */
  callOf(link: ShownLink): AdapterCall | undefined
  /**
   * On a create: shows the target as it was read to check that it exists (REP-7), and returns true,
   * also if the link is null; false if it was not read. For a create that can't change the target:
   * the adapter then need not read it.
   */
  showChecked?(link: ShownLink): boolean
  /**
   * To be called once the answer is read: what `read` of the target, with that call, answers for a
   * key; `undefined` where nothing is there. `key` is the text of the key. What is not told is read
   * later.
   */
  found(link: ShownLink, key: string, stored: Stored<unknown> | undefined): void
}

/** What a create that may be repeated is known by: both are digests, made of ASCII letters, digits, `-` and `_`. */
export interface Idempotency {
  /** Identifies the caller, the collection and the client's key: no two callers share one. */
  readonly id: string
  /** The body, as a value. */
  readonly fingerprint: string
}

/**
 * What an adapter answers in place of a record of its own making where a create has been seen before: `mismatched` where its id stood for another fingerprint,
 * `running` where the first one has not ended.
 */
export type Repeated = 'mismatched' | 'running'

/** What the store's own rules refuse; a write becomes a 422 that names the members (ERR-2), a list a 400 that names the parameters. */
export interface Refused {
  /**
   * - `duplicate`: another record has the key, or a value that no two may share;
   * - `reference`: what a member refers to is not there;
   * - `referenced`: others refer to the record, so that it stays;
   * - `rule`: anything else.
   */
  readonly refused: 'duplicate' | 'reference' | 'referenced' | 'rule'
  /** Of `referenced`: the collections of the records that refer to it, as far as the store knows. A client hears of those that its version has. */
  readonly by?: readonly string[]
  /** Members of the stored record, nested ones with a dot. Of a list: those of the conditions at fault; none, where it is the search text. */
  readonly members: readonly string[]
  /** What is wrong with them, for the client, as the rest of a sentence: `holds U+0000, which this store can not keep`. Default: by `refused`. */
  readonly why?: string
}

/** True for a refusal, false for any other answer to a write. */
export const isRefused = (answer: unknown): answer is Refused =>
  typeof answer === 'object' && answer !== null && 'refused' in answer

/** What a create came to: a record, a promise to make one (202), or nothing at all (200). */
export type Created<T, K> =
  | { readonly created: Stored<T> }
  | { readonly accepted: K }
  | { readonly nothing: true }
  | Refused

/** A method of an adapter that changes something. */
export type WriteMethod = 'create' | 'replace' | 'remove' | 'attach' | 'detach'

/** What a write does for its client. `patch` changes some members of a record; `replace()` carries it out. */
export type WriteAction = WriteMethod | 'patch'

/**
 * A team's data behind one resource. `T` is the stored record, `K` its key: a scalar, or an object
 * of its parts.
 *
 * An adapter does not change what it is given (values, keys, requests, calls), which may be frozen,
 * and does not change what it has returned.
 *
 * Compare-and-set is the adapter's: where `expected` is given it is compared with the stored
 * version in the same atomic step as the write (HDR-3). `call.scope` is AND-ed into every method:
 * what lies outside it is absent.
 */
export interface Adapter<T, K> {
  /**
   * True where a value can change while its version stays, as where members are computed when they
   * are read. Entity tags then cover the value itself too, which costs a hash of each record that is
   * answered (HDR-8). Default false: a version stands for the whole value.
   */
  readonly computes?: boolean
  /** True where the adapter looks at `call.links`. Default false. */
  readonly readsLinks?: boolean
  /**
   * Checks the store at start, and throws with the fix where something is missing. `offered` names
   * the methods that requests can reach: what only another one needs is no reason to throw.
   * Default: all.
   */
  ready?(offered?: ReadonlySet<WriteMethod>): Awaitable<void>
  /** One page, and how many items match in all, of one consistent state. */
  list(request: ListRequest, call: AdapterCall): Awaitable<Page<T>>
  /**
   * The records of these keys, in their order, `undefined` where there is none. The answer is as
   * long as the list of keys, which may be empty, hold a key twice, or be tens of thousands long.
   */
  read(keys: readonly K[], call: AdapterCall): Awaitable<readonly (Stored<T> | undefined)[]>
  /**
   * The record of this key in this version, from memory: without asking the store whether it is
   * still there. A `replace` that follows with the same `call` and version compares the row with
   * this record, and is `'stale'` whenever it changes nothing, for whatever reason: the request then
   * reads the record. A PATCH with `If-Match` takes one trip to the store this way. `undefined` where
   * the adapter does not hold the record, or can't compare the whole row. Absent: it never does.
   */
  cached?(key: K, version: string, call: AdapterCall): Stored<T> | undefined
  /**
   * With `call.idempotency`, the record is kept under its id in the same atomic step, as it was created, for as long as clients may repeat; what is refused keeps nothing.
   * Where the id is kept already, nothing is created: the answer is the record that is kept.
   */
  create?(value: T, call: AdapterCall): Awaitable<Created<T, K> | Repeated>
  /**
   * What an earlier create kept under `call.idempotency`, also where the record has been changed or
   * removed since; `undefined` where nothing is. Another fingerprint is `'mismatched'` as long as
   * the id is kept, even if the record has been changed or removed. Absent: the adapter keeps
   * nothing, and is never given an `idempotency`.
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
   * Puts an existing record into the parent's collection; `expected` is the record's version. The
   * first of these that applies is the answer:
   *
   * 1. `'absent'`: there is no such record in the scope;
   * 2. `'stale'`: its version is not `expected`;
   * 3. `'attached'`, and nothing changes: it is in that collection already;
   * 4. a refusal, as `'rule'` where the record would leave the scope, or where the store can't hold
   *    the parent's key;
   * 5. `'attached'`.
   */
  attach?(
    parent: ParentKey,
    key: K,
    expected: string | undefined,
    call: AdapterCall,
  ): Awaitable<'attached' | 'absent' | 'stale' | Refused>
  /**
   * Takes a record out of the parent's collection; the record stays. `'absent'` where it is not in
   * it, or where the scope fixes a member that holds the parent; then `'stale'`; then `'detached'`.
   */
  detach?(
    parent: ParentKey,
    key: K,
    expected: string | undefined,
    call: AdapterCall,
  ): Awaitable<'detached' | 'absent' | 'stale' | Refused>
  /**
   * The same adapter over a transaction of the team's own, whatever its client calls one. Its
   * methods end with that transaction. Absent: the option `within` of `records()` can't be used.
   */
  within?(transaction: unknown): Adapter<T, K>
}
