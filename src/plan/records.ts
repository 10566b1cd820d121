/**
 * The types of `records()`, which lets the code of a service change records under the same checks
 * as a request.
 */
import type { Adapter } from '../adapters/contract.js'
import type { ResourceDefinition } from '../definition/resource.js'
import type { HttpProblem } from '../problem.js'

/**
 * A link in a record: an object with `href`, or with the key members of the link's target. Null
 * means that the link has no target (REP-7).
 */
export type LinkValue = { readonly href: string } | Readonly<Record<string, unknown>> | null

/**
 * The members for links. If the names of the links are unknown (`L` is `string`), this type adds no
 * members. If the members of the record are also unknown, the record has the type `{}`, so the
 * compiler allows any member name, including the names of links.
 */
type LinkMembers<L extends string> = string extends L ? unknown : { readonly [N in L]?: LinkValue | undefined }

/** A value that the calling code passes. The library copies it, so its lists may be readonly. */
type Given<V> = V extends object ? { readonly [N in keyof V]: Given<V[N]> } : V

/**
 * A record as the calling code passes it, with the members of the stored record. Members that the
 * store assigns, and members with a default in the schema, may be omitted. For a link, pass either
 * its value under the name of the link, as in a request body, or the stored members that hold the
 * key of its target.
 */
export type RecordValue<T, L extends string = string> = {
  readonly [N in keyof T]?: T[N] | Given<T[N]> | undefined
} & LinkMembers<L>

/**
 * A merge patch (RFC 7396) of a record. Null removes a member, objects are merged, and lists are
 * replaced.
 */
export type RecordPatch<T, L extends string = string> = {
  readonly [N in keyof T]?: PatchOf<T[N]> | null | undefined
} & LinkMembers<L>

type PatchOf<V> = V extends readonly unknown[]
  ? V | Given<V>
  : V extends object
    ? { readonly [N in keyof V]?: PatchOf<V[N]> | null | undefined }
    : V

/** A record that was written. */
export interface WrittenRecord<T, K> {
  /** The record as stored. */
  readonly record: T
  readonly key: K
  /** The opaque version that the store assigned. */
  readonly version: string
  /**
   * The absolute URL of the record. In a job of a service without `baseUrl`, this is only the path.
   */
  readonly href: string
}

/** The result of a refused write, or of a check that failed. The record was not written. */
export interface RefusedRecord {
  /** The problem that a request would get. Throw the problem, or read its `errors`. */
  readonly problem: HttpProblem
}

/** The result of `createAll` when rows were refused. */
export interface RefusedRecords<T, K> extends RefusedRecord {
  /**
   * The rows that were written, by index. A row that the store refused is undefined. The list is
   * empty if the checks refused a row. If you have called `createAll` in a transaction, roll the
   * transaction back.
   */
  readonly made: readonly (WrittenRecord<T, K> | undefined)[]
}

/** The options of a change. */
export interface ChangeOptions {
  /**
   * The version that the record must still have (compare-and-set). If the record has another
   * version, the method returns the problem `stale`. Default: any version.
   */
  readonly expected?: string | undefined
}

/** The numbering of records in violations. */
export interface RowsOptions {
  /**
   * The number of the first row. With the default 0, `/0/total` is the member `total` of the first
   * row.
   */
  readonly from?: number
}

/**
 * The records of one resource, for the code of the service. Every method runs the checks of the
 * corresponding request, and returns the problem as a value if a check fails. Errors that no client
 * could fix (a store that is down, a rule that throws) are thrown. Arguments are not modified.
 */
export interface Records<T, K, L extends string = string> {
  /**
   * Creates a record, as POST does. If the resource is below a parent, `value` must contain the key
   * of the parent.
   */
  create(value: RecordValue<T, L>): Promise<WrittenRecord<T, K> | RefusedRecord>
  /** Replaces a whole record, as PUT does. */
  replace(key: K, value: RecordValue<T, L>, options?: ChangeOptions): Promise<WrittenRecord<T, K> | RefusedRecord>
  /** Changes the given members, as PATCH does. */
  patch(key: K, patch: RecordPatch<T, L>, options?: ChangeOptions): Promise<WrittenRecord<T, K> | RefusedRecord>
  /** Removes a record, as DELETE does. */
  remove(key: K, options?: ChangeOptions): Promise<{ readonly removed: true } | RefusedRecord>
  /** Returns the record that `create` would store, without writing it. */
  check(value: RecordValue<T, L>): Promise<{ readonly record: T } | RefusedRecord>
  /**
   * Checks many records and reports the violations of all of them at once, with pointers such as
   * `/12/total`. Reads link targets, parents and existing keys in batches.
   */
  checkAll(
    values: readonly RecordValue<T, L>[],
    options?: RowsOptions,
  ): Promise<{ readonly records: readonly T[] } | RefusedRecord>
  /**
   * Runs the checks of `checkAll`. If they find no violation, creates the records, one after
   * another. The method opens no transaction. If the store refuses a row, the other rows stay
   * written, and `made` contains them.
   */
  createAll(
    values: readonly RecordValue<T, L>[],
    options?: RowsOptions,
  ): Promise<{ readonly made: readonly WrittenRecord<T, K>[] } | RefusedRecords<T, K>>
}

/** The data that `records()` works on, and the checks that it runs. */
export interface RecordsOptions<T, K> {
  /**
   * Your transaction, in the form that the adapter's `within()` takes. The records are written in
   * this transaction. Parents and link targets are also read in this transaction, if their adapters
   * have `within()`.
   */
  readonly within?: unknown
  /**
   * The adapter to use instead of the mounted adapter. Parents and link targets are still read by
   * their own adapters.
   */
  readonly adapter?: Adapter<T, K> | undefined
  /**
   * With `false`, the service's `permission` is checked neither for the written records nor for the
   * targets of their links. Use `false` if your own code has already decided that the writes are
   * allowed. Scopes still apply. Default true.
   */
  readonly permission?: boolean
}

/**
 * The function that returns the methods for the records of a resource. They act on behalf of the
 * current request.
 */
export type RecordsOf = <T, K, L extends string>(
  definition: ResourceDefinition<T, K, L>,
  options?: RecordsOptions<NoInfer<T>, NoInfer<K>>,
) => Records<T, K, L>

/** The options of a job. They state the facts that a request would provide. */
export interface JobOptions<T, K> extends RecordsOptions<T, K> {
  /** The principal for permission, scopes, rules and adapters. There is no default. */
  readonly principal: unknown
  /** The API version whose rules apply. Default: the service's only version. */
  readonly version?: string | undefined
  /**
   * The time limit for one record, in milliseconds. A call of `checkAll` has the same time limit
   * for all its records together. Default: the service's time limit.
   */
  readonly timeout?: number
  /**
   * If this signal aborts, the signal that is passed to adapters aborts too. `createAll` stops
   * before the next record, and later calls throw the reason of the abort.
   */
  readonly signal?: AbortSignal | undefined
  /** The request id for adapters and hooks. Default: a new request id. */
  readonly requestId?: string | undefined
}

/**
 * The function that returns the methods for the records of a resource, for a job that no request
 * started.
 */
export type JobRecords = <T, K, L extends string>(
  definition: ResourceDefinition<T, K, L>,
  options: JobOptions<NoInfer<T>, NoInfer<K>>,
) => Records<T, K, L>
