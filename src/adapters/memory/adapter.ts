/** The memory adapter: keeps all records in the process, and runs each operation synchronously. */
import { declareMembers, membersOfDefinition } from '../../definition/adapter-members.js'
import { declareCreating, declareDefensive } from '../../definition/fixed.js'
import type { KeyValue } from '../../definition/key.js'
import { checkDefinition, type ResourceDefinition } from '../../definition/resource.js'
import { checkOptions } from '../../options/check.js'
import { declareFactory } from '../../options/factories.js'
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
 * Makes an adapter that keeps the records of a resource in the process. Records are indexed by key,
 * by the members that filters compare, and by the sort orders in use. Records are JSON values.
 * Returned records are frozen. Every method is synchronous, so compare-and-set is atomic (HDR-3). A
 * version is never used twice, not even by the next process (HDR-2).
 *
 * Throws `ConfigurationError`, for example if `records` or `unique` do not match the definition, or
 * if an option is unknown.
 *
 * @example
 * const adapter = memoryAdapter(sucursales, {
 *   records: [{ nomenclatura: 'MAD', descripcion: 'Madrid' }],
 * })
 */
export function memoryAdapter<T, K>(
  definition: ResourceDefinition<T, K>,
  options?: NoInfer<MemoryAdapterOptions<T, K>>,
): MemoryAdapter<T, K>
export function memoryAdapter(definition: ResourceDefinition, options: MemoryAdapterOptions<Row> = {}): unknown {
  checkDefinition('memoryAdapter()', definition)
  checkOptions('memoryAdapter()', options, memoryAdapterKinds)
  const store = new Store(definition, options)
  fill(store, options.records ?? [])
  const adapter = {
    stats: store.stats,
    ready() {
      // Building the full-text index takes a moment, so the index is built before the first
      // request.
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
  // `declareDefensive` states that `replace` does not modify its arguments. The service's
  // `onUpdate` might modify them, so the declaration is made only if `onUpdate` is not set.
  if (options.onUpdate === undefined) declareDefensive(adapter.replace)
  if (adapter.create !== undefined) declareCreating(adapter.create)
  declareMembers(adapter, membersOfDefinition(definition))
  return adapter
}

declareFactory(memoryAdapter, 'memoryAdapter(definition)')

/**
 * Returns the method `create`. With the option `idempotency`, also returns `recall`. `create` then
 * keeps each record that it creates for a call with an idempotency id, so that a retry gets the
 * same record (VERB-12).
 */
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
