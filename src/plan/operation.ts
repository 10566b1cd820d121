/**
 * What a method does at one kind of address, as data. The route table, the steps, the permission, the
 * check at start and the documents read it here. A new operation of a known method is one new
 * description.
 */
import type { WriteMethod } from '../adapters/contract.js'
import type { Action } from '../auth/permission.js'
import type { Method } from './mount.js'

/**
 * The kinds of addresses: a collection and its items, flags and endpoints below an item, the
 * sub-collection of an association and its members, endpoints outside resources, and documents of
 * the version itself.
 */
export type Target = 'collection' | 'item' | 'flag' | 'item-endpoint' | 'members' | 'member' | 'endpoint' | 'document'

/**
 * What a query is: of a list, of an item (`expand`), as the endpoint describes it, `none` (any
 * parameter is refused), or `ignored`.
 */
export type QueryKind = 'list' | 'item' | 'endpoint' | 'none' | 'ignored'

/**
 * What a body is: a whole record, a patch, as the endpoint describes it, `refused` (400 where one is
 * sent), or `ignored`.
 */
export type BodyKind = 'record' | 'patch' | 'endpoint' | 'refused' | 'ignored'

export interface OperationDescription<Query extends QueryKind = QueryKind, Body extends BodyKind = BodyKind> {
  /** Unique among all operations. */
  readonly name: string
  /** HEAD is served wherever GET is, by the same operation (VERB-8). */
  readonly method: Exclude<Method, 'HEAD'>
  /** `any`: every address has it. */
  readonly target: Target | 'any'
  /** The method of the adapter that it calls to write. Absent: it only reads, or a handler writes. */
  readonly writes?: WriteMethod
  /** What the adapter must offer for the operation to exist. Default: what it `writes`. */
  readonly needs?: readonly WriteMethod[]
  /** The method that stands for it in the `collection` or `item` of a mount. Default: its own. */
  readonly mountedAs?: Method
  /**
   * What the permission is asked about the resource, in this order (AUTH-4). A permission on single
   * members would follow `body`, which says what is written, and `answers`, which says what is shown.
   */
  readonly actions: readonly Action[]
  readonly query: Query
  /** A record is checked as a new one where the operation `creates`, else as what replaces the stored one. */
  readonly body: Body
  /**
   * What `If-Match` and `If-None-Match` are compared with: the representation that a read answers
   * with (304, 412), the item that a write changes (412, 428), or nothing (HDR-3, HDR-4).
   */
  readonly preconditions: 'representation' | 'item' | 'none'
  /**
   * True where each request makes something new, so that a client may send an `Idempotency-Key`
   * (VERB-12).
   */
  readonly creates?: true
  /** What a successful answer shows: a page, an item, the state of a flag, what a handler gave, or nothing. */
  readonly answers: 'page' | 'item' | 'state' | 'value' | 'document' | 'nothing'
  /** The statuses of success, the usual one first; `any` where a handler chooses. */
  readonly statuses: readonly number[] | 'any'
  /** The status of HEAD where it differs from that of GET (VERB-8). */
  readonly headStatus?: number
}

/** The statuses that a successful DELETE of an item may have: the option `deleteStatus` chooses one (VERB-6). */
export { type DeleteStatus, deleteStatuses } from '../conventions/clauses.js'

const itemTargets: ReadonlySet<Target> = new Set<Target>(['item', 'member', 'flag', 'item-endpoint'])

/** True for addresses that end with an item, or with something below one. */
export const concernsItem = (target: Target): boolean => itemTargets.has(target)
