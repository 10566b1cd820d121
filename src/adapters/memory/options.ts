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

/** The options of `memoryAdapter`. */
export interface MemoryAdapterOptions<T> {
  /** The initial records. Keys that the store assigns may be omitted. */
  readonly records?: Iterable<T>
  /**
   * Groups of members (nested ones with a dot) whose combined values must be unique. Null never
   * conflicts.
   */
  readonly unique?: readonly (readonly string[])[]
  /**
   * Returns the record to store for a create, for members that only the store sets. Gets the
   * client's record, with the key already assigned.
   */
  readonly onCreate?: (value: T, call: AdapterCall) => T
  /**
   * Returns the record to store for a change: a replace, or an attach or detach if members of the
   * record hold the parent's key.
   */
  readonly onUpdate?: (value: T, current: T, call: AdapterCall) => T
  /**
   * Called with each record that is about to be removed, in the same step, for example to remove
   * the records that it contains. A refusal keeps the record: `{ refused: 'referenced', members:
   * [], by: ['lines'] }`.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: returns nothing, or a refusal
  readonly onRemove?: (value: T, call: AdapterCall) => Refused | undefined | void
  /**
   * Stores, in this process, the records that POSTs with an `Idempotency-Key` created, so that a
   * repeated POST does not create another one (VERB-12). Default: idempotency keys are ignored.
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

/** A synchronous adapter that has all methods. */
export interface MemoryAdapter<T, K> extends Adapter<T, K> {
  /**
   * The number of records that all lists have examined so far. Does not count records read to build
   * a sort order or an index.
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
  /** Present with the option `idempotency`. */
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
