/** What a method does at a route, apart from the steps that every request walks. */
import type { ListRequest, Page, Stored } from '../../adapters/contract.js'
import type { KeyValue } from '../../definition/key.js'
import type { OperationDescription } from '../../plan/operation.js'
import type { Mounted } from '../../plan/routes.js'
import type { Headers } from '../../representation/answer.js'
import type { Exchange } from '../exchange.js'

/** What came of an operation, before it is represented. `Status`: the statuses of its description. */
export type Outcome<Status extends number = number> =
  /** `wanted` is what the adapter was asked. */
  | {
      readonly kind: 'page'
      readonly status: Status
      readonly page: Page<unknown>
      readonly resource: Mounted
      readonly wanted: ListRequest
    }
  | {
      readonly kind: 'item'
      readonly status: Status
      readonly stored: Stored<unknown>
      readonly resource: Mounted
      readonly keys: readonly KeyValue[]
      readonly headers?: Headers
      readonly bare?: boolean
    }
  /** A state without a representation of its own that lives under a version: flags. */
  | { readonly kind: 'state'; readonly status: Status; readonly stored: Stored<unknown> }
  | { readonly kind: 'empty'; readonly status: Status; readonly headers?: Headers }
  /** What an endpoint answers. `version`: that of the item it stands below, where it is known. */
  | {
      readonly kind: 'value'
      readonly status: Status
      readonly value: unknown
      readonly headers?: Headers
      readonly version?: string | undefined
    }

/** The whole of an operation: its description, and what it does. */
export interface Operation<Status extends number = number> extends OperationDescription {
  readonly statuses: readonly Status[] | 'any'
  /** Makes what `execute` takes of a decoded body. Throws the problem `invalid-body` (422). */
  readonly read?: (exchange: Exchange, body: unknown) => unknown
  readonly execute: (exchange: Exchange) => Outcome<Status> | Promise<Outcome<Status>>
}
