/**
 * Describes, as data, what a method does at one kind of address. The route table, the steps, the
 * permission, the startup check and the documents read it here. A new operation of a known method
 * needs only a new description.
 */
import type { WriteMethod } from '../adapters/contract.js'
import type { Action } from '../auth/permission.js'
import type { Method } from './mount.js'

/**
 * The kinds of addresses: a collection and its items, flags and endpoints below an item, the
 * sub-collection of an association and its members, endpoints outside resources, and documents of
 * the version.
 */
export type Target = 'collection' | 'item' | 'flag' | 'item-endpoint' | 'members' | 'member' | 'endpoint' | 'document'

/**
 * The kinds of queries: that of a list, of an item (`expand`), of an endpoint, `none` (any
 * parameter is refused), or `ignored`.
 */
export type QueryKind = 'list' | 'item' | 'endpoint' | 'none' | 'ignored'

/**
 * The kinds of bodies: a whole record, a patch, that of an endpoint, `refused` (400 if there is
 * one), or `ignored`.
 */
export type BodyKind = 'record' | 'patch' | 'endpoint' | 'refused' | 'ignored'

export interface OperationDescription<Query extends QueryKind = QueryKind, Body extends BodyKind = BodyKind> {
  /** Unique among all operations. */
  readonly name: string
  /** HEAD is served at every address with GET, by the same operation (VERB-8). */
  readonly method: Exclude<Method, 'HEAD'>
  /** `any`: every address has it. */
  readonly target: Target | 'any'
  /** The adapter method that it writes with. Absent if it only reads, or if a handler writes. */
  readonly writes?: WriteMethod
  /** The adapter methods that the operation requires. Default: `writes`. */
  readonly needs?: readonly WriteMethod[]
  /**
   * The method that selects it in the `collection` or `item` option of a mount. Default: its own.
   */
  readonly mountedAs?: Method
  /**
   * The actions that the permission decides about, in this order (AUTH-4). A permission on single
   * members would use `body` (what is written) and `answers` (what is shown).
   */
  readonly actions: readonly Action[]
  readonly query: Query
  /**
   * A record is validated as a new one if the operation `creates`, else as the replacement of the
   * stored one.
   */
  readonly body: Body
  /**
   * What `If-Match` and `If-None-Match` are compared with: the representation of a read (304, 412),
   * the item that a write changes (412, 428), or nothing (HDR-3, HDR-4).
   */
  readonly preconditions: 'representation' | 'item' | 'none'
  /**
   * True if each request creates something, so that a client may send an `Idempotency-Key`
   * (VERB-12).
   */
  readonly creates?: true
  /**
   * The content of a successful response: a page, an item, the state of a flag, the result of a
   * handler, a document, or none.
   */
  readonly answers: 'page' | 'item' | 'state' | 'value' | 'document' | 'empty'
  /** The success statuses, the usual one first; `any` if a handler chooses. */
  readonly statuses: readonly number[] | 'any'
  /** The status of HEAD if it differs from that of GET (VERB-8). */
  readonly headStatus?: number
}

/**
 * The possible statuses of a successful DELETE of an item: the option `deleteStatus` chooses one
 * (VERB-6).
 */
export { type DeleteStatus, deleteStatuses } from '../conventions/clauses.js'

const itemTargets: ReadonlySet<Target> = new Set<Target>(['item', 'member', 'flag', 'item-endpoint'])

/** True for addresses of an item, or of something below one. */
export const concernsItem = (target: Target): boolean => itemTargets.has(target)
