/** Builds requests and calls in the form in which the library passes them to an adapter. */
import type { AdapterCall, Condition, KeysetPosition, ListRequest, ParentKey, SortTerm } from '../adapters/contract.js'

/** A condition without its `path`, which is derived from its `field`. */
export type Where = Condition extends infer One ? (One extends Condition ? Omit<One, 'path'> : never) : never

/** The properties of a list request that differ from the defaults. */
export interface ListParts {
  readonly where?: readonly Where[]
  /**
   * The sort in the syntax that clients use: `-weight,code`. The members of the key are appended.
   * By default, a list is sorted by the key, and a search is sorted by rank.
   */
  readonly sort?: string
  readonly search?: string
  /** The page number. Default 1. */
  readonly page?: number
  /** The page size. Default 100. */
  readonly size?: number
  readonly seek?: KeysetPosition
  readonly parent?: ParentKey
}

/**
 * The terms of a sort. The members of the key are appended, in the direction of the last term
 * (QUERY-2).
 */
export function sortTerms(sort: string, key: readonly string[]): readonly SortTerm[] {
  const terms = sort === '' ? [] : sort.split(',').map((text) => termOf(text.replace(/^-/, ''), text.startsWith('-')))
  const descending = terms.at(-1)?.descending ?? false
  const named = new Set(terms.map(({ field }) => field))
  return [...terms, ...key.filter((member) => !named.has(member)).map((member) => termOf(member, descending))]
}

/** A list request with these properties, for a resource with this key. */
export function listRequest(parts: ListParts, key: readonly string[]): ListRequest {
  const { where = [], sort, search, page = 1, size = 100, seek, parent } = parts
  return {
    where: where.map((condition) => ({ ...condition, path: condition.field.split('.') }) as Condition),
    sort: search !== undefined && sort === undefined ? [] : sortTerms(sort ?? '', key),
    page,
    size,
    offset: (page - 1) * size,
    ...(search === undefined ? {} : { search }),
    ...(seek === undefined ? {} : { seek }),
    ...(parent === undefined ? {} : { parent }),
  }
}

let count = 0

/**
 * A call, by default without a principal. By default, it is `fresh`, so a replica that may lag
 * behind must not serve it.
 */
export function adapterCall(parts: Partial<AdapterCall> = {}): AdapterCall {
  return {
    principal: undefined,
    scope: {},
    requestId: `suite-${++count}`,
    signal: new AbortController().signal,
    fresh: true,
    ...parts,
  }
}

const termOf = (field: string, descending: boolean): SortTerm => ({ field, path: field.split('.'), descending })
