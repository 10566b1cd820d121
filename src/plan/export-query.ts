/**
 * Parses the query of an export. An export has the parameters of a list query, except for
 * pagination (QUERY-4, QUERY-5, QUERY-7).
 */
import { parseQueryString } from '../http/query-string.js'
import { isProblem, type Violation } from '../problem.js'
import { parameter } from '../wire.js'
import { type ListGrammar, type ListQuery, parseListQuery } from './list-grammar.js'
import { refuse } from './query-pairs.js'
import type { QueryRules } from './query-rules.js'

/** The pagination parameters, each with its clause. */
const paging: ReadonlyMap<string, string> = new Map([
  [parameter.page, 'QUERY-4'],
  [parameter.size, 'QUERY-5'],
  [parameter.after, 'QUERY-7'],
])

/**
 * Parses the query of an export. The export reads its records in pages of the maximum size that
 * clients may request. Without `sort`, the records are in the order of the key, because reading
 * page by page needs a total order. This also applies to a search with `q`, although a list shows
 * the results of a search in the order of relevance. Throws the `invalid-query` problem, which
 * lists the violations.
 */
export function parseExportQuery(raw: string, grammar: ListGrammar, rules?: QueryRules): ListQuery {
  const names = new Set(parseQueryString(raw).pairs.map(([name]) => name))
  const found = [...paging].filter(([name]) => names.has(name)).map(([name, clause]) => pageless(name, clause))
  const { query, errors } = parsed(raw, grammar, rules)
  refuse([...found, ...errors.filter(({ parameter: name = '' }) => !paging.has(name))])
  // If there are no violations, `query` is defined.
  const { sort, ...rest } = query as ListQuery
  return { ...rest, sort: sort.length === 0 ? grammar.key : sort, page: 1, size: grammar.page.max, offset: 0 }
}

function parsed(
  raw: string,
  grammar: ListGrammar,
  rules: QueryRules | undefined,
): { readonly query?: ListQuery; readonly errors: readonly Violation[] } {
  try {
    return { query: parseListQuery(raw, grammar, undefined, rules), errors: [] }
  } catch (error) {
    if (!isProblem(error) || error.errors.length === 0) throw error
    return { errors: error.errors }
  }
}

const pageless = (name: string, clause: string): Violation => ({
  parameter: name,
  detail: `An export contains the whole list and has no pages: leave "${name}" out.`,
  code: 'unknown',
  params: { name },
  clause,
})
