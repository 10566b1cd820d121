/** The memory adapter: everything in one process, every operation whole. */
import { declareCreating, declareDefensive } from '../../definition/fixed.js'
import type { KeyValue } from '../../definition/key.js'
import { checkDefinition, type ResourceDefinition } from '../../definition/resource.js'
import { checkOptions } from '../../options/check.js'
import type { Adapter, AdapterCall, Refused, Repeated, Stored } from '../contract.js'
import { removeRecord, replaceRecord } from './change.js'
import { createRecord, fill } from './create.js'
import type { Row } from './entry.js'
import { KeptRecords } from './kept-records.js'
import { listPage } from './list.js'
import { attachRecord, detachRecord } from './move.js'
import { type MemoryAdapter, type MemoryAdapterOptions, memoryAdapterKinds } from './options.js'
import { Store } from './store.js'

/**
 * Keeps the records of a resource in the process: indexed by key, by what its filters compare and by the orders that are asked for.
 * Records are JSON values; what it hands out is frozen. Every method runs whole before the next one starts, so compare-and-set is
 * atomic (HDR-3), and a version is never used twice, not even by the next process (HDR-2).
 *
 * Throws `ConfigurationError` where `records` or `unique` do not fit the definition, and for an option that there is not.
 *
 * @example
 * const adapter = memoryAdapter(sucursales, { records: [{ nomenclatura: 'MAD', descripcion: 'Madrid' }] })
 */
export function memoryAdapter<T, K>(
  definition: ResourceDefinition<T, K>,
  options?: MemoryAdapterOptions<NoInfer<T>>,
): MemoryAdapter<T, K>
export function memoryAdapter(definition: ResourceDefinition, options: MemoryAdapterOptions<Row> = {}): unknown {
  checkDefinition('memoryAdapter()', definition)
  checkOptions('memoryAdapter()', options, memoryAdapterKinds)
  const store = new Store(definition, options)
  fill(store, options.records ?? [])
  const adapter = {
    stats: store.stats,
    ready() {
      // The index of texts takes a moment to make: before the first request, not while others wait behind it.
      if (definition.search !== undefined) store.fullText()
    },
    list: (request, call) => listPage(store, request, call.scope),
    read: (keys, call) => keys.map((key) => store.visible(key, call)?.stored),
    ...creating(store, options),
    replace: (key, value, expected, call) => replaceRecord(store, key, value, expected, call),
    remove: (key, expected, call) => removeRecord(store, key, expected, call),
    attach: (parent, key, expected, call) => attachRecord(store, parent, key, expected, call),
    detach: (parent, key, expected, call) => detachRecord(store, parent, key, expected, call),
  } satisfies Adapter<Row, KeyValue> & Pick<MemoryAdapter<Row, KeyValue>, 'stats'>
  // `onUpdate` gets values that it may change.
  if (options.onUpdate === undefined) declareDefensive(adapter.replace)
  if (adapter.create !== undefined) declareCreating(adapter.create)
  return adapter
}

/** `create`; with the option `idempotency` also `recall`, and then what is created is kept for repeats (VERB-12). */
function creating(
  store: Store,
  { idempotency }: MemoryAdapterOptions<Row>,
): Pick<Adapter<Row, KeyValue>, 'create' | 'recall'> {
  if (idempotency === undefined) return { create: (value, call) => createRecord(store, value, call) }
  const kept = new KeptRecords(idempotency === true ? {} : idempotency)
  return {
    create(value: Row, call: AdapterCall): { readonly created: Stored<Row> } | Refused | Repeated {
      const known = kept.found(call)
      if (known !== undefined) return typeof known === 'string' ? known : { created: known }
      const made = createRecord(store, value, call)
      if ('created' in made) kept.keep(call, made.created)
      return made
    },
    recall: (call) => kept.found(call),
  }
}
