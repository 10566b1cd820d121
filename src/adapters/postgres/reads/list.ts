/** Reads a page of a list and its total, usually in one statement (QUERY-1..7). */

import { isFixed } from '../../../definition/fixed.js'
import { associationOf } from '../../association.js'
import type { AdapterCall, ListRequest, Page, Refused } from '../../contract.js'
import type { Cells } from '../connections/client.js'
import { tookLong } from '../connections/slow-results.js'
import { outer } from '../links/join.js'
import type { Joins } from '../links/joins.js'
import { allOf, Parameters } from '../sql/sql.js'
import type { StatementSender } from '../sql/statement-sender.js'
import { compareSql, conditionSql, mismatchOf, unsendable } from '../table/conditions.js'
import { type DescribedJoinTable, memberSql } from '../table/join-tables.js'
import type { Layout } from '../table/layout.js'
import type { ListStatement, OrderTerm, Searched } from '../table/list-statement.js'
import { epochOf, isUnscoped, recordOf, type Table, visible } from '../table/table.js'
import { isExactAt } from '../values/json-places.js'
import { incomparable } from '../values/places.js'
import { textFault } from '../values/text-faults.js'
import { countSql, estimatedRows, usualBound } from './counts.js'
import { knownRows } from './known-page.js'
import { counted, deepOffset, pageSql } from './page.js'
import { searchOf } from './search.js'
import { reportSlowList } from './slow-list.js'

type Found = Page<Record<string, unknown>>
type Total = Pick<Found, 'total' | 'exact'>

/**
 * Lists records. If the database can't compare a value of the request, returns an empty page with
 * `refused`. With `joins`, the statement also reads the records that links point to, and these are
 * passed on to the response.
 */
export async function listPage(
  table: Table,
  request: ListRequest,
  call: AdapterCall,
  ask: StatementSender,
  joins?: Joins,
): Promise<Found> {
  const isForAll = isUnscoped(call) && (joins === undefined || joins.areUnscoped)
  const known = isForAll ? table.lists.get(request) : undefined
  if (typeof known === 'object' && haveJoined(known, joins)) return found(table, request, call, ask, known, joins)
  const refused = refusal(table, request)
  if (refused !== undefined) return refusedPage(table, refused)
  const parameters = new Parameters()
  const searched = request.search === undefined ? undefined : await searchOf(table, request, call, parameters)
  if (searched === 'no-matches') return { ...emptyPage(table), more: false }
  const statement = listSql(table, request, call, searched, parameters, joins)
  if (known !== 'varies' && isForAll && Object.isFrozen(request)) {
    // A statement with a search may contain the keys that a search engine found. At a deep offset,
    // the statement depends on the current number of rows. Neither statement can be reused.
    const lasts = request.search === undefined && request.offset < deepOffset
    table.lists.set(request, !lasts ? 'varies' : known === undefined ? 'once' : isFixed(request) ? statement : 'varies')
  }
  return found(table, request, call, ask, statement, joins)
}

const haveJoined = ({ joined }: ListStatement, joins: Joins | undefined): boolean =>
  joins === undefined ? joined.length === 0 : joins.equals(joined)

const emptyPage = ({ options }: Table): Found => ({ items: [], ...(options.count === 'none' ? {} : { total: 0 }) })

/** The empty page for a request with a value that the database can't compare. */
export const refusedPage = (table: Table, refused: Refused): Found => ({ ...emptyPage(table), refused })

/** Builds the statement of a list without sending it. */
export function listSql(
  table: Table,
  request: ListRequest,
  call: AdapterCall,
  searched: Searched | undefined,
  parameters: Parameters,
  joins?: Joins,
): ListStatement {
  const from = `${table.source}${searched?.join ?? ''}`
  const where = allOf([
    ...visible(table, call, parameters),
    ...request.where.map((condition) => conditionSql(table.layout, condition, parameters)),
    ...parentConditions(table, request, parameters),
    ...(searched?.where ?? []),
  ])
  const terms = termsOf(table, request, searched)
  const shared = parameters.values.length
  const page = pageSql(table, {
    request,
    from,
    where,
    terms,
    parameters,
    scope: Object.keys(call.scope),
    more: joins?.keys ?? '',
  })
  const count = request.count === false ? undefined : countSql(table, from, where)
  const order = terms.map((term, i) => `p.s${i}${term.descending ? ' DESC' : ''}`).join(', ')
  const others = ['here', ...(count === undefined ? [] : ['total'])]
  // The targets of links are joined to the rows of the page only, not to all matching rows.
  const joined =
    `AS ${outer}${count === undefined ? '' : ' ON true'}${joins?.sql(parameters, page.foundBy === 'end') ?? ''} ` +
    `ORDER BY ${order}`
  const beside = `, ${outer}.here${count === undefined ? '' : `, ${counted}.total`}${joins?.columns ?? ''}`
  const rows = count === undefined ? `(${page.sql}) ${joined}` : `${counted} LEFT JOIN (${page.sql}) ${joined}`
  const before = count === undefined ? '' : `WITH ${counted} AS MATERIALIZED (${count}) `
  const showing = (names: readonly string[]) => ({
    text: `${before}SELECT ${names.map((name) => `${outer}.${name}`).join(', ')}${beside} FROM ${rows}`,
    names: [...names, ...others, ...(joins?.names ?? [])],
  })
  return {
    ...showing(table.shownNames),
    showing,
    values: parameters.values,
    matching: { from, where, values: parameters.values.slice(0, shared) },
    page,
    searched,
    joined: joins?.all ?? [],
    joinedFrom: table.shownNames.length + others.length,
  }
}

async function found(
  table: Table,
  request: ListRequest,
  call: AdapterCall,
  ask: StatementSender,
  statement: ListStatement,
  joins: Joins | undefined,
): Promise<Found> {
  const { values, matching } = statement
  const epoch = epochOf(table, ask)
  joins?.begin(ask)
  const isSlim = epoch >= 0 && table.rows.isWarm
  const { text, names } = isSlim ? statement.showing(table.slimNames) : statement
  const answer = await ask.cells(text, names, values)
  const took = tookLong(answer)
  if (took !== undefined) void reportSlowList({ table, request, statement, took }, ask.database)
  const rows = isSlim ? knownRows({ table, statement, size: request.size }, answer, epoch) : answer
  if (rows === undefined) {
    table.rows.listed(false)
    return found(table, request, call, ask, statement, joins)
  }
  const here = table.shownNames.length
  const rowsHere = rows.length > 0 && rows[0]?.[here] === null ? [] : rows
  const { count = 'exact', countBound = usualBound } = table.options
  const estimate = count === 'estimated' && Number(rows[0]?.[here + 1] ?? 0) > countBound
  const total =
    request.count === false
      ? {}
      : totalOf(table, rows[0]?.[here + 1], estimate ? await estimatedRows(matching, ask) : 0)
  if (isWhole(request, call)) table.statistics.total = total.total ?? table.statistics.total
  return shown(table, request, rowsHere, statement, total, joins, epoch)
}

/**
 * Returns a refusal if no column could hold one of the request's strings, or if a value has the
 * wrong type for its column.
 */
function refusal({ layout }: Table, request: ListRequest): Refused | undefined {
  const places = request.sort.map(({ field }, i) => ({ field, value: request.seek?.values[i] }))
  const found = unsendable([...request.where, ...places])
  if (found !== undefined) return { refused: 'rule', members: [found.field], why: found.why }
  for (const condition of request.where) {
    const why = mismatchOf(layout, condition)
    if (why !== undefined) return { refused: 'rule', members: [condition.field], why }
  }
  const why = request.search === undefined ? undefined : textFault(request.search)
  return why === undefined ? undefined : { refused: 'rule', members: [], why }
}

function parentConditions(table: Table, { parent }: ListRequest, parameters: Parameters): readonly string[] {
  if (parent === undefined) return []
  const association = associationOf(table.definition, parent)
  if (association.parts.some((part) => incomparable(part) !== undefined)) return ['false']
  if (association.by === undefined)
    return [memberSql(table.layout.key, table.joins.get(association.as) as DescribedJoinTable, association, parameters)]
  return association.by.map(([member, value]) => compareSql(table.layout.place([member]), '=', value, parameters))
}

/**
 * The sort terms of the list. If the request is a search without `sort`, the first term is the rank
 * of the match.
 */
function termsOf(table: Table, { sort }: ListRequest, searched: Searched | undefined): readonly OrderTerm[] {
  const terms = sort.map(({ path, descending }): OrderTerm => ({ place: table.layout.place(path), descending }))
  if (terms.length > 0) return terms
  const key = table.definition.key.members.map(
    (name): OrderTerm => ({ place: table.layout.place([name]), descending: false }),
  )
  return searched === undefined ? key : [searched.rank, ...key]
}

function totalOf({ options }: Table, counted: string | null | undefined, estimate: number): Total {
  const { count = 'exact', countBound = usualBound } = options
  if (count === 'none') return {}
  const found = Number(counted ?? 0)
  if (count === 'exact' || found <= countBound) return { total: found }
  if (count === 'bounded') return { total: countBound, exact: false }
  return { total: Math.max(estimate, countBound + 1), exact: false }
}

/**
 * Whether a request lists all records of the table. If so, its total is remembered, so that later
 * requests can recognize an offset beyond the middle of the list.
 */
const isWhole = ({ where, search, parent }: ListRequest, call: AdapterCall): boolean =>
  where.length === 0 && search === undefined && parent === undefined && isUnscoped(call)

function shown(
  table: Table,
  { sort, offset, size }: ListRequest,
  found: readonly Cells[],
  { page, searched, joinedFrom }: ListStatement,
  total: Total,
  joins: Joins | undefined,
  epoch: number,
): Found {
  const more = page.foundBy === 'end' ? offset + found.length < (total.total ?? 0) : found.length > size
  // If there are rows beyond the page, the query has returned one of them as an extra row. It is
  // the first row if the page was read backwards from a position, otherwise the last row. A page
  // that is counted from the end has no extra row.
  const kept = page.foundBy === 'end' || !more ? found : page.foundBy === 'before' ? found.slice(1) : found.slice(0, -1)
  joins?.report(kept, joinedFrom)
  // The position of a neighbouring page consists of the sort values that a record shows. If the
  // record does not show them exactly, its row can't serve as a position.
  const edges = [kept[0], kept.at(-1)].filter((edge) => edge !== undefined)
  const areFaithful = edges.every((edge) => sort.every(({ path }) => isFaithful(table.layout, edge, path)))
  const seekable = sort.length > 0 && (searched === undefined || searched.join === '') && areFaithful
  const { decodedCount } = table.rows
  const items = kept.map((one) => recordOf(table, one, epoch))
  if (items.length > 0) table.rows.listed(epoch >= 0 && table.rows.decodedCount === decodedCount)
  return { items, ...total, ...(seekable ? { seekable } : {}), more }
}

/** Whether the record shows the value at a path exactly as the row holds it. */
function isFaithful(layout: Layout, row: Cells, path: readonly string[]): boolean {
  const i = layout.members.findIndex((member) => member.name === path[0])
  const { content } = layout.members[i] ?? {}
  if (content?.kind === 'array') return true
  const text = row[i < 0 ? layout.members.length : i]
  if (text === null || text === undefined) return true
  if (content?.kind === 'scalar') return content.type.faithful(text)
  // The cell of the column `rest` comes after those of all members.
  return isExactAt(text, i < 0 ? path : path.slice(1), layout.place(path))
}
