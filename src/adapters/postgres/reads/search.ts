/**
 * Searches for the value of the query parameter `q`, with PostgreSQL's full-text search or with the
 * service's own search function (QUERY-3).
 */

import { kindName } from '../../../definition/json.js'
import type { KeyValue } from '../../../definition/key.js'
import { NamedMembers } from '../../../definition/named-members.js'
import { loggableError } from '../../../failures/loggable.js'
import { didYouMean, nearMiss } from '../../../near-miss.js'
import type { AdapterCall, ListRequest } from '../../contract.js'
import { calledLater } from '../../made-by.js'
import { type DatabaseFailure, stateOf } from '../connections/failures.js'
import type { SearchFunction, TextSearch } from '../options/options.js'
import { literal, type Parameters, quote, rowAlias } from '../sql/sql.js'
import { keysJoin } from '../table/conditions.js'
import type { OrderTerm, Searched } from '../table/list-statement.js'
import type { Table } from '../table/table.js'
import { unfit } from '../unfit.js'

/**
 * Returns the search of a request. Returns `undefined` if the list is not restricted: the request
 * has no search, or the text is blank and the service has no search function of its own. Returns
 * `'no-matches'` if the service's own search function returned no key that a row can have.
 */
export async function searchOf(
  table: Table,
  request: ListRequest,
  call: AdapterCall,
  parameters: Parameters,
): Promise<Searched | 'no-matches' | undefined> {
  const { search: text } = request
  if (text === undefined) return undefined
  const { search = {} } = table.options
  if (typeof search === 'function') {
    const name = `search of "${table.definition.collection}"`
    const keys = await calledLater(name, () => (search as SearchFunction)(text, request, call))
    return byEngine(table, keys, parameters)
  }
  if (text.trim() === '') return undefined
  const vector = vectors.get(table) ?? vectorSql(table, search)
  vectors.set(table, vector)
  const query = `websearch_to_tsquery(${literal(search.config ?? 'simple')}, ${parameters.add(text)})`
  return { join: '', where: [`${vector} @@ ${query}`], rank: rankBy(`ts_rank(${vector}, ${query})`, true) }
}

/** The search vector of each table. It is the same for all requests, and is checked only once. */
const vectors = new WeakMap<Table, string>()

/**
 * Returns the reason why the server could not parse the search text, phrased as the end of a
 * sentence. Returns `undefined` for any other failure.
 */
export function searchFault(error: unknown): string | undefined {
  // The parser of `tsquery` can hold at most 32 pending operators. The error of the parser has no
  // SQLSTATE of its own, so it is recognized by the routine that raised it. Deep nesting can also
  // overflow the stack of the server, which has the SQLSTATE 54001.
  const isTooDeep = stateOf(error) === '54001' || (error as DatabaseFailure | undefined)?.routine === 'pushOpStack'
  return isTooDeep ? 'nests too many operators: remove repeated "-"' : undefined
}

/**
 * SQL of a row's search vector: a column, or an expression. The expression must be the same as in
 * the index, otherwise PostgreSQL does not use the index.
 */
export function vectorSql(
  table: Pick<Table, 'definition' | 'layout'>,
  { vector, config = 'simple', members }: TextSearch,
): string {
  if (vector !== undefined) return `${rowAlias}.${quote(vector)}`
  const named = members ?? (table.definition.search === true ? undefined : table.definition.search)
  if (named === undefined || named.length === 0) {
    throw unfit(
      `"${table.definition.collection}" has a search, but the adapter's option "search" does not say what to search. ` +
        'Set it to { members }, { vector } or a function',
    )
  }
  const unknown = named.find((member) => table.definition.shape.at(member.split('.')) === undefined)
  if (unknown !== undefined) {
    const paths = table.definition.shape.paths()
    throw unfit(
      `"${unknown}" in search.members is not a member of "${table.definition.collection}". ` +
        `${didYouMean(nearMiss(unknown, paths), paths)}`,
    )
  }
  const declared = new NamedMembers(table.definition.collection, table.definition.shape)
  for (const member of members ?? []) declared.searchable('search.members', member)
  const texts = named.map((member) => `coalesce(${table.layout.text(member.split('.'))}, '')`)
  return `to_tsvector(${literal(config)}, ${texts.join(" || ' ' || ")})`
}

/**
 * Returns the SQL that joins the rows to the keys that the service's own search function returned.
 * The best match comes first.
 */
function byEngine(table: Table, keys: unknown, parameters: Parameters): Searched | 'no-matches' {
  if (!Array.isArray(keys)) {
    throw loggableError(
      `The function "search" of "${table.definition.collection}" returned ${kindName(keys)}. ` +
        'Return a list of keys, the best match first.',
    )
  }
  const found = new Map<string, readonly string[]>()
  for (const key of keys) {
    const texts = table.layout.keyTexts(key)
    if (texts !== undefined) found.set(table.definition.key.text(key as KeyValue), texts)
  }
  if (found.size === 0) return 'no-matches'
  const join = keysJoin(table.layout, [...found.values()], parameters)
  return { join, where: [], rank: rankBy('_s.rest_place', false) }
}

const rankBy = (sql: string, descending: boolean): OrderTerm => ({
  place: { sql, column: undefined, nullable: false, compare: () => 'never', mismatch: () => undefined },
  descending,
})
