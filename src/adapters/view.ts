/**
 * Serves an older version of the API from the same data (VER-1). The view is an adapter with the
 * members of the older version, over the adapter of the newer version.
 */
import { cachesOf, owning } from '../cache.js'
import { declareCreating, isCreating } from '../definition/fixed.js'
import { checkOptions } from '../options/check.js'
import type { Adapter } from './contract.js'
import * as through from './view-methods.js'
import { type AdapterViewOptions, viewKinds } from './view-options.js'
import { type Row, Terms } from './view-terms.js'

export type { AdapterViewOptions } from './view-options.js'

/** The parts of a view. */
export interface ViewParts {
  readonly under: Adapter<unknown, unknown>
  readonly options: AdapterViewOptions
}

const views = new WeakMap<object, ViewParts>()

/**
 * Returns the parts of an adapter that `adapterView` made. With these parts, the same view of
 * another store can be made. Returns `undefined` for any other adapter.
 */
export const viewOf = (adapter: object): ViewParts | undefined => views.get(adapter)

/**
 * Makes an adapter for an older version of the API from the adapter of a newer version. Maps
 * values, filters and sort orders. If the store has a member that the older version lacks, name the
 * member in `hides`, so that PUT and PATCH keep its value. Members of the key can be renamed, but
 * their values are not converted.
 *
 * Throws `ConfigurationError` if an option is misspelt, if two members of the view map to the same
 * member of the store, or if a renamed member is also hidden.
 *
 * @example mount(clientesV1, adapterView(clientes, { rename: { nombre: 'razonSocial' }, hides:
 * ['cuit'] }))
 */
export function adapterView<T = Row, K = unknown>(
  adapter: Adapter<never, K> | Adapter<unknown, K>,
  options?: AdapterViewOptions,
): Adapter<T, K>
export function adapterView(under: Adapter<unknown, unknown>, options: AdapterViewOptions = {}): unknown {
  checkOptions('adapterView()', options, viewKinds)
  const view: through.View = { under, terms: new Terms(options), defaults: options.defaults }
  const made: Adapter<Row, unknown> = {
    list: (request, call) => through.list(view, request, call),
    read: (keys, call) => through.read(view, keys, call),
  }
  // A conversion function may return different values for the same record.
  const computes = under.computes === true || Object.keys(options.toWire ?? {}).length > 0
  // `computes` is not enumerable, because it is not a method. The view gets only the methods that
  // the store's adapter has (VERB-9).
  if (computes) Object.defineProperty(made, 'computes', { value: true })
  if (under.within !== undefined)
    made.within = (transaction) => adapterView<Row>(through.within(view, transaction), options)
  if (under.ready !== undefined) made.ready = (offered) => under.ready?.(offered)
  if (under.create !== undefined) made.create = (value, call) => through.create(view, value, call)
  if (made.create !== undefined && isCreating(under.create)) declareCreating(made.create)
  if (under.recall !== undefined) made.recall = (call) => through.recall(view, call)
  if (under.replace !== undefined)
    made.replace = (key, value, expected, call) => through.replace(view, key, value, expected, call)
  if (under.remove !== undefined) made.remove = (key, expected, call) => through.remove(view, key, expected, call)
  if (under.attach !== undefined)
    made.attach = (parent, key, expected, call) => through.attach(view, parent, key, expected, call)
  if (under.detach !== undefined)
    made.detach = (parent, key, expected, call) => through.detach(view, parent, key, expected, call)
  views.set(made, { under, options })
  const caches = cachesOf(under)
  if (caches !== undefined) owning(made, caches)
  return made
}
