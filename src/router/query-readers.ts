/** Reads the query of a request, by the kind that its operation names (QUERY-8). */
import { parseExportQuery } from '../plan/export-query.js'
import { knownListQuery, parseItemQuery } from '../plan/list-grammar.js'
import type { QueryKind } from '../plan/operation.js'
import { refuseQuery } from '../plan/query-pairs.js'
import type { Input, Negotiated } from './stages.js'

/** What a query asks for. */
export type QueryInput<Kind extends QueryKind = QueryKind> = Pick<Input<Kind>, 'query' | 'expand'>

/** Each throws the `invalid-query` problem with every violation at once. */
export const queryReaders: { readonly [Kind in QueryKind]: (exchange: Negotiated) => QueryInput<Kind> } = {
  list: readList,
  item: readItem,
  endpoint: readParameters,
  none: readNone,
  ignored: () => asksNothing,
}

const expandsNothing: readonly string[] = Object.freeze([])
const asksNothing = Object.freeze({ query: undefined, expand: expandsNothing })

function readList(exchange: Negotiated): QueryInput<'list'> {
  const { rawQuery, resource, representation } = exchange
  const { list } = resource.plan
  const query = representation.transfer === undefined ? knownListQuery(rawQuery, list, exchange) : parseExportQuery(rawQuery, list)
  return { query, expand: query.expand }
}

function readItem({ rawQuery, resource }: Negotiated): QueryInput<'item'> {
  const query = parseItemQuery(rawQuery, resource.plan.list)
  return { query, expand: query.expand }
}

function readParameters({ rawQuery, endpointMethod }: Negotiated): QueryInput<'endpoint'> {
  return { query: endpointMethod?.parseQuery(rawQuery) ?? {}, expand: expandsNothing }
}

function readNone({ rawQuery }: Negotiated): QueryInput<'none'> {
  refuseQuery(rawQuery)
  return asksNothing
}
