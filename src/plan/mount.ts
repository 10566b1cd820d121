/** What a team puts into a version: resources over their data, and documented endpoints that are no resource. */
import type { Adapter, Call } from '../adapters/contract.js'
import type { Action } from '../auth/permission.js'
import type { KeyValue } from '../definition/key.js'
import { invalidOption, knownOptions, listOption } from '../definition/known-options.js'
import { checkCollectionName, checkSegment } from '../definition/naming.js'
import { checkDefinition, type ResourceDefinition } from '../definition/resource.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { ConfigurationError } from '../problem.js'
import { type CustomRepresentation, representationsOption } from './custom-representation.js'

/** An adapter whose records and keys the library passes on without looking at their types. */
export type AnyAdapter = Adapter<unknown, KeyValue>

/**
 * An adapter that learns its resource where it is mounted, so that the definition need not be named twice. Each mount binds it anew.
 *
 * @example const inTable = (table: string): UnboundAdapter<Sucursal, string> => ({ bind: ({ key }) => tableAdapter(table, key.members) })
 */
export interface UnboundAdapter<T, K> {
  /** The adapter of this resource. Called once by each `mount()`; what it throws, that throws. */
  bind(definition: ResourceDefinition<T, K>): Adapter<T, K>
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export interface MountOptions {
  /** An API area between version and collection: `ui`, `tax` (PATH-1). */
  readonly area?: string
  /** Methods of the collection, of those that definition and adapter offer. Default: all. A public API says `['POST']` (VERB-11). */
  readonly collection?: readonly ('GET' | 'POST')[]
  /** Methods of the item, likewise, its flags (which PATCH stands for) and places in parents' collections included. A public API says `['GET', 'DELETE']`. */
  readonly item?: readonly ('GET' | 'PUT' | 'PATCH' | 'DELETE')[]
  /** Media types beside JSON and XML that this resource can be had in (HDR-1): `[representation('application/pdf', { item: toPdf })]`. Default: the service's alone. */
  readonly representations?: readonly CustomRepresentation[]
  /** `required`: a POST without `Idempotency-Key` is 400. The adapter must be one that keeps keys. Default: it is honoured where the adapter keeps keys. */
  readonly idempotencyKey?: 'required'
}

/** A resource over its data, ready for a version. */
export interface Mount {
  readonly kind: 'resource'
  readonly definition: ResourceDefinition
  readonly adapter: AnyAdapter
  readonly options: MountOptions
}

/**
 * Puts a resource over its data: an adapter, or one that is bound to the definition here. Its types must be those of the definition.
 *
 * @example api({ versions: { v1: [mount(sucursales, memoryAdapter(sucursales))] } })
 */
export function mount<T, K>(
  definition: ResourceDefinition<T, K>,
  given: Adapter<NoInfer<T>, NoInfer<K>> | UnboundAdapter<NoInfer<T>, NoInfer<K>>,
  options: MountOptions = {},
): Mount {
  checkDefinition('mount()', definition)
  const { collection } = definition
  const adapter = isUnbound(given) ? given.bind(definition) : given
  for (const method of ['list', 'read'] as const) {
    if (typeof adapter?.[method] !== 'function') {
      throw new ConfigurationError(
        'adapter-incomplete',
        `The adapter of "${collection}" has no ${method}(). Every adapter has list() and read(); the rest is optional.`,
      )
    }
  }
  knownOptions(`The mount of "${collection}"`, options, mountKinds)
  if (options.area !== undefined) checkSegment(options.area)
  checkMethods(`The collection "${collection}"`, options.collection, ['GET', 'POST'])
  checkMethods(`An item of "${collection}"`, options.item, ['GET', 'PUT', 'PATCH', 'DELETE'])
  const representations = representationsOption(`the mount of "${collection}"`, options.representations, ['item', 'list'])
  checkIdempotency(collection, adapter, options.idempotencyKey)
  return Object.freeze({
    kind: 'resource',
    definition,
    adapter: adapter as unknown as AnyAdapter,
    options: Object.freeze({ ...options, representations }),
  })
}

/** Every option, so that a misspelt one is refused. Each is checked where it is used. */
export const mountKinds: Readonly<Record<keyof MountOptions, 'checked'>> = {
  area: 'checked',
  collection: 'checked',
  item: 'checked',
  representations: 'checked',
  idempotencyKey: 'checked',
}

function checkIdempotency(
  collection: string,
  adapter: { readonly create?: unknown; readonly recall?: unknown },
  given: string | undefined,
): void {
  if (given === undefined) return
  const what = `idempotencyKey of the mount of "${collection}"`
  if (given !== 'required') throw invalidOption(`${what} is "${String(given)}". Give "required", or leave it out.`)
  if (adapter.create !== undefined && adapter.recall !== undefined) return
  throw new ConfigurationError(
    'adapter-incomplete',
    `${what} is "required", and its adapter keeps no keys: it needs create() and recall(). Give it the option idempotency.`,
  )
}

/** What has a `list` is an adapter already. Functions, which have a `bind` of their own, are neither. */
function isUnbound<T, K>(given: Adapter<T, K> | UnboundAdapter<T, K>): given is UnboundAdapter<T, K> {
  return typeof given === 'object' && given !== null && !('list' in given) && 'bind' in given && typeof given.bind === 'function'
}

function checkMethods(what: string, given: readonly string[] | undefined, legal: readonly string[]): void {
  const stray = listOption(`The methods of ${what}`, given).find((method) => !legal.includes(method))
  if (stray === undefined) return
  throw new ConfigurationError('invalid-option', `${what} can not have the method ${stray}. There are: ${legal.join(', ')}.`)
}

/** What a handler of an endpoint gets. */
export interface EndpointCall<Query = Readonly<Record<string, unknown>>, Body = unknown> {
  readonly principal: unknown
  readonly requestId: string
  /** The typed parameters, by name. Absent ones are undefined. */
  readonly query: Query
  readonly body: Body
  /** Fires when the time is up or, on GET, when the client goes away. */
  readonly signal: AbortSignal
  /**
   * What a call of a resource's adapter takes along: principal, request id, time, and the scope of this principal, without which it would give everybody's records. Throws
   * `ConfigurationError` where the resource is not mounted in this version.
   */
  callOf(collection: string): Call
  /** Whether the service's permission lets this principal do something elsewhere, such as list contracts; `true` where the service has none (AUTH-4). */
  may(action: Action, resource: string, key?: KeyValue): Promise<boolean>
  /** Milliseconds until the time is up: for calls of adapters, which take it along. */
  left(): number
  /** The absolute address of the version, without a slash at its end. */
  readonly base: string
}

/** The answer of an endpoint that needs more than 200 and a body. */
export interface Reply {
  readonly status: 200 | 201 | 202 | 204
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface EndpointMethod {
  /** Parameters, each by the JSON Schema of its value (a scalar); `required: [...]` names those that must be given. */
  readonly query?: { readonly properties: Readonly<Record<string, JsonSchema>>; readonly required?: readonly string[] }
  /** JSON Schema of the body. Absent: the method takes none. */
  readonly body?: JsonSchema
  /** Media types beside JSON and XML in which the value can be had: `[representation('text/csv', { value: toCsv })]`. */
  readonly representations?: readonly CustomRepresentation[]
  /** Answers a value (200), or a reply of `reply(...)`. */
  readonly handle: (call: EndpointCall) => unknown
}

export interface EndpointOptions {
  /** What the endpoint is for: PATH-8 allows it only documented. */
  readonly description: string
  readonly methods: { readonly [M in 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE']?: EndpointMethod }
  readonly area?: string
}

/** A documented path that is no resource and walks all the steps. */
export interface Endpoint extends EndpointOptions {
  readonly kind: 'endpoint'
  readonly name: string
}

/**
 * Declares a non-noun endpoint such as `/search` (PATH-8). Throws `ConfigurationError` without a description.
 *
 * @example
 * endpoint('search', {
 *   description: 'Looks for a text in pieces and contracts.',
 *   methods: { GET: { query: { properties: { q: { type: 'string' } }, required: ['q'] }, handle: ({ query }) => find(query.q) } },
 * })
 */
export function endpoint(name: string, options: EndpointOptions): Endpoint {
  const what = `The endpoint "${String(name)}"`
  const { description, methods, area } = knownOptions(what, options, {
    description: true,
    methods: true,
    area: true,
  }) as unknown as EndpointOptions
  if (typeof description !== 'string' || description.trim() === '') {
    throw new ConfigurationError(
      'undocumented-endpoint',
      `${what} says nothing of itself. An endpoint that is no noun must be documented: give it a description.`,
    )
  }
  // Any noun or none will do, as long as it is one segment without a format (PATH-4, PATH-8).
  checkCollectionName(name, typeof name === 'string' ? { [name]: description } : {})
  if (area !== undefined) checkSegment(area)
  const given = Object.entries(knownOptions(`methods of ${what}`, methods, endpointMethods)).filter(([, method]) => method !== undefined)
  if (given.length === 0) throw new ConfigurationError('invalid-option', `${what} has no methods. Give at least one.`)
  for (const [method, handler] of given) {
    if (typeof (handler as EndpointMethod | null)?.handle !== 'function')
      throw new ConfigurationError('invalid-option', `${what} has no handle() for ${method}. Give it a function.`)
    representationsOption(`${method} of the endpoint "${name}"`, (handler as EndpointMethod).representations, ['value'])
  }
  return Object.freeze({ kind: 'endpoint', name, ...options })
}

const endpointMethods: Readonly<Record<keyof EndpointOptions['methods'], true>> = {
  GET: true,
  POST: true,
  PUT: true,
  PATCH: true,
  DELETE: true,
}

const replies = new WeakSet<object>()

/**
 * The answer of an endpoint with a status or headers of its own.
 *
 * @example handle: () => reply({ status: 202, headers: { Location: '/v1/informes/7' } })
 */
export function reply(answer: Reply): Reply {
  const made = Object.freeze({ ...answer })
  replies.add(made)
  return made
}

export const isReply = (value: unknown): value is Reply => typeof value === 'object' && value !== null && replies.has(value)
