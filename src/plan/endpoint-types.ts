/**
 * The types of an endpoint's methods. The compiler derives the types of a handler's arguments from
 * the schemas.
 */
import type { FromSchema, JsonSchema } from '../definition/schema-types.js'
import type { MediaType } from '../http/media-type.js'
import type { CustomRepresentation } from './custom-representation.js'
import type { EndpointText } from './describe-options.js'
import type { EndpointCall } from './endpoint.js'
import type { PartLifeOptions } from './life.js'
import type { Mounted } from './routes.js'

/**
 * The query parameters, each with the JSON Schema of its value (a scalar). `required: [...]` lists
 * the parameters that a request must have.
 */
export interface EndpointQuery {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

/** The limits that apply to a request. */
export interface EndpointLimits {
  /**
   * The maximum size of a request body in bytes, instead of the service's `bodyLimit`. The response
   * to a larger body is 413 (HDR-5).
   */
  readonly bodyLimit?: number
  /**
   * The time limit of a request in milliseconds, instead of the service's `timeout`. The time
   * includes reading the body and running the handler. `createServer()` has limits of its own: see
   * docs/server.md.
   */
  readonly timeout?: number
}

/** The raw bytes of a request body, for a method with the option `upload`. */
export interface Upload {
  readonly media: MediaType
  readonly bytes: Uint8Array
  /**
   * The resource from the method's option `upload: { resource }`, as it is mounted in the API
   * version of the request.
   */
  readonly resource: Mounted
  /** The maximum nesting depth of arrays and objects in a record. */
  readonly depth: number
}

/** The option `upload` of a method. `imports()` sets this option on the methods that it creates. */
export interface UploadOptions {
  /** The media types that the body may have. */
  readonly types: readonly string[]
  /** The name of the collection that the records in the body belong to. */
  readonly resource: string
  /**
   * Limits the number of concurrent uploads. This function is called before the body is read. It
   * reserves a slot, or throws if no slot is free. It returns a function that frees the slot. The
   * returned function is called once, when the response has ended or the connection is closed.
   */
  readonly hold?: () => () => void
  /**
   * Called when the service is built. `mounted` is the mounted resource of the collection that the
   * option `resource` names, or `undefined` if the version does not mount this collection. Throws
   * if the upload can't work.
   */
  readonly check?: (mounted: Mounted | undefined) => void
}

interface MethodSettings extends EndpointLimits, PartLifeOptions {
  /**
   * The description of the method in OpenAPI documents: its texts, and the responses that the
   * handler can return.
   */
  readonly describe?: EndpointText
  /**
   * Media types in addition to JSON and XML for the result of the handler. Example:
   * `[representation('text/csv', { value: toCsv })]`.
   */
  readonly representations?: readonly CustomRepresentation[]
}

/**
 * A method of an endpoint. `Query`, `Body` and `Item` are the types of `query`, `body` and `item`
 * in the handler's argument. For an endpoint below an item, `item` is this item.
 */
export interface EndpointMethod<Item = undefined, Query = Readonly<Record<string, unknown>>, Body = unknown>
  extends MethodSettings {
  readonly query?: EndpointQuery
  /** JSON Schema of the body. Default: the method takes no body. */
  readonly body?: JsonSchema
  /** Replaces `body`: the handler gets the raw bytes as an `Upload`. Used by `imports()`. */
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
 * A method as it is declared in the call of `endpoint()`. `Query` and `Body` are the types of its
 * options `query` and `body`. The type of an absent option is `never`.
 */
interface DeclaredMethod<Item, Query, Body> extends MethodSettings {
  readonly query?: Query & Named<NoInfer<Query>>
  /**
   * JSON Schema of the body, from which the type of `body` is derived. Default: the method takes no
   * body.
   */
  readonly body?: Body
  /** Returns a value (200), undefined (204), or the result of `endpointReply()`. */
  readonly handle: Handler<QueryOf<Query>, BodyOf<Body>, Item>
}

/** The methods as they are declared in the call of `endpoint()`. */
export interface DeclaredMethods<
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
  readonly GET?: DeclaredMethod<Item, GetQuery, never>
  readonly POST?: DeclaredMethod<Item, PostQuery, Post>
  readonly PUT?: DeclaredMethod<Item, PutQuery, Put>
  readonly PATCH?: DeclaredMethod<Item, PatchQuery, Patch>
  readonly DELETE?: DeclaredMethod<Item, DeleteQuery, Delete>
}

type QueryOf<Query> = [Query] extends [never] ? Record<never, never> : FromSchema<Query>
type BodyOf<Body> = [Body] extends [never] ? undefined : FromSchema<Body>

/**
 * Requires that `properties` describes every name in `required`. If the type of the names is only
 * `string`, the compiler can't check them.
 */
type Named<Query> = Query extends { readonly properties: infer Properties; readonly required: readonly (infer Name)[] }
  ? string extends Name
    ? unknown
    : { readonly required: readonly (keyof Properties)[] }
  : unknown

/**
 * The type of the handler. If the compiler does not know the schema's literal type (as for an
 * imported JSON file), the handler may declare the type of the body in its parameter.
 */
type Handler<Query, Body, Item> = unknown extends Body
  ? BivariantHandler<Query, Body, Item>['handle']
  : (call: EndpointCall<Query, Body, Item>) => unknown

interface BivariantHandler<Query, Body, Item> {
  // This is a method and not a property, because TypeScript compares method parameters bivariantly.
  // So a handler may declare a parameter of a narrower type.
  handle(call: EndpointCall<Query, Body, Item>): unknown
}
