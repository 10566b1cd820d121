/** The options of the memory adapter, and what it is. */
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
  /** What it holds from the start. Keys that the store assigns may be left out. */
  readonly records?: Iterable<T>
  /** Groups of members (nested ones with a dot) whose values no two records share; null never clashes. */
  readonly unique?: readonly (readonly string[])[]
  /** Makes what is stored of what a create brings, its key assigned already: for members that only the store sets. It gives back a new value. */
  readonly onCreate?: (value: T, call: AdapterCall) => T
  /** The same for each change of a record: replace, and attach and detach where the record's members hold the parent's key. */
  readonly onUpdate?: (value: T, current: T, call: AdapterCall) => T
  /**
   * Called with each record that is to be removed, in the same step: for what goes with it, such as
   * the records it contains. A refusal keeps the record: `{ refused: 'referenced', members: [], by: ['lines'] }`.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: functions that return nothing, and some that return a refusal
  readonly onRemove?: (value: T, call: AdapterCall) => Refused | undefined | void
  /**
   * Keeps what POSTs with an `Idempotency-Key` created, so that repeats create nothing (VERB-12):
   * in this process, as the records are. Default: keys are ignored.
   */
  readonly idempotency?: true | MemoryIdempotencyOptions
}

export const memoryIdempotencyKinds: Kinds<MemoryIdempotencyOptions> = {
  ttl: { from: 0, above: true, to: Number.MAX_SAFE_INTEGER, unit: 'seconds' },
  most: count,
}

export const memoryAdapterKinds: Kinds<MemoryAdapterOptions<unknown>> = {
  records: 'iterable',
  unique: { each: { each: 'string' } },
  onCreate: 'function',
  onUpdate: 'function',
  onRemove: 'function',
  idempotency: [{ oneOf: [true] }, { options: memoryIdempotencyKinds }],
}

/** An adapter whose methods are all there and answer at once. */
export interface MemoryAdapter<T, K> extends Adapter<T, K> {
  /** How many records all lists so far looked at; not those that were put in order or into an index when one was made. */
  readonly stats: { examined: number }
  ready(): void
  list(request: ListRequest, call: AdapterCall): ExactPage<T>
  read(keys: readonly K[], call: AdapterCall): readonly (Stored<T> | undefined)[]
  create(
    value: T,
    call: AdapterCall & { readonly idempotency: Idempotency },
  ): { readonly created: Stored<T> } | Refused | Repeated
  create(value: T, call: AdapterCall): { readonly created: Stored<T> } | Refused
  /** There with the option `idempotency`. */
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
