/** Requests and calls in the form in which the library passes them to an adapter. */
import type { AdapterCall, Condition, KeysetPosition, ListRequest, ParentKey, SortTerm } from '../adapters/contract.js'

/** A condition without its path. */
export type Where = Condition extends infer One ? (One extends Condition ? Omit<One, 'path'> : never) : never

/** The parts of a list request that differ from the default. */
export interface ListParts {
  readonly where?: readonly Where[]
  /**
   * In the syntax of clients: `-weight,code`. The members of the key are appended. Default: the
   * key, or the rank if there is a search.
   */
  readonly sort?: string
  readonly search?: string
  /** Default 1. */
  readonly page?: number
  /** Default 100. */
  readonly size?: number
  readonly seek?: KeysetPosition
  readonly parent?: ParentKey
}

/** The terms of a sort, the key last in the direction of the last field (QUERY-2). */
export function sortTerms(sort: string, key: readonly string[]): readonly SortTerm[] {
  const terms = sort === '' ? [] : sort.split(',').map((text) => termOf(text.replace(/^-/, ''), text.startsWith('-')))
  const descending = terms.at(-1)?.descending ?? false
  const named = new Set(terms.map(({ field }) => field))
  return [...terms, ...key.filter((member) => !named.has(member)).map((member) => termOf(member, descending))]
}

/** The request with these parts, for a resource with this key. */
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

/** A call without a principal. A replica that lags behind must not serve it (`fresh`). */
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
