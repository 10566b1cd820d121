/** Reads the query of a request, by the kind that its operation names (QUERY-8). */
import type { QueryPair } from '../http/query-string.js'
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
  if (list.deprecated !== undefined) exchange.progress.noteDeprecated('parameter', usedNames(query.pairs, list.deprecated))
  return { query, expand: query.expand }
}

const usedNames = (pairs: readonly QueryPair[], deprecated: ReadonlySet<string>): readonly string[] =>
  pairs.map(([name]) => name).filter((name) => deprecated.has(name))

function readItem({ rawQuery, resource }: Negotiated): QueryInput<'item'> {
  const query = parseItemQuery(rawQuery, resource.plan.list)
  return { query, expand: query.expand }
}

function readParameters({ rawQuery, endpointMethod, progress }: Negotiated): QueryInput<'endpoint'> {
  const query = endpointMethod?.parseQuery(rawQuery) ?? {}
  const used = endpointMethod?.deprecatedParameters?.(query)
  if (used !== undefined) progress.noteDeprecated('parameter', used)
  return { query, expand: expandsNothing }
}

function readNone({ rawQuery }: Negotiated): QueryInput<'none'> {
  refuseQuery(rawQuery)
  return asksNothing
}
