/**
 * The descriptions of operations. A description says, as data, what a method does at one kind of
 * path. The route table, the steps of a request, the permission check, the startup check and the
 * OpenAPI documents all read the descriptions. A new operation of an existing method needs only a
 * new description.
 */
import type { WriteMethod } from '../adapters/contract.js'
import type { Action } from '../auth/permission.js'
import type { Method } from './mount.js'

/**
 * The kinds of paths: a collection, an item, a flag of an item, an endpoint below an item, the
 * sub-collection of an association (`members`), an item in such a sub-collection (`member`), an
 * endpoint outside resources, and a document of the version.
 */
export type Target = 'collection' | 'item' | 'flag' | 'item-endpoint' | 'members' | 'member' | 'endpoint' | 'document'

/**
 * The kinds of queries: the query of a list, of an item (`expand`) or of an endpoint, `none` (any
 * parameter is refused), or `ignored`.
 */
export type QueryKind = 'list' | 'item' | 'endpoint' | 'none' | 'ignored'

/**
 * The kinds of bodies: a whole record, a patch, the body of an endpoint, `refused` (400 if the
 * request has a body), or `ignored`.
 */
export type BodyKind = 'record' | 'patch' | 'endpoint' | 'refused' | 'ignored'

export interface OperationDescription<Query extends QueryKind = QueryKind, Body extends BodyKind = BodyKind> {
  /** Unique among all operations. */
  readonly name: string
  /**
   * The method of the operation. The operation of GET also serves HEAD, at every path with GET
   * (VERB-8).
   */
  readonly method: Exclude<Method, 'HEAD'>
  /** The kind of path that has the operation. `any` means every path. */
  readonly target: Target | 'any'
  /**
   * The adapter method that writes for the operation. Absent if the operation only reads, or if a
   * handler writes.
   */
  readonly writes?: WriteMethod
  /** The adapter methods that the operation requires. Default: `writes`. */
  readonly needs?: readonly WriteMethod[]
  /**
   * If the option `collection` or `item` of a mount is set, the mount offers the operation only if
   * the option lists this method. Default: the operation's own method.
   */
  readonly mountedAs?: Method
  /** The actions that the permission function decides about, in this order (AUTH-4). */
  readonly actions: readonly Action[]
  readonly query: Query
  /**
   * The kind of the body. If `creates` is set, a record in the body is validated as a new record.
   * Otherwise, it is validated as the replacement of the stored record.
   */
  readonly body: Body
  /**
   * The value that `If-Match` and `If-None-Match` are compared with: the representation that a read
   * returns (304, 412), the item that a write changes (412, 428), or none (HDR-3, HDR-4).
   */
  readonly preconditions: 'representation' | 'item' | 'none'
  /**
   * True if each request creates something, so that a client may send an `Idempotency-Key`
   * (VERB-12).
   */
  readonly creates?: true
  /**
   * The content of a successful response: a page, an item, the state of a flag, the result of a
   * handler, a document, or nothing.
   */
  readonly answers: 'page' | 'item' | 'state' | 'value' | 'document' | 'empty'
  /**
   * The success statuses. The usual status comes first. `any` means that a handler chooses the
   * status.
   */
  readonly statuses: readonly number[] | 'any'
  /** The status of HEAD, if it differs from the status of GET (VERB-8). */
  readonly headStatus?: number
}

/**
 * The possible statuses of a successful DELETE of an item. The option `deleteStatus` chooses one of
 * them (VERB-6).
 */
export { type DeleteStatus, deleteStatuses } from '../conventions/clauses.js'

const itemTargets: ReadonlySet<Target> = new Set<Target>(['item', 'member', 'flag', 'item-endpoint'])

/**
 * True for the paths of items (in associated sub-collections too), and for the paths of flags and
 * endpoints below an item.
 */
export const concernsItem = (target: Target): boolean => itemTargets.has(target)
