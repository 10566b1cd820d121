/** Reads the query of a request. The operation's description names the kind of query (QUERY-8). */
import type { QueryPair } from '../http/query-string.js'
import { parseExportQuery } from '../plan/export-query.js'
import { knownListQuery, parseItemQuery } from '../plan/list-grammar.js'
import type { QueryKind } from '../plan/operation.js'
import { refuseQuery } from '../plan/query-pairs.js'
import { type QueryNote, type QueryRules, queryRules, withoutAliases } from '../plan/query-rules.js'
import type { Input, Negotiated } from './stages.js'

/** The result of reading a query. */
export type QueryInput<Kind extends QueryKind = QueryKind> = Pick<Input<Kind>, 'query' | 'expand'>

/**
 * One reader for each kind of query. If the query is invalid, the reader throws a single
 * `invalid-query` problem that contains all violations.
 */
export const queryReaders: { readonly [Kind in QueryKind]: (exchange: Negotiated) => QueryInput<Kind> } = {
  list: readList,
  item: readItem,
  endpoint: readParameters,
  none: readNone,
  ignored: () => noQueryInput,
}

const noExpansions: readonly string[] = Object.freeze([])
const noQueryInput = Object.freeze({ query: undefined, expand: noExpansions })

function readList(exchange: Negotiated): QueryInput<'list'> {
  const { rawQuery, resource, representation } = exchange
  const { list } = resource.plan
  const { transfer } = representation
  const rules = exchange.route.hasOwnRules ? rulesOf(exchange) : undefined
  const query =
    transfer === undefined
      ? knownListQuery(rawQuery, list, exchange, rules)
      : parseExportQuery(rawQuery, list, withoutAliases(rules))
  if (query.notes !== undefined) reportNotes(exchange, query.notes)
  if (list.deprecated !== undefined)
    exchange.progress.noteDeprecated('parameter', usedNames(query.pairs, list.deprecated))
  return { query, expand: query.expand }
}

const usedNames = (pairs: readonly QueryPair[], deprecated: ReadonlySet<string>): readonly string[] =>
  pairs.map(([name]) => name).filter((name) => deprecated.has(name))

function readItem(exchange: Negotiated): QueryInput<'item'> {
  const { rawQuery, resource } = exchange
  const query = parseItemQuery(rawQuery, resource.plan.list, exchange.route.hasOwnRules ? rulesOf(exchange) : undefined)
  if (query.notes !== undefined) reportNotes(exchange, query.notes)
  return { query, expand: query.expand }
}

function readParameters(exchange: Negotiated): QueryInput<'endpoint'> {
  const { rawQuery, endpointMethod, progress } = exchange
  const query = exchange.route.hasOwnRules
    ? endpointMethod?.parseQuery(rawQuery, withoutAliases(rulesOf(exchange)), (notes) => reportNotes(exchange, notes))
    : endpointMethod?.parseQuery(rawQuery)
  const used = endpointMethod?.deprecatedParameters?.in(query)
  if (used !== undefined) progress.noteDeprecated('parameter', used)
  return { query: endpointMethod?.withDefaults(query ?? {}) ?? {}, expand: noExpansions }
}

function readNone(exchange: Negotiated): QueryInput<'none'> {
  const { rawQuery } = exchange
  const notes = refuseQuery(rawQuery, exchange.route.hasOwnRules ? withoutAliases(rulesOf(exchange)) : undefined)
  if (notes !== undefined) reportNotes(exchange, notes)
  return noQueryInput
}

/**
 * Returns the settings for reading this query, if they differ from the conventions. Otherwise
 * returns `undefined`.
 */
function rulesOf(exchange: Negotiated): QueryRules | undefined {
  return queryRules(exchange.route.parameters, exchange.legacy('QUERY-8'), exchange.legacy('QUERY-5'))
}

function reportNotes(exchange: Negotiated, notes: readonly QueryNote[]): void {
  for (const { clause, detail } of notes) exchange.finding(clause, detail)
}
