/** An older version over the same data: an adapter that speaks one version's members over a store that holds another's (VER-1). */
import { cachesOf, owning } from '../cache.js'
import { declareCreating, isCreating } from '../definition/fixed.js'
import { checkOptions } from '../options/check.js'
import type { Adapter } from './contract.js'
import * as through from './view-methods.js'
import { type AdapterViewOptions, viewKinds } from './view-options.js'
import { type Row, Terms } from './view-terms.js'

export type { AdapterViewOptions } from './view-options.js'

/** What a view was made of. */
export interface ViewParts {
  readonly under: Adapter<unknown, unknown>
  readonly options: AdapterViewOptions
}

const views = new WeakMap<object, ViewParts>()

/** The parts of an adapter that `adapterView` made, so that the same view can be had of another store; `undefined` of any other. */
export const viewOf = (adapter: object): ViewParts | undefined => views.get(adapter)

/**
 * Maps values, filters and sorts of an older version onto the adapter of a newer one. Members of the store that the older version does not have belong in `hides`:
 * then they survive its PUT and PATCH. Members of the key can be renamed; their values are the store's.
 *
 * Throws `ConfigurationError` where an option is misspelt, two members of the view would be one of the store, or a renamed one is hidden.
 *
 * @example mount(clientesV1, adapterView(clientes, { rename: { nombre: 'razonSocial' }, hides: ['cuit'] }))
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
  // A function of a team may give another value of the same record.
  const computes = under.computes === true || Object.keys(options.toWire ?? {}).length > 0
  // It is no method that the view offers, and neither is what the store does not have (VERB-9).
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
