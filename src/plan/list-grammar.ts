/**
 * Parses the query of a list into a typed and bounded request for the adapter (QUERY-1..8). The
 * sort order in this request is total, except for a search without `sort`. The grammar is compiled
 * at startup, so that parsing never reads the schema.
 */

import type { Condition, ListRequest, SortTerm } from '../adapters/contract.js'
import { type Cache, Caches } from '../cache.js'
import { cutText } from '../cut-text.js'
import { freezeThroughout } from '../definition/fixed.js'
import type { Filter, PageOptions, ResourceDefinition } from '../definition/resource.js'
import type { Shape } from '../definition/shape.js'
import type { QueryPair } from '../http/query-string.js'
import { didYouMean, nearMiss } from '../near-miss.js'
import type { KnownViolation, Violation } from '../problem.js'
import type { ViolationParams } from '../violation.js'
import { parameter } from '../wire.js'
import { type CursorValues, compileCursorValues, type ListAddress, parseCursor } from './cursor.js'
import { pageOf, readPage } from './list-page.js'
import { misfitCursor, onceEach, readPairs, refuse } from './query-pairs.js'
import type { QueryNote, QueryRules } from './query-rules.js'
import { maxQueryViolations } from './refusal.js'
import { boolean, type ScalarGrammar, scalarGrammar } from './scalar-grammar.js'
import { directionRule, isSortDirection, respelledTerm } from './sort-direction.js'
import { typeParams } from './violations.js'

/** The query of a request for one item. */
export interface ItemQuery {
  /** The associations to expand (QUERY-6). */
  readonly expand: readonly string[]
  /**
   * Notes about deviations from the conventions, such as aliased or ignored parameters. Absent if
   * there are none.
   */
  readonly notes?: readonly QueryNote[]
}

/** A parsed list query: the adapter's request, and the facts that the response needs. */
export interface ListQuery extends ListRequest, ItemQuery {
  /**
   * The decoded parameters in the order of the query, under the names of the conventions.
   * Pagination links contain these parameters again.
   */
  readonly pairs: readonly QueryPair[]
  /** The page number that clients use for the first page. */
  readonly first: 0 | 1
}

export interface ListGrammar {
  /** Every parameter that a list of this resource accepts, except `after`. */
  readonly parameters: readonly string[]
  readonly filters: ReadonlyMap<string, TypedFilter>
  /** The names of deprecated filters, if any. */
  readonly deprecated: ReadonlySet<string> | undefined
  readonly sort: ReadonlyMap<string, readonly string[]>
  readonly searchable: boolean
  readonly expandable: readonly string[]
  readonly key: readonly SortTerm[]
  readonly page: Required<PageOptions>
  /** The functions that convert values for pagination cursors (QUERY-7). */
  readonly cursorValues: CursorValues
  /**
   * Recent queries, by their rules and their raw query string. The entry of a query that was
   * received only once is the symbol `once`.
   */
  readonly recent: Cache<string, ListQuery | typeof once>
  /**
   * Recent sort orders, by the value of the parameter `sort`. Each sort order ends with the key.
   */
  readonly orders: Cache<string, readonly SortTerm[]>
}

const once = Symbol('once')

/** A filter, together with the grammar of its values. */
export interface TypedFilter extends Filter, ScalarGrammar {
  /**
   * The `params` of a violation with the code `type`: the types and the format that a value must
   * have.
   */
  readonly params: ViolationParams['type']
}

/**
 * Compiles the grammar of a resource's lists. `page` contains the service's page settings. `caches`
 * creates the caches of parsed queries.
 */
export function compileListGrammar(
  definition: ResourceDefinition,
  page: PageOptions = {},
  caches = new Caches(),
): ListGrammar {
  const filters = new Map(
    [...definition.filters].map(([name, filter]) => [name, typedFilter(filter, definition.shape)]),
  )
  const expandable = [...definition.links.values()]
    .filter((link) => link.kind === 'to' && link.expand)
    .map((link) => link.name)
  const searchable = definition.search !== undefined
  const { sort, size, page: number, expand, search } = parameter
  return {
    parameters: [
      ...filters.keys(),
      ...(definition.sort.length > 0 ? [sort] : []),
      ...(searchable ? [search] : []),
      number,
      size,
      ...(expandable.length > 0 ? [expand] : []),
    ],
    filters,
    deprecated: deprecatedNames(filters),
    sort: new Map(definition.sort.map((field) => [field, Object.freeze(field.split('.'))])),
    searchable,
    expandable,
    key: freezeThroughout(definition.key.members.map((field) => ({ field, path: [field], descending: false }))),
    page: pageOf(definition, page),
    cursorValues: compileCursorValues(definition),
    recent: caches.make('list-queries'),
    orders: caches.make('sorts'),
  }
}

function deprecatedNames(filters: ReadonlyMap<string, TypedFilter>): ReadonlySet<string> | undefined {
  const names = [...filters.values()].filter(({ deprecated }) => deprecated !== undefined).map(({ name }) => name)
  return names.length === 0 ? undefined : new Set(names)
}

/** Maximum length of a query that is cached. Most clients repeat a few short queries. */
const longestRecent = 400

/**
 * Like `parseListQuery`, but caches repeated queries. The second and all later requests with the
 * same query get the same frozen object, so that derived data can be cached with this object as the
 * key. The result of a query that is received only once or is very long is not cached. A query with
 * a cursor is parsed each time, because a cursor is valid only for the list at one path, and the
 * cache is shared by lists at several paths.
 */
export function knownListQuery(raw: string, grammar: ListGrammar, address: ListAddress, rules?: QueryRules): ListQuery {
  const name = rules === undefined ? raw : rules.key + raw
  const known = grammar.recent.get(name)
  if (known !== undefined && known !== once) return known
  const query = parseListQuery(raw, grammar, address, rules)
  if (query.seek !== undefined || raw.length > longestRecent) return query
  // Frozen, because other requests will share it.
  grammar.recent.set(name, known === once ? freezeThroughout(query) : once)
  return query
}

/**
 * Parses the raw query of a list. Throws the `invalid-query` problem, which lists the violations.
 * `address` contains the path of the list, which cursors are checked against. Without `address`,
 * every cursor is refused (QUERY-7). `rules` describes how the service deviates from the
 * conventions.
 */
export function parseListQuery(
  raw: string,
  grammar: ListGrammar,
  address?: ListAddress,
  rules?: QueryRules,
): ListQuery {
  const many = (name: string): boolean => grammar.filters.get(name)?.many === true
  const names = { allowed: grammar.parameters, many, hasCursor: address !== undefined }
  const { pairs, found, seen, translated } = readPairs(raw, names, rules)
  const where: Condition[] = []
  for (const [name, values] of seen) {
    const filter = grammar.filters.get(name)
    if (filter !== undefined) addCondition(where, filter, values, found)
  }
  const text = (name: string): string | undefined => seen.get(name)?.[0]
  const { page, size, notes } = readPage(grammar.page, { text, translated, rules }, found)
  const search = text(parameter.search)
  const sorted = text(parameter.sort)
  const sort =
    sorted === undefined ? (search === undefined ? grammar.key : unordered) : orderedBy(sorted, grammar, found)
  const expand = parseExpand(text(parameter.expand), grammar.expandable, found)
  const query: { -readonly [Name in keyof ListQuery]: ListQuery[Name] } = {
    where,
    sort,
    page,
    size,
    // If `(page - 1) * size` is too large to be exact, the page is beyond the end of any list. The
    // offset is then limited to an exact number.
    offset: Math.min((page - 1) * size, Number.MAX_SAFE_INTEGER - size),
    expand,
    pairs,
    first: grammar.page.first,
  }
  if (search !== undefined) query.search = search
  if (notes.length > 0) query.notes = notes
  const cursor = text(parameter.after)
  const seek =
    cursor === undefined || address === undefined
      ? undefined
      : parseCursor(cursor, grammar.cursorValues, query, address)
  if (cursor !== undefined && seek === undefined) found.push(misfitCursor)
  refuse(found)
  if (seek !== undefined) query.seek = seek
  return query
}

/**
 * The sort terms of a search without `sort`. There are none, because the adapter orders the results
 * by relevance.
 */
const unordered: readonly SortTerm[] = Object.freeze([])

/** Parses the query of a request for one item, which may have only the parameter `expand`. */
export function parseItemQuery(raw: string, grammar: ListGrammar, rules?: QueryRules): ItemQuery {
  if (raw === '') return plainItem
  const { seen, found, translated } = readPairs(
    raw,
    onceEach(grammar.expandable.length > 0 ? [parameter.expand] : []),
    rules,
  )
  const expand = parseExpand(seen.get(parameter.expand)?.[0], grammar.expandable, found)
  refuse(found)
  return translated === undefined || translated.notes.length === 0 ? { expand } : { expand, notes: translated.notes }
}

const noExpansions: readonly string[] = Object.freeze([])
const plainItem: ItemQuery = Object.freeze({ expand: noExpansions })

function addCondition(where: Condition[], filter: TypedFilter, texts: readonly string[], found: Violation[]): void {
  const { name, field, path, op, parse, expects, allowed, params } = filter
  const values = texts.map(parse).filter((value) => value !== undefined)
  const [value] = values
  if (value === undefined || values.length < texts.length) {
    const detail = `"${name}" must be ${expects}.`
    found.push({
      parameter: name,
      detail,
      code: 'type',
      params,
      clause: 'QUERY-1',
      ...(allowed === undefined ? {} : { allowed }),
    })
  } else if (op === 'null') where.push({ field, path, op, value: value === true })
  else if (values.length > 1) where.push({ field, path, op: 'in', value: values })
  else where.push({ field, path, op, value })
}

function typedFilter(filter: Filter, shape: Shape): TypedFilter {
  if (filter.op === 'null') return { ...filter, ...boolean, allowed: [true, false], params: { types: ['boolean'] } }
  const member = shape.at(filter.path)
  if (filter.op === 'contains') return { ...filter, ...scalarGrammar(member?.items), params: typeParams(member?.items) }
  return { ...filter, ...scalarGrammar(member, filter.op === 'eq'), params: typeParams(member) }
}

/**
 * Returns the sort terms, with the key at the end. Recent results are cached as frozen lists.
 */
function orderedBy(text: string, grammar: ListGrammar, found: Violation[]): readonly SortTerm[] {
  const known = grammar.orders.get(text)
  if (known !== undefined) return known
  const terms = freezeThroughout(withKey(parseSort(text, grammar, found), grammar.key))
  // If there are too many violations, parsing stops early and the terms are incomplete. The terms
  // are cached only if there are no violations.
  if (found.length === 0 && text.length <= longestRecent) grammar.orders.set(text, terms)
  return terms
}

function parseSort(text: string, grammar: ListGrammar, found: Violation[]): SortTerm[] {
  const terms = new Map<string, SortTerm>()
  eachName(text, found, (piece) => {
    // In a query, a raw "+" is decoded as a space, and "%2B" as a plus (QUERY-2).
    const sign = piece[0] === '-' || piece[0] === '+' || piece[0] === ' ' ? piece[0] : ''
    const field = piece.slice(sign.length)
    const path = grammar.sort.get(field)
    if (path === undefined) return unsortable(field, grammar.sort)
    if (terms.has(field)) {
      const detail = `"${field}" is repeated in "${parameter.sort}". Name it once.`
      return { parameter: parameter.sort, detail, code: 'repeated', params: { name: field }, clause: 'QUERY-2' }
    }
    terms.set(field, { field, path, descending: sign === '-' })
    return undefined
  })
  return [...terms.values()]
}

/**
 * The violation for a term that is not a field. For a term with a direction, such as `price:desc`,
 * the violation explains how to write the direction.
 */
function unsortable(term: string, sort: ListGrammar['sort']): KnownViolation<'unknown'> {
  const violation = notAllowed(parameter.sort, term, [...sort.keys()], 'is not a field to sort by', 'QUERY-2')
  const respelled = respelledTerm(term, (name) => sort.has(name))
  if (respelled === undefined && !isSortDirection(term)) return violation
  const rule = respelled === undefined || respelled.startsWith('-') ? directionRule : 'Ascending order needs no sign'
  const example = respelled === undefined ? '' : `: ${parameter.sort}=${respelled}`
  const { suggestion: _, ...rest } = violation
  return {
    ...rest,
    detail: `"${cutText(term, 80)}" is not a field to sort by. ${rule}${example}.`,
    ...(respelled === undefined ? {} : { suggestion: respelled }),
  }
}

function parseExpand(text: string | undefined, expandable: readonly string[], found: Violation[]): readonly string[] {
  if (text === undefined) return noExpansions
  const names = new Set<string>()
  eachName(text, found, (name) => {
    if (!expandable.includes(name))
      return notAllowed(parameter.expand, name, expandable, 'cannot be expanded', 'QUERY-6')
    names.add(name)
    return undefined
  })
  return [...names]
}

/**
 * Calls `take` for each name of a comma-separated list. Stops at the maximum number of violations
 * that a response reports.
 */
function eachName(text: string, found: Violation[], take: (name: string) => Violation | undefined): void {
  for (const name of text.split(',')) {
    if (found.length >= maxQueryViolations) return
    const violation = take(name)
    if (violation !== undefined) found.push(violation)
  }
}

function notAllowed(
  name: string,
  given: string,
  allowed: readonly string[],
  what: string,
  clause: string,
): KnownViolation<'unknown'> {
  const suggestion = nearMiss(given, allowed)
  const shown = cutText(given, 80)
  const fault = given === '' ? `"${name}" contains an empty name` : `"${shown}" ${what}`
  return {
    parameter: name,
    detail: `${fault}. ${didYouMean(suggestion, allowed)}`,
    code: 'unknown',
    params: { name: shown },
    clause,
    allowed,
    ...(suggestion === undefined ? {} : { suggestion }),
  }
}

/**
 * Adds the key to the sort terms, so that the order is total. The key has the direction of the last
 * term, so that an index can serve the order (QUERY-2).
 */
function withKey(terms: SortTerm[], key: readonly SortTerm[]): SortTerm[] {
  const descending = terms.at(-1)?.descending ?? false
  return [
    ...terms,
    ...key.filter(({ field }) => !terms.some((term) => term.field === field)).map((term) => ({ ...term, descending })),
  ]
}
