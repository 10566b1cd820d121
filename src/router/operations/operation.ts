/** Operations: what a method does at a kind of address, and the outcomes. */
import type { Awaitable, ListRequest, Page, Stored } from '../../adapters/contract.js'
import type { KeyValue } from '../../definition/key.js'
import type { ListQuery } from '../../plan/list-grammar.js'
import type { BodyKind, OperationDescription, QueryKind } from '../../plan/operation.js'
import type { Mounted } from '../../plan/routes.js'
import type { Headers } from '../../representation/answer.js'
import type { AnswerLinks } from '../shown-links.js'
import type { Parsed } from '../stages.js'

/**
 * The result of an operation, before it is represented. `Status`: those of its description. `links`
 * has the related records that came with what is shown.
 */
export type Outcome<Status extends number = number> =
  /** `query` is what the client asked for, `wanted` what the adapter was asked. */
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
      /** True where the answer has no body, as the client prefers. */
      readonly bare?: boolean
    }
  /** A state without a representation of its own that lives under a version: flags. */
  | {
      readonly kind: 'state'
      readonly status: Status
      readonly stored: Stored<unknown>
      readonly resource: Mounted
      readonly links: AnswerLinks | undefined
    }
  | { readonly kind: 'empty'; readonly status: Status; readonly headers?: Headers }
  /** A document of the version, as bytes with their tag. */
  | {
      readonly kind: 'document'
      readonly status: Status
      readonly bytes: Uint8Array
      readonly tag: string
      readonly headers?: Headers
    }
  /** What an endpoint answers. `version`: that of the item it stands below, where it is known. */
  | {
      readonly kind: 'value'
      readonly status: Status
      readonly value: unknown
      readonly headers?: Headers
      readonly version?: string | undefined
    }

/**
 * The whole of an operation: its description, and what it does. `Query` and `Body` are the kinds that
 * its description names, so `execute` takes what the step `parse` has read them as.
 */
export interface Operation<Query extends QueryKind = QueryKind, Body extends BodyKind = BodyKind, Status extends number = number>
  extends OperationDescription<Query, Body> {
  readonly statuses: readonly Status[] | 'any'
  // A method and not a function type: the compiler compares its parameter both ways, so every
  // operation is an `Operation`. That is safe, since `parse` reads by the operation's own description.
  execute(exchange: Parsed<Query, Body>): Awaitable<Outcome<Status>>
}
