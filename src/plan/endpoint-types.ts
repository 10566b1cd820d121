/** The types of an endpoint's methods: the types of handler arguments follow from the schemas. */
import type { FromSchema, JsonSchema } from '../definition/schema-types.js'
import type { MediaType } from '../http/media-type.js'
import type { CustomRepresentation } from './custom-representation.js'
import type { EndpointText } from './describe-options.js'
import type { EndpointCall } from './endpoint.js'
import type { PartLifeOptions } from './life.js'
import type { Mounted } from './routes.js'

/**
 * Parameters, each with the JSON Schema of its value (a scalar). `required: [...]` lists those that
 * must be given.
 */
export interface EndpointQuery {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

/** The limits of a request. */
export interface EndpointLimits {
  /**
   * The maximum size of a request body in bytes, instead of the service's `bodyLimit`. A larger
   * body is 413 (HDR-5).
   */
  readonly bodyLimit?: number
  /**
   * The time limit of a response in milliseconds, including body and handler, instead of the
   * service's `timeout`. `createServer()` has limits of its own: see docs/server.md.
   */
  readonly timeout?: number
}

/** The raw bytes of a body, for a method that takes `upload`. */
export interface Upload {
  readonly media: MediaType
  readonly bytes: Uint8Array
  /** The resource of the method's `upload.resource`, mounted in the version of the request. */
  readonly resource: Mounted
  /** The maximum nesting depth of arrays and objects in a record. */
  readonly depth: number
}

/** The options of a method of `imports()`. */
export interface UploadOptions {
  /** The media types of the body. */
  readonly types: readonly string[]
  /** The collection that the body is for. */
  readonly resource: string
  /**
   * Reserves a slot before the body is read, and returns the function that frees it. That function
   * is called once: when the response has ended or the connection is closed. Throws if no slot is
   * free.
   */
  readonly hold?: () => () => void
}

interface MethodSettings extends EndpointLimits, PartLifeOptions {
  /** The text for documents, and the responses of the handler. */
  readonly describe?: EndpointText
  /**
   * Media types in addition to JSON and XML for the value: `[representation('text/csv', { value:
   * toCsv })]`.
   */
  readonly representations?: readonly CustomRepresentation[]
}

/**
 * A method of an endpoint. `Query` and `Body` are the types of the handler's arguments, `Item` that
 * of the item that the endpoint is below.
 */
export interface EndpointMethod<Item = undefined, Query = Readonly<Record<string, unknown>>, Body = unknown>
  extends MethodSettings {
  readonly query?: EndpointQuery
  /** JSON Schema of the body. Default: the method takes none. */
  readonly body?: JsonSchema
  /** Replaces `body`: the handler gets the bytes as an `Upload`. For `imports()`. */
  readonly upload?: UploadOptions
  /** Returns a value (200), undefined (204), or the result of `endpointReply()`. */
  readonly handle: (call: EndpointCall<Query, Body, Item>) => unknown
}

/** The methods of an endpoint. A GET takes no body (RFC 9110 9.3.1). */
export interface EndpointMethods<Item = undefined, Query = Readonly<Record<string, unknown>>, Body = unknown> {
  readonly GET?: EndpointMethod<Item, Query, Body> & { readonly body?: never }
  readonly POST?: EndpointMethod<Item, Query, Body>
  readonly PUT?: EndpointMethod<Item, Query, Body>
  readonly PATCH?: EndpointMethod<Item, Query, Body>
  readonly DELETE?: EndpointMethod<Item, Query, Body>
}

/**
 * A method as declared: `Query` and `Body` are the types of its schemas, `never` if it has none.
 */
interface Written<Item, Query, Body> extends MethodSettings {
  readonly query?: Query & Named<NoInfer<Query>>
  /**
   * JSON Schema of the body, from which the type of `body` follows. Default: the method takes none.
   */
  readonly body?: Body
  /** Returns a value (200), undefined (204), or the result of `endpointReply()`. */
  readonly handle: Handler<QueryOf<Query>, BodyOf<Body>, Item>
}

/** The methods as declared. */
export interface WrittenMethods<
  Item,
  GetQuery,
  PostQuery,
  Post,
  PutQuery,
  Put,
  PatchQuery,
  Patch,
  DeleteQuery,
  Delete,
> {
  readonly GET?: Written<Item, GetQuery, never>
  readonly POST?: Written<Item, PostQuery, Post>
  readonly PUT?: Written<Item, PutQuery, Put>
  readonly PATCH?: Written<Item, PatchQuery, Patch>
  readonly DELETE?: Written<Item, DeleteQuery, Delete>
}

type QueryOf<Query> = [Query] extends [never] ? Record<never, never> : FromSchema<Query>
type BodyOf<Body> = [Body] extends [never] ? undefined : FromSchema<Body>

/**
 * Every name in `required` must be described. A widened list has no names that the compiler can
 * check.
 */
type Named<Query> = Query extends { readonly properties: infer Properties; readonly required: readonly (infer Name)[] }
  ? string extends Name
    ? unknown
    : { readonly required: readonly (keyof Properties)[] }
  : unknown

/**
 * If the schema has no literal type (a widened import), the team may declare the type in its
 * handler's parameter.
 */
type Handler<Query, Body, Item> = unknown extends Body
  ? Trusting<Query, Body, Item>['handle']
  : (call: EndpointCall<Query, Body, Item>) => unknown

interface Trusting<Query, Body, Item> {
  // A method, because method parameters are bivariant.
  handle(call: EndpointCall<Query, Body, Item>): unknown
}
