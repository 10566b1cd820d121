/**
 * The order of a list, and positions in that order (QUERY-2, QUERY-7). With an index, the database
 * finds the rows next to a position equally fast anywhere in the list.
 */
import type { KeysetPosition, Scalar } from '../../contract.js'
import type { Parameters } from '../sql/sql.js'
import { compareSql, operandSql } from '../table/conditions.js'
import type { OrderTerm } from '../table/list-statement.js'
import type { Comparison } from '../values/column-type.js'
import type { Place } from '../values/places.js'

/**
 * The terms of an ORDER BY clause. NULL sorts as the largest value, which is PostgreSQL's default.
 * If nulls were sorted differently, the database could not use an ordinary index.
 */
export const orderSql = (terms: readonly OrderTerm[]): string =>
  terms.map(({ place, descending }) => place.sql + (descending ? ' DESC' : '')).join(', ')

export const reversed = (terms: readonly OrderTerm[]): readonly OrderTerm[] =>
  terms.map(({ place, descending }) => ({ place, descending: !descending }))

/**
 * SQL conditions for the rows after a position. All rows of one condition come before the rows of
 * the next condition. An index on the sort terms can return the rows of each condition in order,
 * which is not possible for a single condition with OR.
 */
export function rowsAfter(
  terms: readonly OrderTerm[],
  values: KeysetPosition['values'],
  parameters: Parameters,
): readonly string[] {
  const single = rowComparison(terms, values, parameters)
  if (single !== undefined) return [single]
  const branches: string[] = []
  // The rows that share the most sort values with the position come next, so their condition is the
  // first.
  for (let last = terms.length - 1; last >= 0; last--) {
    for (const beyond of furtherOf(terms[last] as OrderTerm, values[last] ?? null)) {
      const before = parameters.values.length
      const same = terms.slice(0, last).map(({ place }, i) => equalSql(place, values[i] ?? null, parameters))
      const branch = [...same, beyond(parameters)]
      if (branch.includes('false')) {
        // No row matches, so the condition is dropped. Its parameters are dropped too, because a
        // parameter that the statement does not use is an error.
        parameters.values.length = before
      } else branches.push(branch.join(' AND '))
    }
  }
  return branches
}

/**
 * Returns a single comparison such as `(a, b) > (1, 2)`. Returns `undefined` if there is only one
 * term, if the terms have different directions, if a term can be null, or if such a comparison is
 * not possible for another reason.
 */
function rowComparison(
  terms: readonly OrderTerm[],
  values: KeysetPosition['values'],
  parameters: Parameters,
): string | undefined {
  const [first] = terms
  if (first === undefined || terms.length < 2) return undefined
  const op = first.descending ? '<' : '>'
  const sides: { readonly sql: string; readonly comparison: Exclude<Comparison, 'never'> }[] = []
  for (const [i, { place, descending }] of terms.entries()) {
    const value = values[i] ?? null
    const comparison =
      value === null || place.nullable || descending !== first.descending ? 'never' : place.compare(op, value)
    if (comparison === 'never' || comparison.op !== op) return undefined
    sides.push({ sql: place.sql, comparison })
  }
  const right = sides.map(({ comparison }) => operandSql(comparison, parameters))
  return `(${sides.map(({ sql }) => sql).join(', ')}) ${op} (${right.join(', ')})`
}

const equalSql = (place: Place, value: Scalar | null, parameters: Parameters): string =>
  value === null ? `${place.sql} IS NULL` : compareSql(place, '=', value, parameters)

/**
 * The conditions for the values that come after `value` in one sort term. In ascending order,
 * larger values come after `value`, and nulls come last. In descending order, nulls come first, and
 * smaller values come after `value`.
 */
function furtherOf(
  { place, descending }: OrderTerm,
  value: Scalar | null,
): readonly ((parameters: Parameters) => string)[] {
  if (descending)
    return [(parameters) => (value === null ? `${place.sql} IS NOT NULL` : compareSql(place, '<', value, parameters))]
  if (value === null) return []
  const larger = (parameters: Parameters): string => compareSql(place, '>', value, parameters)
  return place.nullable ? [larger, () => `${place.sql} IS NULL`] : [larger]
}
