/**
 * The function `mount()`. A mount connects a resource to the adapter that stores the resource's
 * records. Mounts are entries of a version.
 */

import type { Adapter } from '../adapters/contract.js'
import { branded, hasBrand } from '../brand.js'
import { checkMounted } from '../definition/adapter-members.js'
import { isContainer } from '../definition/json.js'
import type { KeyValue } from '../definition/key.js'
import { checkEndpointName, checkSegment } from '../definition/naming.js'
import { checkDefinition, type ResourceDefinition } from '../definition/resource.js'
import { checkOptions, invalidOption } from '../options/check.js'
import { missingCall, notCalled } from '../options/factories.js'
import type { Kind, Kinds } from '../options/kinds.js'
import { ConfigurationError } from '../problem.js'
import { type CustomRepresentation, representationsKind, representationsOption } from './custom-representation.js'
import { type ResourceText, resourceTextKinds } from './describe-options.js'
import { type Endpoint, type EndpointItem, isEndpoint } from './endpoint.js'
import { type PartLifeOptions, partLifeKinds } from './life.js'
import type { AdapterFor, MountedAdapter, UnboundAdapter } from './mounted-adapter.js'
import { type ExportOptions, exportKinds, exportsOption } from './transfer-format.js'

/** An adapter of records and keys of any type. */
export type AnyAdapter = Adapter<unknown, KeyValue>

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export interface MountOptions<T = unknown, K = KeyValue> extends PartLifeOptions {
  /**
   * The API area: a path segment between the version and the collection, such as `ui` or `tax`
   * (PATH-1).
   */
  readonly area?: string
  /**
   * The allowed methods of the collection. Default: all methods that the adapter supports. For a
   * public API, give `['POST']` (VERB-11).
   */
  readonly collection?: readonly ('GET' | 'POST')[]
  /**
   * The allowed methods of the item. Default: all methods that the adapter supports. Without
   * `PATCH`, the item's flags can't be set or unset either. The same methods are allowed at the
   * URLs of the item in associated sub-collections. For a public API, give `['GET', 'DELETE']`.
   */
  readonly item?: readonly ('GET' | 'PUT' | 'PATCH' | 'DELETE')[]
  /**
   * Media types in addition to JSON and XML for this resource (HDR-1), such as
   * `[representation('application/pdf', { item: toPdf })]`. Default: only the media types of the
   * service.
   */
  readonly representations?: readonly CustomRepresentation[]
  /**
   * Streamed exports of whole lists, such as `{ formats: [csv(), ndjson()] }`. The formats are in
   * `express-rest-conventions/transfer`. Default: lists are available only in pages.
   */
  readonly exports?: ExportOptions
  /**
   * With `required`, the response to a POST without `Idempotency-Key` is 400, and the adapter must
   * store idempotency keys. Default: the header is honoured if the adapter stores these keys.
   */
  readonly idempotencyKey?: 'required'
  /**
   * Endpoints below an item, with plural nouns as names (PATH-8). For example,
   * `[endpoint('cancelaciones', { ... })]` adds `/pedidos/{numero}/cancelaciones`.
   */
  readonly endpoints?: readonly Endpoint<EndpointItem<T, K>>[]
  /** Text, examples and `x-` members for OpenAPI documents. */
  readonly describe?: ResourceText
  /**
   * The life cycles (deprecation, retirement) of single operations, by operation name (VER-2,
   * VER-3). Example: `{ remove: { retired: true } }` retires DELETE.
   */
  readonly operations?: Readonly<Record<string, PartLifeOptions>>
  /**
   * The life cycles of flags and associated sub-collections, by their path segment below an item.
   * Example: `{ activo: { retired: true } }`.
   */
  readonly below?: Readonly<Record<string, PartLifeOptions>>
}

/** A resource with its adapter, ready to be an entry of a version. */
export interface Mount {
  readonly kind: 'resource'
  readonly definition: ResourceDefinition
  readonly adapter: AnyAdapter
  /** The options of the mount, with a type that allows any record and key types. */
  readonly options: MountOptions<never, never>
}

/**
 * Connects a resource to an adapter. This function binds an unbound adapter to the definition. The
 * types of adapter and definition must match.
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
  checkGiven(collection, given)
  const adapter = bound(definition, given as MountedAdapter<T, K>)
  for (const method of ['list', 'read'] as const) {
    if (typeof adapter?.[method] !== 'function') {
      throw new ConfigurationError(
        'adapter-incomplete',
        `The adapter of "${collection}" has no ${method}(). An adapter needs list() and read(). ` +
          'Other methods are optional.',
      )
    }
  }
  checkMounted(adapter, definition)
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

/**
 * Throws `ConfigurationError` if the adapter is missing, or is a function that creates adapters and
 * was not called.
 */
function checkGiven(collection: string, given: unknown): void {
  const call = missingCall(given)
  if (call === undefined && given !== undefined && given !== null) return
  throw new ConfigurationError(
    'adapter-incomplete',
    `The adapter of "${collection}" ${call === undefined ? `is ${given === null ? 'null' : 'missing'}` : notCalled(call)}. ` +
      `Give an adapter as the second argument, such as ${call ?? 'memoryAdapter(definition)'}.`,
  )
}

/**
 * Tells `checkOptions` that the value of an option must be a list of endpoints.
 */
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
  const what = `"idempotencyKey" of the mount of "${collection}"`
  if (adapter.create !== undefined && adapter.recall !== undefined) return
  throw new ConfigurationError(
    'adapter-incomplete',
    `${what} is "required", but the adapter stores no keys. To store keys, an adapter needs create() and recall(). ` +
      'Give the adapter the option "idempotency".',
  )
}

/**
 * Checks the endpoints below an item. Each name must be a plural noun (PATH-2, PATH-3), unless the
 * endpoint's option `allow` lists the name. This rule is stricter than the rule for endpoints
 * directly below the version, which can have any name if they have a description.
 */
function checkEndpoints(collection: string, given: readonly Endpoint<never>[] | undefined): void {
  if (given === undefined) return
  for (const { name, area, allow } of given as readonly Endpoint<never>[]) {
    if (area !== undefined)
      throw invalidOption(
        `The endpoint "${name}" is below the items of "${collection}" and so in their area. ` +
          `Leave the area "${area}" out.`,
      )
    checkEndpointName(name, collection, allow)
  }
}

const bound = <T, K>(definition: ResourceDefinition<T, K>, given: MountedAdapter<T, K>): Adapter<T, K> =>
  isUnbound(given) ? given.bind(definition) : given

/**
 * Whether an adapter is unbound. A value with a method `list` is already an adapter. A function is
 * neither an adapter nor an unbound adapter, although every function has a method `bind`.
 */
function isUnbound<T, K>(given: Adapter<T, K> | UnboundAdapter<T, K>): given is UnboundAdapter<T, K> {
  return isContainer(given) && !('list' in given) && 'bind' in given && typeof given.bind === 'function'
}
