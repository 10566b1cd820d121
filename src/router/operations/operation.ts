/** What a method does at a route, apart from the steps that every request walks. */
import type { ListRequest, Page, Stored } from '../../adapters/contract.js'
import type { KeyValue } from '../../definition/key.js'
import type { Mounted } from '../../plan/routes.js'
import type { Headers } from '../../representation/answer.js'
import type { Exchange } from '../exchange.js'

/** What came of an operation, before it is represented. */
export type Outcome =
  /** `wanted` is what the adapter was asked. */
  | { readonly kind: 'page'; readonly page: Page<unknown>; readonly resource: Mounted; readonly wanted: ListRequest }
  | {
      readonly kind: 'item'
      readonly status: 200 | 201
      readonly stored: Stored<unknown>
      readonly resource: Mounted
      readonly keys: readonly KeyValue[]
      readonly headers?: Headers
      readonly bare?: boolean
    }
  /** A state without a representation of its own that lives under a version: flags. */
  | { readonly kind: 'state'; readonly stored: Stored<unknown> }
  | { readonly kind: 'empty'; readonly status: 200 | 202 | 204; readonly headers?: Headers }
  /** What an endpoint answers. `version`: that of the item it stands below, where it is known. */
  | {
      readonly kind: 'value'
      readonly status: number
      readonly value: unknown
      readonly headers?: Headers
      readonly version?: string | undefined
    }

export interface Operation {
  readonly name: string
  /** Which query the operation takes: `none` refuses any, `ignored` does not look. */
  readonly query: 'list' | 'item' | 'none' | 'endpoint' | 'ignored'
  /** Which body: a whole record, a patch, what the endpoint says, none at all (400 where one comes), or none that matters. */
  readonly body: 'record' | 'patch' | 'endpoint' | 'refused' | 'ignored'
  /**
   * Whether a client may give it a key, by which a repeat is known: of what makes something new
   * each time (VERB-12).
   */
  readonly creates?: true
  readonly execute: (exchange: Exchange) => Outcome | Promise<Outcome>
}
