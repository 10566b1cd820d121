/**
 * Operations and their outcomes. An operation is what a method does at one kind of path, such as
 * POST at the path of a collection.
 */
import type { Awaitable, ListRequest, Page, Stored } from '../../adapters/contract.js'
import type { KeyValue } from '../../definition/key.js'
import type { ListQuery } from '../../plan/list-grammar.js'
import type { BodyKind, OperationDescription, QueryKind } from '../../plan/operation.js'
import type { Mounted } from '../../plan/routes.js'
import type { Headers } from '../../representation/answer.js'
import type { AnswerLinks } from '../shown-links.js'
import type { Parsed } from '../stages.js'

/**
 * The result of an operation, before a response is built from it. `Status` is the type of the
 * statuses in the operation's description. `links` contains the related records that the adapter
 * returned together with the result.
 */
export type Outcome<Status extends number = number> =
  /**
   * A page of a list. `query` is the client's list query; `wanted` is the request to the adapter.
   */
  | {
      readonly kind: 'page'
      readonly status: Status
      readonly page: Page<unknown>
      readonly resource: Mounted
      readonly query: ListQuery
      readonly wanted: ListRequest
      readonly links: AnswerLinks | undefined
    }
  | {
      readonly kind: 'item'
      readonly status: Status
      readonly stored: Stored<unknown>
      readonly resource: Mounted
      readonly keys: readonly KeyValue[]
      readonly links: AnswerLinks | undefined
      readonly headers?: Headers
      /**
       * True if the response has no body, according to the client's `Prefer` or to the default for
       * the method.
       */
      readonly bodiless?: boolean
    }
  /** The state of a flag. A flag has no representation. Its version is the version of its item. */
  | {
      readonly kind: 'state'
      readonly status: Status
      readonly stored: Stored<unknown>
      readonly resource: Mounted
      readonly links: AnswerLinks | undefined
    }
  | { readonly kind: 'empty'; readonly status: Status; readonly headers?: Headers }
  /** An OpenAPI document or a docs file of the API version, as bytes with an entity tag. */
  | {
      readonly kind: 'document'
      readonly status: Status
      readonly bytes: Uint8Array
      readonly tag: string
      readonly headers?: Headers
    }
  /**
   * The result of an endpoint. For an endpoint below an item, `version` is the version of that
   * item. It is `undefined` if the version is not known.
   */
  | {
      readonly kind: 'value'
      readonly status: Status
      readonly value: unknown
      readonly headers?: Headers
      readonly version?: string | undefined
    }

/**
 * An operation: its description and its implementation. `Query` and `Body` are the kinds of query
 * and body in its description. `execute` takes the types that the step `parse` returns for these
 * kinds.
 */
export interface Operation<
  Query extends QueryKind = QueryKind,
  Body extends BodyKind = BodyKind,
  Status extends number = number,
> extends OperationDescription<Query, Body> {
  readonly statuses: readonly Status[] | 'any'
  // Declared as a method and not as a member with a function type. The parameters of methods are
  // bivariant, so an operation with specific kinds is also an `Operation`. This is safe, because
  // the step `parse` reads query and body according to the operation's own description.
  execute(exchange: Parsed<Query, Body>): Awaitable<Outcome<Status>>
}
