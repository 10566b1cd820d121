/**
 * How the queries of a service differ from the conventions: other names of parameters, and what the
 * service did with unknown and repeated ones before (QUERY-4, QUERY-5, QUERY-8). What is left is a
 * query in the names of the conventions.
 */
import type { Legacy } from '../conventions/modes.js'
import type { ParameterNames } from '../conventions/parameters.js'
import type { QueryPair } from '../http/query-string.js'
import type { KnownViolation, Violation } from '../problem.js'
import { parameter } from '../wire.js'

/** What is to be told of a query: a clause, and the name of the parameter. */
export interface QueryNote {
  readonly clause: string
  readonly detail: string
}

/** How one request's query is read. */
export interface QueryTerms {
  readonly names: ParameterNames | undefined
  /** Unknown parameters are ignored, and of repeated ones this value is taken; `undefined`: both are refused (QUERY-8). */
  readonly repeated: 'first' | 'last' | undefined
  /** Whether that is told. */
  readonly tellsStrays: boolean
  /** The items that a page may have, where that is more than the maximum (QUERY-5). */
  readonly upTo: number | undefined
  /** Whether that is told. */
  readonly tellsSizes: boolean
  /** Equal for terms that read a query alike. */
  readonly key: string
}

/** The terms of a request: the names of the service, and what it did before with strays (QUERY-8) and with large pages (QUERY-5). */
export function queryTerms(
  names: ParameterNames | undefined,
  strays: Legacy<'QUERY-8'> | undefined,
  sizes: Legacy<'QUERY-5'> | undefined,
): QueryTerms | undefined {
  if (names === undefined && strays === undefined && sizes === undefined) return undefined
  const repeated = strays === undefined ? undefined : (strays.settings.repeated ?? 'first')
  const upTo = sizes?.settings.upTo
  const tellsStrays = strays?.counts === true
  const tellsSizes = sizes?.counts === true
  // No raw query has a space in it.
  return { names, repeated, tellsStrays, upTo, tellsSizes, key: ` ${repeated} ${tellsStrays} ${upTo} ${tellsSizes} ` }
}

/** Other names have no meaning where there are no lists and no items. */
export const withoutAliases = (terms: QueryTerms | undefined): QueryTerms | undefined =>
  terms?.names === undefined ? terms : { ...terms, names: { ...terms.names, aliases: new Map() } }

/** A query in the names of the conventions. */
export interface TranslatedQuery {
  readonly pairs: readonly QueryPair[]
  readonly found: readonly Violation[]
  readonly notes: readonly QueryNote[]
  /** The number of rows before the page, where the client sent that, and the name it used. */
  readonly rows: { readonly name: string; readonly text: string } | undefined
  /** The names that the client used, by the parameter's own name. */
  readonly sentAs: ReadonlyMap<string, string>
}

/** Notes of one query: a client must not fill a cache with them. */
const mostNotes = 20

/** What may stand in a query. */
export interface AllowedNames {
  readonly allowed: readonly string[]
  readonly many: (name: string) => boolean
  /** A hint may stand there, too. */
  readonly hinted: boolean
}

/** Translates the pairs of a query. What is still wrong is left for whoever reads them. */
export function translateQuery(given: readonly QueryPair[], terms: QueryTerms, { allowed, many, hinted }: AllowedNames): TranslatedQuery {
  const pairs: QueryPair[] = []
  const found: Violation[] = []
  const notes: QueryNote[] = []
  const sentAs = new Map<string, string>()
  /** The place of each parameter among `pairs`, by its own name. */
  const places = new Map<string, number>()
  const note = (clause: string, detail: string): void => {
    const isNew = notes.length < mostNotes && !notes.some((one) => one.clause === clause && one.detail === detail)
    if (isNew) notes.push({ clause, detail })
  }
  let rows: TranslatedQuery['rows']
  for (const [name, value] of given) {
    const isOwn = allowed.includes(name) || (hinted && name === parameter.after)
    const alias = isOwn ? undefined : terms.names?.aliases.get(name)
    const to = isOwn ? name : alias !== undefined && allowed.includes(alias.to) ? alias.to : undefined
    if (to === undefined) {
      if (terms.names?.isIgnored(name) === true) note('QUERY-8', name)
      else if (terms.repeated === undefined || name === parameter.after) pairs.push([name, value])
      else if (terms.tellsStrays) note('QUERY-8', name)
      continue
    }
    if (alias !== undefined) note(alias.clause, name)
    const place = places.get(to)
    if (place === undefined) {
      places.set(to, pairs.length)
      sentAs.set(to, name)
      pairs.push([to, value])
    } else if (sentAs.get(to) !== name) found.push(twoNames(name, sentAs.get(to) ?? to))
    else if (many(to) || terms.repeated === undefined) pairs.push([to, value])
    else {
      if (terms.tellsStrays) note('QUERY-8', name)
      if (terms.repeated === 'last') pairs[place] = [to, value]
    }
  }
  const at = places.get(parameter.page)
  const sent = sentAs.get(parameter.page)
  if (at !== undefined && sent !== undefined && terms.names?.aliases.get(sent)?.unit === 'rows' && sent !== parameter.page) {
    rows = { name: sent, text: pairs[at]?.[1] ?? '' }
  }
  return { pairs, found, notes, rows, sentAs }
}

const twoNames = (name: string, other: string): KnownViolation<'repeated'> => ({
  parameter: name,
  detail: `"${name}" and "${other}" stand for the same. Give one of them.`,
  code: 'repeated',
  params: { name },
  clause: 'QUERY-8',
})
