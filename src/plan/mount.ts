/** Mounts: resources over their data, the entries of a version. */

import type { Adapter } from '../adapters/contract.js'
import { branded, hasBrand } from '../brand.js'
import { isContainer } from '../definition/json.js'
import type { KeyValue } from '../definition/key.js'
import { checkEndpointName, checkSegment } from '../definition/naming.js'
import { checkDefinition, type ResourceDefinition } from '../definition/resource.js'
import { checkOptions, invalidOption } from '../options/check.js'
import type { Kind, Kinds } from '../options/kinds.js'
import { ConfigurationError } from '../problem.js'
import { type CustomRepresentation, representationsKind, representationsOption } from './custom-representation.js'
import { type ResourceText, resourceTextKinds } from './describe-options.js'
import { type Endpoint, type EndpointItem, isEndpoint } from './endpoint.js'
import { type PartLifeOptions, partLifeKinds } from './life.js'
import type { AdapterFor, MountedAdapter, UnboundAdapter } from './mounted-adapter.js'
import { type ExportOptions, exportKinds, exportsOption } from './transfer-format.js'

/** An adapter whose record and key types the library does not depend on. */
export type AnyAdapter = Adapter<unknown, KeyValue>

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export interface MountOptions<T = unknown, K = KeyValue> extends PartLifeOptions {
  /** An API area between version and collection: `ui`, `tax` (PATH-1). */
  readonly area?: string
  /**
   * Methods of the collection, among those that definition and adapter offer. Default: all. For a
   * public API: `['POST']` (VERB-11).
   */
  readonly collection?: readonly ('GET' | 'POST')[]
  /**
   * Methods of the item, likewise. Also applies to its flags (as `PATCH`) and to its membership in
   * parents' collections. For a public API: `['GET', 'DELETE']`.
   */
  readonly item?: readonly ('GET' | 'PUT' | 'PATCH' | 'DELETE')[]
  /**
   * Media types in addition to JSON and XML for this resource (HDR-1):
   * `[representation('application/pdf', { item: toPdf })]`. Default: only those of the service.
   */
  readonly representations?: readonly CustomRepresentation[]
  /**
   * Streamed exports of whole lists: `{ formats: [csv(), ndjson()] }` of
   * `express-rest-conventions/transfer`. Default: lists are only available in pages.
   */
  readonly exports?: ExportOptions
  /**
   * `required`: a POST without `Idempotency-Key` is 400. The adapter must store keys. Default: the
   * key is honoured if the adapter stores keys.
   */
  readonly idempotencyKey?: 'required'
  /**
   * Documented plural nouns below an item (PATH-8): `[endpoint('cancelaciones', { ... })]` is
   * `/pedidos/{numero}/cancelaciones`.
   */
  readonly endpoints?: readonly Endpoint<EndpointItem<T, K>>[]
  /** Text, examples and `x-` members for documents. */
  readonly describe?: ResourceText
  /**
   * The life cycles of single methods, by the library's names (VER-2, VER-3): `{ remove: { retired:
   * true } }`.
   */
  readonly operations?: Readonly<Record<string, PartLifeOptions>>
  /**
   * The life cycles of flags and associated sub-collections, by their segment below an item: `{
   * activo: { retired: true } }`.
   */
  readonly below?: Readonly<Record<string, PartLifeOptions>>
}

/** A resource over its data, ready for a version. */
export interface Mount {
  readonly kind: 'resource'
  readonly definition: ResourceDefinition
  readonly adapter: AnyAdapter
  /** Its endpoints take the items of this resource, regardless of their type. */
  readonly options: MountOptions<never, never>
}

/**
 * Mounts a resource over its data: an adapter, or an unbound one that is bound to the definition
 * here. The types of adapter and definition must match.
 *
 * @example api({ versions: { v1: [mount(sucursales, memoryAdapter(sucursales))] } })
 */
export function mount<T, K, A = MountedAdapter<T, K>>(
  definition: ResourceDefinition<T, K>,
  given: AdapterFor<NoInfer<T>, NoInfer<K>, A>,
  options: MountOptions<NoInfer<T>, NoInfer<K>> = {},
): Mount {
  checkDefinition('mount()', definition)
  const { collection } = definition
  const adapter = bound(definition, given as MountedAdapter<T, K>)
  for (const method of ['list', 'read'] as const) {
    if (typeof adapter?.[method] !== 'function') {
      throw new ConfigurationError(
        'adapter-incomplete',
        `The adapter of "${collection}" has no ${method}(). Every adapter has list() and read(); the rest is optional.`,
      )
    }
  }
  checkOptions(`the mount of "${collection}"`, options, mountKinds)
  if (options.area !== undefined) checkSegment(options.area)
  const representations = representationsOption(`the mount of "${collection}"`, options.representations, [
    'item',
    'list',
  ])
  exportsOption(`the mount of "${collection}"`, options.exports, representations)
  checkIdempotency(collection, adapter, options.idempotencyKey)
  checkEndpoints(collection, options.endpoints)
  const mounted: Mount = {
    kind: 'resource',
    definition,
    adapter: adapter as unknown as AnyAdapter,
    options: Object.freeze({ ...options, representations }),
  }
  return Object.freeze(branded('mount', mounted))
}

/** An option that takes endpoints below an item. */
const endpointsKind: Kind = {
  each: { by: 'the result of endpoint(): endpoint(name, { description, methods })', is: isEndpoint },
}

const collectionMethods = ['GET', 'POST'] as const
const itemMethods = ['GET', 'PUT', 'PATCH', 'DELETE'] as const

export const mountKinds: Kinds<MountOptions> = {
  area: 'string',
  collection: { each: { oneOf: collectionMethods } },
  item: { each: { oneOf: itemMethods } },
  representations: representationsKind,
  exports: { options: exportKinds },
  idempotencyKey: { oneOf: ['required'] },
  endpoints: endpointsKind,
  describe: { options: resourceTextKinds, open: 'x-' },
  ...partLifeKinds,
  operations: { values: { options: partLifeKinds } },
  below: { values: { options: partLifeKinds } },
}

/** Whether a value is the result of `mount()`. */
export const isMount = (value: unknown): value is Mount => hasBrand('mount', value)

function checkIdempotency(
  collection: string,
  adapter: { readonly create?: unknown; readonly recall?: unknown },
  given: string | undefined,
): void {
  if (given === undefined) return
  const what = `idempotencyKey of the mount of "${collection}"`
  if (adapter.create !== undefined && adapter.recall !== undefined) return
  throw new ConfigurationError(
    'adapter-incomplete',
    `${what} is "required", but its adapter stores no keys: that needs create() and recall(). Give the adapter the option idempotency.`,
  )
}

/**
 * An endpoint below an item must be a plural noun (PATH-2, PATH-3): a description does not permit a
 * verb.
 */
function checkEndpoints(collection: string, given: readonly Endpoint<never>[] | undefined): void {
  if (given === undefined) return
  for (const { name, area, allow } of given as readonly Endpoint<never>[]) {
    if (area !== undefined)
      throw invalidOption(
        `The endpoint "${name}" is below the items of "${collection}" and so in their area. Leave the area "${area}" out.`,
      )
    checkEndpointName(name, collection, allow)
  }
}

const bound = <T, K>(definition: ResourceDefinition<T, K>, given: MountedAdapter<T, K>): Adapter<T, K> =>
  isUnbound(given) ? given.bind(definition) : given

/**
 * A value with a `list` is already an adapter. Functions, which have a `bind` of their own, are
 * neither.
 */
function isUnbound<T, K>(given: Adapter<T, K> | UnboundAdapter<T, K>): given is UnboundAdapter<T, K> {
  return isContainer(given) && !('list' in given) && 'bind' in given && typeof given.bind === 'function'
}
