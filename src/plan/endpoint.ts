/**
 * Endpoints, which are documented paths that are not resources (PATH-8): the function `endpoint()`,
 * and the types of the arguments and results of handlers.
 */

import type { AdapterCall } from '../adapters/contract.js'
import type { Action } from '../auth/permission.js'
import { branded, hasBrand } from '../brand.js'
import type { KeyValue } from '../definition/key.js'
import { checkCollectionName, checkSegment } from '../definition/naming.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { didYouMean, nearMiss } from '../near-miss.js'
import { checkOptions, invalidOption } from '../options/check.js'
import { bytes, type Kind, type Kinds, milliseconds } from '../options/kinds.js'
import { ConfigurationError } from '../problem.js'
import { representationsKind, representationsOption } from './custom-representation.js'
import { endpointTextKinds } from './describe-options.js'
import type {
  DeclaredMethods,
  EndpointLimits,
  EndpointMethod,
  EndpointMethods,
  EndpointQuery,
  UploadOptions,
} from './endpoint-types.js'
import { type PartLifeOptions, partLifeKinds } from './life.js'
import type { RecordsOf } from './records.js'

/** For an endpoint below an item: this item, as it was read in this request. */
export interface EndpointItem<T = unknown, K = KeyValue> {
  readonly key: K
  /** The stored record, `writeOnly` members included. Copy it before changing it. */
  readonly record: T
  /**
   * The item's version. Pass this version to the adapter as `expected`, so that the write fails if
   * the item has changed in the meantime (HDR-3).
   */
  readonly version: string
  /** The item's absolute URL. */
  readonly href: string
}

/** The argument of an endpoint's handler. */
export interface EndpointCall<Query = Readonly<Record<string, unknown>>, Body = unknown, Item = unknown> {
  readonly principal: unknown
  readonly requestId: string
  /** The typed query parameters, by name. Absent parameters are undefined. */
  readonly query: Query
  /** The validated body, with defaults filled in. Undefined if the method declares no body. */
  readonly body: Body
  /** For an endpoint below an item: this item. Undefined for other endpoints. */
  readonly item: Item
  /** Aborted at the time limit. For GET and HEAD, also aborted when the client disconnects. */
  readonly signal: AbortSignal
  /**
   * Returns the `call` argument for a resource's adapter: the principal, the request id, the time
   * limit, and the scope of this principal. Without the scope, the adapter would return every
   * caller's records. Throws `ConfigurationError` if the resource is not mounted in this version.
   */
  callOf(collection: string): AdapterCall
  /**
   * Resolves to whether the service's `permission` allows this principal an action, such as listing
   * contracts (AUTH-4). Resolves to `true` if the service has no `permission`.
   */
  may(action: Action, resource: string, key?: KeyValue): Promise<boolean>
  /**
   * Returns methods that check and change the records of a resource of this version, on behalf of
   * this request. These methods run the same checks as requests from clients. Throws
   * `ConfigurationError` if the resource is not mounted in this version.
   *
   * @example const made = await records(orders, { within: tx }).create({ customerId: 7 })
   */
  readonly records: RecordsOf
  /** Milliseconds until the time limit. The `call` arguments of adapters have this method, too. */
  left(): number
  /** The absolute URL of the version, without a trailing slash. */
  readonly base: string
}

/** The options of an endpoint other than its methods. */
interface EndpointDetails extends EndpointLimits, PartLifeOptions {
  /** The purpose of the endpoint. PATH-8 requires that endpoints are documented. */
  readonly description: string
  /**
   * The API area: a path segment between the version and the name. Not allowed for an endpoint
   * below an item, because such an endpoint is in the item's area.
   */
  readonly area?: string
  /**
   * For an endpoint below an item: names that are exempt from the naming rules, each with the
   * reason (PATH-10).
   */
  readonly allow?: Readonly<Record<string, string>>
}

export interface EndpointOptions<Item = undefined> extends EndpointDetails {
  readonly methods: EndpointMethods<Item>
}

/**
 * A documented path that is not a resource. A request to an endpoint runs through the same steps as
 * a request to a resource. For an endpoint below an item, `Item` is the type of this item.
 */
export interface Endpoint<Item = undefined> extends EndpointDetails {
  readonly kind: 'endpoint'
  readonly name: string
  readonly methods: EndpointMethods<Item, never, never>
}

/**
 * Declares an endpoint (PATH-8). The name of an endpoint directly below the version or an area,
 * such as `/search`, need not be a noun. The name of an endpoint below an item, such as
 * `/pedidos/7/cancelaciones`, is a plural noun. The types of `query` and `body` are derived from
 * their schemas. Throws `ConfigurationError` if the description is missing or an option is invalid.
 *
 * @example
 * endpoint('search', {
 *   description: 'Looks for a text in pieces and contracts.',
 *   methods: {
 *     GET: {
 *       query: { properties: { q: { type: 'string' } }, required: ['q'] },
 *       handle: ({ query }) => find(query.q),
 *     },
 *   },
 * })
 */
export function endpoint<
  const GetQuery extends EndpointQuery = never,
  const PostQuery extends EndpointQuery = never,
  const Post extends JsonSchema = never,
  const PutQuery extends EndpointQuery = never,
  const Put extends JsonSchema = never,
  const PatchQuery extends EndpointQuery = never,
  const Patch extends JsonSchema = never,
  const DeleteQuery extends EndpointQuery = never,
  const Delete extends JsonSchema = never,
  Item = unknown,
>(
  name: string,
  options: EndpointDetails & {
    readonly methods: DeclaredMethods<
      Item,
      GetQuery,
      PostQuery,
      Post,
      PutQuery,
      Put,
      PatchQuery,
      Patch,
      DeleteQuery,
      Delete
    >
  },
): Endpoint<Item>
/**
 * Declares an endpoint below an item separately from the call of `mount()`. The type of the item is
 * passed explicitly, as a type argument.
 *
 * @example endpoint<EndpointItem<Pedido, number>>()('cancelaciones', { ... })
 */
export function endpoint<Item>(): <
  const GetQuery extends EndpointQuery = never,
  const PostQuery extends EndpointQuery = never,
  const Post extends JsonSchema = never,
  const PutQuery extends EndpointQuery = never,
  const Put extends JsonSchema = never,
  const PatchQuery extends EndpointQuery = never,
  const Patch extends JsonSchema = never,
  const DeleteQuery extends EndpointQuery = never,
  const Delete extends JsonSchema = never,
>(
  name: string,
  options: EndpointDetails & {
    readonly methods: DeclaredMethods<
      Item,
      GetQuery,
      PostQuery,
      Post,
      PutQuery,
      Put,
      PatchQuery,
      Patch,
      DeleteQuery,
      Delete
    >
  },
) => Endpoint<Item>
export function endpoint(...given: readonly unknown[]): unknown {
  return given.length === 0 ? declared : declared(given[0] as string, given[1] as EndpointOptions)
}

function declared(name: string, options: EndpointOptions): Endpoint {
  const what = `endpoint("${String(name)}")`
  const { description, methods, area } = checkOptions<EndpointOptions>(what, options, endpointKinds)
  if (typeof description !== 'string' || description.trim() === '') {
    throw new ConfigurationError(
      'undocumented-endpoint',
      `${what} has no description. An endpoint must be documented: give it a description.`,
    )
  }
  // This check accepts a name that is not a noun. The name must be a single path segment without a
  // format such as `.pdf` (PATH-4, PATH-8).
  checkCollectionName(name, typeof name === 'string' ? { [name]: description } : {})
  if (area !== undefined) checkSegment(area)
  const found = Object.entries(methods).filter(([, method]) => method !== undefined)
  if (found.length === 0) throw invalidOption(`${what} has no methods. Give at least one.`)
  for (const [method, given] of found) checkMethod(method, `${method} of the endpoint "${name}"`, given)
  return Object.freeze(branded('endpoint', { kind: 'endpoint' as const, name, ...options }))
}

export const endpointQueryKinds: Kinds<EndpointQuery> = {
  properties: { required: 'table' },
  required: { each: 'string' },
}

export const uploadKinds: Kinds<UploadOptions> = {
  types: { required: { each: 'string' } },
  resource: { required: 'string' },
  hold: 'function',
  check: 'function',
}

/** The limits of an endpoint or one of its methods. */
export const endpointLimitKinds: Kinds<EndpointLimits> = { bodyLimit: bytes, timeout: milliseconds }

export const endpointMethodKinds: Kinds<EndpointMethod> = {
  // The option `query` may have other keywords of JSON Schema too. `checkQuery` checks them.
  query: { options: endpointQueryKinds, open: true },
  body: 'table',
  upload: { options: uploadKinds },
  describe: { options: endpointTextKinds, open: 'x-' },
  representations: representationsKind,
  ...endpointLimitKinds,
  ...partLifeKinds,
  handle: { required: 'function' },
}

const method: Kind = { options: endpointMethodKinds }

export const endpointMethodsKinds: Kinds<EndpointMethods> = {
  GET: method,
  POST: method,
  PUT: method,
  PATCH: method,
  DELETE: method,
}

/** `description` is not checked here, because a missing description has its own error code. */
export const endpointKinds: Kinds<EndpointOptions> = {
  description: 'any',
  methods: { required: { options: endpointMethodsKinds } },
  area: 'string',
  allow: { values: 'string' },
  ...endpointLimitKinds,
  ...partLifeKinds,
}

/** Whether a value is the result of `endpoint()`. */
export const isEndpoint = (value: unknown): value is Endpoint => hasBrand('endpoint', value)

function checkMethod(name: string, what: string, given: EndpointMethod): void {
  if (name === 'GET' && given.body !== undefined) {
    throw invalidOption(
      `${what} has a body, but a GET has none (RFC 9110 9.3.1). Declare parameters in "query", or use POST.`,
    )
  }
  if (given.query !== undefined) checkQuery(what, given.query)
  representationsOption(what, given.representations, ['value'])
}

/**
 * Keywords that `query` may have although the library does not evaluate them. They describe the
 * parameters, or state what is true for every query anyway, such as `type: 'object'`. Each function
 * returns true for a value that is allowed.
 */
const harmless: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => value === 'object',
  additionalProperties: (value) => value === false,
  title: () => true,
  description: () => true,
  $comment: () => true,
  $schema: () => true,
  $id: () => true,
  deprecated: () => true,
  example: () => true,
  examples: () => true,
}

/**
 * Throws for a keyword in `query` that the library would have to evaluate but does not, such as
 * `anyOf`. The library parses and checks each parameter separately.
 */
function checkQuery(what: string, query: EndpointQuery): void {
  const known = Object.keys(endpointQueryKinds)
  for (const [keyword, value] of Object.entries(query)) {
    if (known.includes(keyword) || keyword.startsWith('x-') || harmless[keyword]?.(value) === true) continue
    throw invalidOption(
      `The option "query" of ${what} has "${keyword}", which has no effect. ` +
        `${didYouMean(nearMiss(keyword, known), known, 'It has')} ` +
        'Check rules about several parameters in the handler.',
    )
  }
}

/** A response for which the handler chooses the status, the header fields or the item's version. */
export interface EndpointReply {
  readonly status: 200 | 201 | 202 | 204
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The item's new version, if the endpoint is below an item and the handler has changed this item.
   * The response's `Etag` contains the version (HDR-2).
   */
  readonly version?: string
}

export const replyKinds: Kinds<EndpointReply> = {
  status: { required: { oneOf: [200, 201, 202, 204] } },
  body: 'any',
  headers: 'table',
  version: 'string',
}

/**
 * Creates a response for a handler that chooses the status, the header fields or the item's
 * version. Throws `ConfigurationError` if a member is invalid.
 *
 * @example handle: () => endpointReply({ status: 202, headers: { Location: '/v1/informes/7' } })
 */
export function endpointReply(answer: EndpointReply): EndpointReply {
  return Object.freeze(
    branded('reply', { ...checkOptions<EndpointReply>('endpointReply()', answer, replyKinds) }, false),
  )
}

export const isReply = (value: unknown): value is EndpointReply => hasBrand('reply', value)
