/** How the query of a request is read, by what its operation says of it (QUERY-8). */
import { parseExportQuery } from '../plan/export-query.js'
import { knownListQuery, parseItemQuery, refuseQuery } from '../plan/list-grammar.js'
import type { QueryKind } from '../plan/operation.js'
import type { Input, Negotiated } from './stages.js'

/** What a query asks for. */
export type Asked<Kind extends QueryKind = QueryKind> = Pick<Input<Kind>, 'query' | 'expand'>

type QueryReader<Kind extends QueryKind> = (exchange: Negotiated) => Asked<Kind>

const expandsNothing: readonly string[] = Object.freeze([])
const asksNothing = Object.freeze({ query: undefined, expand: expandsNothing })

/** Each throws the `invalid-query` problem with every violation at once. */
export const queryReaders: { readonly [Kind in QueryKind]: QueryReader<Kind> } = {
  list(exchange) {
    const { rawQuery, resource, representation } = exchange
    const { list } = resource.plan
    const query = representation.transfer === undefined ? knownListQuery(rawQuery, list, exchange) : parseExportQuery(rawQuery, list)
    return { query, expand: query.expand }
  },
  item({ rawQuery, resource }) {
    const query = parseItemQuery(rawQuery, resource.plan.list)
    return { query, expand: query.expand }
  },
  endpoint: ({ rawQuery, called }) => ({ query: called?.parseQuery(rawQuery) ?? {}, expand: expandsNothing }),
  none({ rawQuery }) {
    refuseQuery(rawQuery)
    return asksNothing
  },
  ignored: () => asksNothing,
}
