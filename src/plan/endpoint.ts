/** Documented endpoints that are no resource: what a team declares, and what its handlers get and give (PATH-8). */

import type { AdapterCall } from '../adapters/contract.js'
import type { Action } from '../auth/permission.js'
import { branded, hasBrand } from '../brand.js'
import type { KeyValue } from '../definition/key.js'
import { checkCollectionName, checkSegment } from '../definition/naming.js'
import type { JsonSchema } from '../definition/schema-types.js'
import { checkOptions, invalidOption } from '../options/check.js'
import { bytes, type Kind, type Kinds, milliseconds } from '../options/kinds.js'
import { ConfigurationError } from '../problem.js'
import { representationsKind, representationsOption } from './custom-representation.js'
import { endpointTextKinds } from './describe-options.js'
import type { EndpointLimits, EndpointMethod, EndpointMethods, EndpointQuery, UploadOptions, WrittenMethods } from './endpoint-types.js'
import { type PartLifeOptions, partLifeKinds } from './life.js'
import type { RecordsOf } from './records.js'

/** The item that an endpoint stands below, read in this request. */
export interface EndpointItem<T = unknown, K = KeyValue> {
  readonly key: K
  /** The record as the store has it, `writeOnly` members included. Copy it to change it. */
  readonly record: T
  /** Its version: give it to the adapter as `expected`, and the write is safe against races (HDR-3). */
  readonly version: string
  /** The item's absolute address. */
  readonly href: string
}

/** What a handler of an endpoint gets. */
export interface EndpointCall<Query = Readonly<Record<string, unknown>>, Body = unknown, Item = unknown> {
  readonly principal: unknown
  readonly requestId: string
  /** The typed parameters, by name. Absent ones are undefined. */
  readonly query: Query
  /** The body, checked and completed by its schema; undefined where the method declares none. */
  readonly body: Body
  /** The item that the endpoint stands below; undefined on top. */
  readonly item: Item
  /** Fires when the time is up or, on GET, when the client goes away. */
  readonly signal: AbortSignal
  /**
   * What a call of a resource's adapter takes along: principal, request id, time, and the scope of this principal, without which it would give everybody's records. Throws
   * `ConfigurationError` where the resource is not mounted in this version.
   */
  callOf(collection: string): AdapterCall
  /** Whether the service's permission lets this principal do something elsewhere, such as list contracts; `true` where the service has none (AUTH-4). */
  may(action: Action, resource: string, key?: KeyValue): Promise<boolean>
  /**
   * The records of a resource of this version, to be changed with the checks of a request, on behalf
   * of this one. Throws `ConfigurationError` where the resource is not mounted in this version.
   *
   * @example const made = await records(orders, { within: tx }).create({ customerId: 7 })
   */
  readonly records: RecordsOf
  /** Milliseconds until the time is up: for calls of adapters, which take it along. */
  left(): number
  /** The absolute address of the version, without a slash at its end. */
  readonly base: string
}

/** What an endpoint says of itself, apart from its methods. */
interface EndpointDetails extends EndpointLimits, PartLifeOptions {
  /** What the endpoint is for: PATH-8 allows it only documented. */
  readonly description: string
  /** An API area between version and name. Not below an item, which has an area already. */
  readonly area?: string
  /** Below an item: exceptions from the naming rules, name by name, each with its reason (PATH-10). */
  readonly allow?: Readonly<Record<string, string>>
}

export interface EndpointOptions<Item = undefined> extends EndpointDetails {
  readonly methods: EndpointMethods<Item>
}

/** A documented path that is no resource and walks all the steps. `Item`: what it stands below. */
export interface Endpoint<Item = undefined> extends EndpointDetails {
  readonly kind: 'endpoint'
  readonly name: string
  readonly methods: EndpointMethods<Item, never, never>
}

/**
 * Declares an endpoint: on top a non-noun such as `/search`, below an item a plural noun such as
 * `/pedidos/7/cancelaciones` (PATH-8). The types of `query` and `body` follow from their schemas.
 * Throws `ConfigurationError` without a description, and for an option that makes no sense.
 *
 * @example
 * endpoint('search', {
 *   description: 'Looks for a text in pieces and contracts.',
 *   methods: { GET: { query: { properties: { q: { type: 'string' } }, required: ['q'] }, handle: ({ query }) => find(query.q) } },
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
    readonly methods: WrittenMethods<Item, GetQuery, PostQuery, Post, PutQuery, Put, PatchQuery, Patch, DeleteQuery, Delete>
  },
): Endpoint<Item>
/**
 * For an endpoint below an item that is declared apart from its mount.
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
    readonly methods: WrittenMethods<Item, GetQuery, PostQuery, Post, PutQuery, Put, PatchQuery, Patch, DeleteQuery, Delete>
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
      `${what} says nothing of itself. An endpoint that is no noun must be documented: give it a description.`,
    )
  }
  // Any noun or none will do, as long as it is one segment without a format (PATH-4, PATH-8).
  checkCollectionName(name, typeof name === 'string' ? { [name]: description } : {})
  if (area !== undefined) checkSegment(area)
  const found = Object.entries(methods).filter(([, method]) => method !== undefined)
  if (found.length === 0) throw invalidOption(`${what} has no methods. Give at least one.`)
  for (const [method, given] of found) checkMethod(method, `${method} of the endpoint "${name}"`, given)
  return Object.freeze(branded('endpoint', { kind: 'endpoint' as const, name, ...options }))
}

export const endpointQueryKinds: Kinds<EndpointQuery> = { properties: { required: 'table' }, required: { each: 'string' } }

export const uploadKinds: Kinds<UploadOptions> = {
  types: { required: { each: 'string' } },
  resource: { required: 'string' },
  hold: 'function',
}

/** How much and how long, of an endpoint or one of its methods. */
export const endpointLimitKinds: Kinds<EndpointLimits> = { bodyLimit: bytes, timeout: milliseconds }

export const endpointMethodKinds: Kinds<EndpointMethod> = {
  // Whatever else a JSON Schema may say.
  query: { options: endpointQueryKinds, open: true },
  body: ['table', 'boolean'],
  upload: { options: uploadKinds },
  describe: { options: endpointTextKinds, open: 'x-' },
  representations: representationsKind,
  ...endpointLimitKinds,
  ...partLifeKinds,
  handle: { required: 'function' },
}

const method: Kind = { options: endpointMethodKinds }

export const endpointMethodsKinds: Kinds<EndpointMethods> = { GET: method, POST: method, PUT: method, PATCH: method, DELETE: method }

/** What a description is is not looked at here: its absence has a code of its own. */
export const endpointKinds: Kinds<EndpointOptions> = {
  description: 'any',
  methods: { required: { options: endpointMethodsKinds } },
  area: 'string',
  allow: { values: 'string' },
  ...endpointLimitKinds,
  ...partLifeKinds,
}

/** Whether a value is what `endpoint()` made. */
export const isEndpoint = (value: unknown): value is Endpoint => hasBrand('endpoint', value)

function checkMethod(name: string, what: string, given: EndpointMethod): void {
  if (name === 'GET' && given.body !== undefined) {
    throw invalidOption(`${what} has a body, and a GET has none (RFC 9110 9.3.1). Take parameters in query, or use POST.`)
  }
  representationsOption(what, given.representations, ['value'])
}

/** The answer of an endpoint that needs more than 200 and a body. */
export interface EndpointReply {
  readonly status: 200 | 201 | 202 | 204
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Below an item that the handler has changed: its new version, which the answer's `Etag` names (HDR-2). */
  readonly version?: string
}

export const replyKinds: Kinds<EndpointReply> = {
  status: { required: { oneOf: [200, 201, 202, 204] } },
  body: 'any',
  headers: 'table',
  version: 'string',
}

/**
 * The answer of an endpoint with a status or headers of its own. Throws `ConfigurationError` where a
 * member is of another kind.
 *
 * @example handle: () => endpointReply({ status: 202, headers: { Location: '/v1/informes/7' } })
 */
export function endpointReply(answer: EndpointReply): EndpointReply {
  return Object.freeze(branded('reply', { ...checkOptions<EndpointReply>('endpointReply()', answer, replyKinds) }, false))
}

export const isReply = (value: unknown): value is EndpointReply => hasBrand('reply', value)
