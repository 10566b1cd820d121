/** Creates list requests and adapter calls like those of the router. */
import type {
  AdapterCall,
  Condition,
  KeysetPosition,
  ListRequest,
  ParentKey,
  SortTerm,
} from '../../../src/adapters/contract.js'

/** A condition without `path`, which `listRequest()` adds. */
export type Where = Condition extends infer One ? (One extends Condition ? Omit<One, 'path'> : never) : never

export interface RequestParts {
  readonly where?: readonly Where[]
  /** The sort terms in the syntax of the query parameter, including the key: `-fecha,numero`. */
  readonly sort?: string
  readonly search?: string
  readonly page?: number
  readonly size?: number
  readonly seek?: KeysetPosition | undefined
  readonly parent?: ParentKey
}

export function listRequest({
  where = [],
  sort = '',
  search,
  page = 1,
  size = 25,
  seek,
  parent,
}: RequestParts = {}): ListRequest {
  return {
    where: where.map((condition) => ({ ...condition, path: condition.field.split('.') }) as Condition),
    sort: sort === '' ? [] : sort.split(',').map(sortTerm),
    page,
    size,
    offset: (page - 1) * size,
    ...(search === undefined ? {} : { search }),
    ...(seek === undefined ? {} : { seek }),
    ...(parent === undefined ? {} : { parent }),
  }
}

export function callOf(parts: Partial<AdapterCall> = {}): AdapterCall {
  return { principal: undefined, scope: {}, requestId: 'r', signal: new AbortController().signal, ...parts }
}

export const call = callOf()

function sortTerm(text: string): SortTerm {
  const field = text.replace(/^-/, '')
  return { field, path: field.split('.'), descending: text.startsWith('-') }
}
