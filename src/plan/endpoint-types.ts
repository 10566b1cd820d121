/** The types of an endpoint's methods: what a handler gets follows from the schemas beside it. */
import type { FromSchema, JsonSchema } from '../definition/schema-types.js'
import type { MediaType } from '../http/media-type.js'
import type { CustomRepresentation } from './custom-representation.js'
import type { EndpointText } from './describe-options.js'
import type { EndpointCall } from './endpoint.js'
import type { PartLifeOptions } from './life.js'
import type { Mounted } from './routes.js'

/** Parameters, each by the JSON Schema of its value (a scalar); `required: [...]` names those that must be given. */
export interface EndpointQuery {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

/** How much and how long a request may take. */
export interface EndpointLimits {
  /** Bytes of a request body, in place of the service's `bodyLimit`. A larger body is 413 (HDR-5). */
  readonly bodyLimit?: number
  /**
   * Milliseconds an answer may take, body and handler included, in place of the service's `timeout`.
   * `createServer()` has limits of its own: see docs/server.md.
   */
  readonly timeout?: number
}

/** A body that is handed on as it came, for a method that takes `upload`. */
export interface Upload {
  readonly media: MediaType
  readonly bytes: Uint8Array
  /** The resource of the method's `upload.resource`, mounted in the version of the request. */
  readonly resource: Mounted
  /** How many arrays and objects may stand in one another in a record. */
  readonly depth: number
}

/** What a method of `imports()` takes. */
export interface UploadOptions {
  /** The media types of the body. */
  readonly types: readonly string[]
  /** The collection that the body is about. */
  readonly resource: string
  /**
   * Takes a place before the body is read, and gives what returns it, which is called once: when the
   * answer has ended or the connection is closed. Throws where no place is free.
   */
  readonly hold?: () => () => void
}

interface MethodSettings extends EndpointLimits, PartLifeOptions {
  /** What documents say of it: text, and the answers that the handler gives. */
  readonly describe?: EndpointText
  /** Media types beside JSON and XML in which the value can be had: `[representation('text/csv', { value: toCsv })]`. */
  readonly representations?: readonly CustomRepresentation[]
}

/** A method of an endpoint. `Query` and `Body` are the types of what the handler gets, `Item` that of the item it stands below. */
export interface EndpointMethod<Item = undefined, Query = Readonly<Record<string, unknown>>, Body = unknown> extends MethodSettings {
  readonly query?: EndpointQuery
  /** JSON Schema of the body. Absent: the method takes none. */
  readonly body?: JsonSchema
  /** In place of `body`: its bytes, as an `Upload`. For `imports()`. */
  readonly upload?: UploadOptions
  /** Gives a value (200), nothing (204), or what `endpointReply()` made. */
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

/** A method as it is written: `Query` and `Body` are its schemas, `never` where it has none. */
interface Written<Item, Query, Body> extends MethodSettings {
  readonly query?: Query & Named<NoInfer<Query>>
  /** JSON Schema of the body, from which the type of `body` follows. Absent: the method takes none. */
  readonly body?: Body
  /** Gives a value (200), nothing (204), or what `endpointReply()` made. */
  readonly handle: Handler<QueryOf<Query>, BodyOf<Body>, Item>
}

/** The methods as they are written. */
export interface WrittenMethods<Item, GetQuery, PostQuery, Post, PutQuery, Put, PatchQuery, Patch, DeleteQuery, Delete> {
  readonly GET?: Written<Item, GetQuery, never>
  readonly POST?: Written<Item, PostQuery, Post>
  readonly PUT?: Written<Item, PutQuery, Put>
  readonly PATCH?: Written<Item, PatchQuery, Patch>
  readonly DELETE?: Written<Item, DeleteQuery, Delete>
}

type QueryOf<Query> = [Query] extends [never] ? Record<never, never> : FromSchema<Query>
type BodyOf<Body> = [Body] extends [never] ? undefined : FromSchema<Body>

/** What `required` names must be described. A widened list names nothing that the compiler knows. */
type Named<Query> = Query extends { readonly properties: infer Properties; readonly required: readonly (infer Name)[] }
  ? string extends Name
    ? unknown
    : { readonly required: readonly (keyof Properties)[] }
  : unknown

/** Of a schema that tells no type (an import that is widened), the team may say the type in the parameter of its handler. */
type Handler<Query, Body, Item> = unknown extends Body
  ? Trusting<Query, Body, Item>['handle']
  : (call: EndpointCall<Query, Body, Item>) => unknown

interface Trusting<Query, Body, Item> {
  // A method, whose parameter the compiler compares both ways.
  handle(call: EndpointCall<Query, Body, Item>): unknown
}
