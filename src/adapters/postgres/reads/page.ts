/** SQL for the rows of one page, before or after a position, or at an offset (QUERY-7). */
import type { ListRequest } from '../../contract.js'
import { type Parameters, quote, rowAlias } from '../sql/sql.js'
import type { OrderTerm, PageSql } from '../table/list-statement.js'
import type { Table } from '../table/table.js'
import { orderSql, reversed, rowsAfter } from './order.js'

/**
 * The name of the WITH query that counts the total. The service's own tables must not have this
 * name.
 */
export const counted = 'rest_counted'

/** Everything that is needed to build the SQL of a page. */
export interface PageParts {
  readonly request: ListRequest
  readonly from: string
  readonly where: string
  readonly terms: readonly OrderTerm[]
  readonly parameters: Parameters
  /** The members that have a condition in the caller's scope. */
  readonly scope: readonly string[]
  /** Additional columns to select, each preceded by a comma. */
  readonly more: string
}

/**
 * The SQL query for the rows of a page. Its rows also hold their sort values, as `s0`, `s1`, ...
 */
export function pageSql(table: Table, parts: PageParts): PageSql {
  const { request, terms } = parts
  const sorted = terms.map(({ place }, i) => `${place.sql} AS s${i}`).join(', ')
  const columns = `${table.shown}, '1' AS here, ${sorted}${parts.more}`
  if (request.seek !== undefined && request.sort.length > 0 && request.seek.values.length === terms.length) {
    return pageAtPosition(columns, parts, request.seek)
  }
  return countedRows(table, columns, parts)
}

function pageAtPosition(
  columns: string,
  { request, from, where, terms, parameters }: PageParts,
  { values, backwards }: NonNullable<ListRequest['seek']>,
): PageSql {
  const direction = backwards ? reversed(terms) : terms
  const side = backwards ? 'before' : 'after'
  const limit = request.size + 1
  const branches = rowsAfter(direction, values, parameters)
  const one = (branch: string): string =>
    `SELECT ${columns} FROM ${from} WHERE ${where} AND ${branch} ORDER BY ${orderSql(direction)} LIMIT ${limit}`
  const [only = 'false'] = branches
  if (branches.length < 2) return { sql: one(only), foundBy: side }
  const order = direction.map(({ descending }, i) => `s${i}${descending ? ' DESC' : ''}`).join(', ')
  // All rows of one branch precede the rows of the next branch. So the database reads each branch
  // only as far as the page needs.
  return {
    sql: `${branches.map((branch) => `(${one(branch)})`).join(' UNION ALL ')} ORDER BY ${order} LIMIT ${limit}`,
    foundBy: side,
  }
}

/** From this offset on, it may be faster to skip keys instead of rows, or to count from the end. */
export const deepOffset = 500
/**
 * From this row width on, in bytes, an index that holds the keys is much smaller than the table.
 */
const wideRow = 150

function countedRows(table: Table, columns: string, parts: PageParts): PageSql {
  const { request, from, where, terms, parameters } = parts
  const { offset, size } = request
  if (offset === 0)
    return {
      sql: `SELECT ${columns} FROM ${from} WHERE ${where} ORDER BY ${orderSql(terms)} LIMIT ${size + 1}`,
      foundBy: 'offset',
    }
  const skip = parameters.add(String(offset), 'bigint')
  const fromEnd = isPastMiddle(table, parts)
  const window = fromEnd
    ? `LIMIT (SELECT greatest(least(${size}, total::bigint - ${skip}), 0) FROM ${counted}) OFFSET (SELECT ` +
      `greatest(total::bigint - ${skip} - ${size}, 0) FROM ${counted})`
    : `LIMIT ${size + 1} OFFSET ${skip}`
  const order = `ORDER BY ${orderSql(fromEnd ? reversed(terms) : terms)} ${window}`
  const found = fromEnd ? 'end' : 'offset'
  if (!isCovered(table, parts)) return { sql: `SELECT ${columns} FROM ${from} WHERE ${where} ${order}`, foundBy: found }
  // For skipped rows, only the index entries are read. Whole rows are read only for the page.
  const key = table.layout.key.map(({ column }, i) => [quote(column as string), `rest_k${i}`] as const)
  const keys =
    `SELECT ${key.map(([column, name]) => `${rowAlias}.${column} AS ${name}`).join(', ')} FROM ` +
    `${from} WHERE ${where} ${order}`
  const same = key.map(([column, name]) => `${rowAlias}.${column} = _k.${name}`).join(' AND ')
  return { sql: `SELECT ${columns} FROM (${keys}) AS _k JOIN ${from} ON ${same}`, foundBy: found }
}

/**
 * Returns true if the rows of the page are counted from the end of the list. This requires that:
 * - the statement counts the exact total;
 * - the list is not filtered;
 * - the offset is large;
 * - the page is nearer to the end than to the beginning, according to the last known total.
 *
 * If that total is outdated or unknown, the page is still correct: the statement counts the total
 * again, and computes the start of the page from the new total.
 */
function isPastMiddle({ options, statistics, sourceRelation }: Table, { request, scope }: PageParts): boolean {
  const { where, search, parent, offset, count } = request
  // Counting from the end needs the total that the same statement counts. A subquery in OFFSET
  // reads this total, but Citus does not support such a subquery.
  if (sourceRelation.distributed) return false
  if (
    count === false ||
    (options.count ?? 'exact') !== 'exact' ||
    offset < deepOffset ||
    where.length > 0 ||
    search !== undefined
  )
    return false
  return parent === undefined && scope.length === 0 && offset > (statistics.total ?? 0) / 2
}

/**
 * Returns true if the rows before the page are skipped in an index, and are not read from the
 * table. This requires that:
 * - the offset is large;
 * - the rows are wide;
 * - the rows are read from the table that is written to, and its key index is not partial;
 * - the list has neither a search nor a parent;
 * - the index includes all columns that the filters, the scope, the deletion mark and the order
 *   use.
 */
function isCovered(table: Table, { request, from, terms, scope }: PageParts): boolean {
  if (
    request.offset < deepOffset ||
    table.separate ||
    // If the key index is partial, a row that is marked as deleted can have the same key as another
    // row. A join by key would return both rows.
    table.keyIndex?.partial !== false ||
    from !== table.source ||
    request.parent !== undefined ||
    request.search !== undefined
  )
    return false
  if (table.relation.width < wideRow) return false
  const members = [...request.where.map(({ path }) => path[0] ?? ''), ...scope]
  const asked = [...terms.map(({ place }) => place.column), ...members.map((name) => table.layout.member(name)?.column)]
  if (table.deletion !== undefined) asked.push(table.deletion.column)
  if (asked.includes(undefined)) return false
  return table.relation.indexes.some(
    ({ columns, partial }) => !partial && asked.every((column) => columns.includes(column as string)),
  )
}
