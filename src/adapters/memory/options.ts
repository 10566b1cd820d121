/** The options and the type of the memory adapter. */
import { count, type Kinds } from '../../options/kinds.js'
import type {
  Adapter,
  AdapterCall,
  Idempotency,
  ListRequest,
  ParentKey,
  Refused,
  Repeated,
  Stored,
} from '../contract.js'
import type { MemoryIdempotencyOptions } from './kept-records.js'
import type { ExactPage } from './slice.js'

/**
 * A record with or without its key. If `K` is the type of a composite key, the properties of `K`
 * are the members that may be absent. Otherwise, `K` does not show which member is the key. So any
 * one member whose values are of type `K` may be absent.
 */
type WithOrWithoutKey<T, K> =
  | T
  | (unknown extends K
      ? never
      : K extends object
        ? Omit<T, keyof K>
        : { [N in keyof T]-?: NonNullable<T[N]> extends K ? Omit<T, N> : never }[keyof T])

/** The options of `memoryAdapter`. */
export interface MemoryAdapterOptions<T, K = unknown> {
  /** The initial records. Keys that the store assigns may be omitted. */
  readonly records?: Iterable<WithOrWithoutKey<T, K>>
  /**
   * Groups of members whose combined values must be unique. Nested members are written with a dot.
   * A record in which a member of a group is null or absent has no conflicts in that group.
   */
  readonly unique?: readonly (readonly string[])[]
  /**
   * Called for each create. Gets the client's record, with the key already assigned, and returns
   * the record to store. Meant for members that only the store sets.
   */
  readonly onCreate?: (value: T, call: AdapterCall) => T
  /**
   * Called for each change: a replace, and an attach or detach if members of the record hold the
   * parent's key. Gets the changed and the current record, and returns the record to store.
   */
  readonly onUpdate?: (value: T, current: T, call: AdapterCall) => T
  /**
   * Called with each record just before it is removed. Nothing else happens between the call and
   * the removal. The function may remove other records, for example those that this record
   * contains. If the function returns a refusal, the record is not removed. Example of a refusal:
   * `{ refused: 'referenced', members: [], by: ['lines'] }`.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: returns nothing, or a refusal
  readonly onRemove?: (value: T, call: AdapterCall) => Refused | undefined | void
  /**
   * Keeps, in this process, the records that were created by POSTs with an `Idempotency-Key`. A
   * retry of such a POST then does not create another record (VERB-12). Default: idempotency keys
   * are ignored.
   */
  readonly idempotency?: true | MemoryIdempotencyOptions
}

export const memoryIdempotencyKinds: Kinds<MemoryIdempotencyOptions> = {
  ttl: { from: 0, above: true, to: Number.MAX_SAFE_INTEGER, unit: 'seconds' },
  max: count,
}

export const memoryAdapterKinds: Kinds<MemoryAdapterOptions<unknown>> = {
  records: 'iterable',
  unique: { each: { each: 'string' } },
  onCreate: 'function',
  onUpdate: 'function',
  onRemove: 'function',
  idempotency: [{ oneOf: [true] }, { options: memoryIdempotencyKinds }],
}

/** The adapter that `memoryAdapter` returns. All its methods are synchronous. */
export interface MemoryAdapter<T, K> extends Adapter<T, K> {
  /**
   * `examined` is the number of records that all lists together have examined so far. Records that
   * were read to build a sort order or an index are not counted.
   */
  readonly stats: { examined: number }
  ready(): void
  list(request: ListRequest, call: AdapterCall): ExactPage<T>
  read(keys: readonly K[], call: AdapterCall): readonly (Stored<T> | undefined)[]
  create(
    value: T,
    call: AdapterCall & { readonly idempotency: Idempotency },
  ): { readonly created: Stored<T> } | Refused | Repeated
  create(value: T, call: AdapterCall): { readonly created: Stored<T> } | Refused
  /** Present if the option `idempotency` is set. */
  recall?(call: AdapterCall): Stored<T> | Repeated | undefined
  replace(key: K, value: T, expected: string | undefined, call: AdapterCall): Stored<T> | 'absent' | 'stale' | Refused
  remove(key: K, expected: string | undefined, call: AdapterCall): 'removed' | 'absent' | 'stale' | Refused
  attach(
    parent: ParentKey,
    key: K,
    expected: string | undefined,
    call: AdapterCall,
  ): 'attached' | 'absent' | 'stale' | Refused
  detach(
    parent: ParentKey,
    key: K,
    expected: string | undefined,
    call: AdapterCall,
  ): 'detached' | 'absent' | 'stale' | Refused
}
