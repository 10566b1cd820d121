/**
 * Serves an older version of the API from the same data (VER-1). The view is an adapter that has
 * the members of the older version, and calls the adapter of the newer version.
 */
import { cachesOf, owning } from '../cache.js'
import { declareMembers, membersOf } from '../definition/adapter-members.js'
import { declareCreating, isCreating } from '../definition/fixed.js'
import { checkOptions } from '../options/check.js'
import type { Adapter } from './contract.js'
import { MemberTranslator, type Row } from './member-translator.js'
import { checkStored, checkUnder, checkWhenMounted } from './view-checks.js'
import * as through from './view-methods.js'
import { type AdapterViewOptions, viewKinds } from './view-options.js'

export type { AdapterViewOptions } from './view-options.js'

/** The adapter and the options that a view was made from. */
export interface ViewParts {
  readonly under: Adapter<unknown, unknown>
  readonly options: AdapterViewOptions
}

const views = new WeakMap<object, ViewParts>()

/**
 * Returns the `ViewParts` of an adapter that `adapterView` made. They can be used to make the same
 * view of another store. Returns `undefined` for any other adapter.
 */
export const viewOf = (adapter: object): ViewParts | undefined => views.get(adapter)

/**
 * Makes an adapter for an older version of the API from the adapter of a newer version. Maps the
 * names and values of members, filters and sort orders. If the store has a member that the older
 * version lacks, name the member in `hides`, so that PUT and PATCH keep its value. Members of the
 * key can be renamed. Do not convert their values: keys in requests are not converted.
 *
 * Throws `ConfigurationError` if an option is invalid, if two members of the view map to the same
 * member of the store, if a renamed member is also hidden, or if the adapter has no resource yet.
 * Also throws if an option names a member of the store that the definition of the adapter does not
 * have. `mount()` checks the members of the view, because only `mount()` gets their definition.
 *
 * @example
 * mount(
 *   clientesV1,
 *   adapterView(clientes, { rename: { nombre: 'razonSocial' }, hides: ['cuit'] }),
 * )
 */
// The default of `T` is the same type as `Row`. It is written out, because the type declarations of
// a service can't name `Row`.
export function adapterView<T = Record<string, unknown>, K = unknown>(
  adapter: Adapter<never, K> | Adapter<unknown, K>,
  options?: AdapterViewOptions,
): Adapter<T, K>
export function adapterView(under: Adapter<unknown, unknown>, options: AdapterViewOptions = {}): unknown {
  checkUnder(under)
  checkOptions('adapterView()', options, viewKinds)
  const translator = new MemberTranslator(options)
  const stored = membersOf(under)
  if (stored !== undefined) checkStored(options, stored)
  const view: through.View = { under, translator, defaults: options.defaults }
  // A conversion function may return different values for the same record, so the view must declare
  // that it computes values. `computes` is enumerable, so that `{ ...view, create }` keeps it.
  const computes = under.computes === true || Object.keys(options.toWire ?? {}).length > 0
  const made: Adapter<Row, unknown> = {
    list: (request, call) => through.list(view, request, call),
    read: (keys, call) => through.read(view, keys, call),
    ...(computes ? { computes } : {}),
  }
  // The view gets only the methods that the store's adapter has (VERB-9).
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
  if (stored !== undefined) declareMembers(made, translator.members(stored))
  checkWhenMounted(made, options)
  const caches = cachesOf(under)
  if (caches !== undefined) owning(made, caches)
  return made
}
