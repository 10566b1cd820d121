/** How a team's own code changes records with the checks of a request: the types of `records()`. */
import type { Adapter } from '../adapters/contract.js'
import type { ResourceDefinition } from '../definition/resource.js'
import type { HttpProblem } from '../problem.js'

/** A link in a record: its `href`, or the key members of its target; null leads nowhere (REP-7). */
export type LinkValue = { readonly href: string } | Readonly<Record<string, unknown>> | null

/** What an empty object may have besides: nothing that the compiler could know. */
type LinkMembers<L extends string> = string extends L ? unknown : { readonly [N in L]?: LinkValue | undefined }

/**
 * A record as own code gives it: members of the stored record. Those that the store or the schema
 * fills in may be left out. A link is given as on the wire, by its name, or by the stored members
 * that hold its key.
 */
export type RecordValue<T, L extends string = string> = { readonly [N in keyof T]?: T[N] | undefined } & LinkMembers<L>

/** A merge patch (RFC 7396) of a record: null removes, objects are merged, lists are replaced. */
export type RecordPatch<T, L extends string = string> = { readonly [N in keyof T]?: PatchOf<T[N]> | null | undefined } & LinkMembers<L>

type PatchOf<V> = V extends readonly unknown[] ? V : V extends object ? { readonly [N in keyof V]?: PatchOf<V[N]> | null | undefined } : V

/** A record that was written. */
export interface WrittenRecord<T, K> {
  /** As it is stored. */
  readonly record: T
  readonly key: K
  /** The opaque version that the store gave it. */
  readonly version: string
  /** Its address: absolute, but for a job of a service without `baseUrl`: then the path below it. */
  readonly href: string
}

/** A write that was refused, or a record that would be: nothing was written. */
export interface RefusedRecord {
  /** What a request would be answered. Throw it, or read its `errors`. */
  readonly problem: HttpProblem
}

/** Rows that were refused. */
export interface RefusedRecords<T, K> extends RefusedRecord {
  /**
   * By row, what was written before the store refused another one; empty where the checks refused
   * a row. In a transaction, roll back.
   */
  readonly made: readonly (WrittenRecord<T, K> | undefined)[]
}

/** What a change may go by. */
export interface ChangeOptions {
  /** The version that the record must still have (compare-and-set); else the problem is `stale`. Default: any. */
  readonly expected?: string | undefined
}

/** How several records are named in violations. */
export interface RowsOptions {
  /** The number of the first row: `/0/total` is its member `total`. Default 0. */
  readonly from?: number
}

/**
 * The records of one resource, for own code. Every method runs the checks of the request of that
 * name, and gives the problem of a refusal as a value. What no client could fix (a store that is
 * down, a rule that throws) is thrown. What is given is not changed.
 */
export interface Records<T, K, L extends string = string> {
  /** Creates a record, as POST does. A contained one names its parent in its own members. */
  create(value: RecordValue<T, L>): Promise<WrittenRecord<T, K> | RefusedRecord>
  /** Replaces a record as a whole, as PUT does. */
  replace(key: K, value: RecordValue<T, L>, options?: ChangeOptions): Promise<WrittenRecord<T, K> | RefusedRecord>
  /** Changes the members that are named, as PATCH does. */
  patch(key: K, patch: RecordPatch<T, L>, options?: ChangeOptions): Promise<WrittenRecord<T, K> | RefusedRecord>
  /** Removes a record, as DELETE does. */
  remove(key: K, options?: ChangeOptions): Promise<{ readonly removed: true } | RefusedRecord>
  /** What `create` would store, and nothing is written. */
  check(value: RecordValue<T, L>): Promise<{ readonly record: T } | RefusedRecord>
  /**
   * The same of many: all that is wrong with any of them at once, by pointers such as `/12/total`.
   * Reads what links lead to, parents and existing keys in batches.
   */
  checkAll(values: readonly RecordValue<T, L>[], options?: RowsOptions): Promise<{ readonly records: readonly T[] } | RefusedRecord>
  /**
   * Creates many: nothing where `checkAll` finds something wrong, else one after the other. It is
   * no transaction: what the store alone can refuse leaves the other rows written (`made`).
   */
  createAll(
    values: readonly RecordValue<T, L>[],
    options?: RowsOptions,
  ): Promise<{ readonly made: readonly WrittenRecord<T, K>[] } | RefusedRecords<T, K>>
}

/** Over what data, and with which checks. */
export interface RecordsOptions<T, K> {
  /**
   * Your transaction, as the adapter's `within()` takes it: the resource is written in it, and
   * parents and link targets are read in it, as far as their adapters have `within()`.
   */
  readonly within?: unknown
  /** An adapter in place of the mounted one. Parents and links are still read by theirs. */
  readonly adapter?: Adapter<T, K> | undefined
  /**
   * `false`: the service's `permission` is not asked, of this write nor of what its links lead to,
   * because your code has decided. Scopes hold all the same. Default true.
   */
  readonly permission?: boolean
}

/** The records of a resource on behalf of the request at hand. */
export type RecordsOf = <T, K, L extends string>(
  definition: ResourceDefinition<T, K, L>,
  options?: RecordsOptions<NoInfer<T>, NoInfer<K>>,
) => Records<T, K, L>

/** What a job says that a request would have said. */
export interface JobOptions<T, K> extends RecordsOptions<T, K> {
  /** On whose behalf: permission, scopes, rules and adapters get it. There is no default. */
  readonly principal: unknown
  /** The version whose rules hold. Default: the only one. */
  readonly version?: string | undefined
  /** Milliseconds for one record; for the checks of many, for all of them. Default: the service's. */
  readonly timeout?: number
  /** Ends the work between two records, and reaches adapters. */
  readonly signal?: AbortSignal | undefined
  /** The id that adapters and hooks get. Default: a new one. */
  readonly requestId?: string | undefined
}

/** The records of a resource for a job, which no request started. */
export type JobRecords = <T, K, L extends string>(
  definition: ResourceDefinition<T, K, L>,
  options: JobOptions<NoInfer<T>, NoInfer<K>>,
) => Records<T, K, L>
