/**
 * Translates the queries of a service that deviates from the conventions (QUERY-4, QUERY-5,
 * QUERY-8). The service may have aliases of parameters. It may also treat unknown and repeated
 * parameters as it did before. The translated query has the names of the conventions.
 */
import type { Legacy } from '../conventions/modes.js'
import type { ParameterNames } from '../conventions/parameters.js'
import type { QueryPair } from '../http/query-string.js'
import type { KnownViolation, Violation } from '../problem.js'
import { parameter } from '../wire.js'

/** A finding about a query: the clause, and the name of the parameter. */
export interface QueryNote {
  readonly clause: string
  readonly detail: string
}

/** The rules for reading the query of a request. */
export interface QueryTerms {
  readonly names: ParameterNames | undefined
  /**
   * If set, unknown parameters are ignored, and the first or the last value of a repeated parameter
   * is used. If `undefined`, unknown and repeated parameters are refused (QUERY-8).
   */
  readonly repeated: 'first' | 'last' | undefined
  /** Whether ignored and repeated parameters are reported. */
  readonly reportsStrays: boolean
  /** The maximum page size, if it is larger than the maximum of the resource (QUERY-5). */
  readonly upTo: number | undefined
  /** Whether a page size above the maximum of the resource is reported. */
  readonly reportsSizes: boolean
  /** A text that is equal for terms with the same effect. It is part of cache keys. */
  readonly key: string
}

/**
 * Returns the terms of a request: the service's parameter names, and its legacy treatment of
 * unknown parameters (QUERY-8) and large pages (QUERY-5).
 */
export function queryTerms(
  names: ParameterNames | undefined,
  strays: Legacy<'QUERY-8'> | undefined,
  sizes: Legacy<'QUERY-5'> | undefined,
): QueryTerms | undefined {
  if (names === undefined && strays === undefined && sizes === undefined) return undefined
  const repeated = strays === undefined ? undefined : (strays.settings.repeated ?? 'first')
  const upTo = sizes?.settings.upTo
  const reportsStrays = strays?.counts === true
  const reportsSizes = sizes?.counts === true
  // A cache key is this text followed by the raw query. No raw query contains a space, so the end
  // of this text is unambiguous.
  return {
    names,
    repeated,
    reportsStrays,
    upTo,
    reportsSizes,
    key: ` ${repeated} ${reportsStrays} ${upTo} ${reportsSizes} `,
  }
}

/**
 * Returns the terms without aliases, because aliases apply only to the queries of list pages and
 * items.
 */
export const withoutAliases = (terms: QueryTerms | undefined): QueryTerms | undefined =>
  terms?.names === undefined ? terms : { ...terms, names: { ...terms.names, aliases: new Map() } }

/** A query that uses the names of the conventions. */
export interface TranslatedQuery {
  readonly pairs: readonly QueryPair[]
  readonly found: readonly Violation[]
  readonly notes: readonly QueryNote[]
  /**
   * The number of rows before the page, as text, and the name of its parameter. Set only if the
   * client sent a number of rows instead of a page number.
   */
  readonly rows: { readonly name: string; readonly text: string } | undefined
  /** The names that the client used, by the names of the conventions. */
  readonly sentAs: ReadonlyMap<string, string>
}

/** Maximum number of notes about one query. Without it, a client could fill a cache with notes. */
const maxNotes = 20

/** The parameters that a query may have. */
export interface AllowedNames {
  readonly allowed: readonly string[]
  readonly many: (name: string) => boolean
  /** Whether a pagination hint is allowed. */
  readonly hinted: boolean
}

/**
 * Translates the parameters of a query. Unknown and repeated parameters that are not tolerated stay
 * in the result, so that the caller reports them.
 */
export function translateQuery(
  given: readonly QueryPair[],
  terms: QueryTerms,
  { allowed, many, hinted }: AllowedNames,
): TranslatedQuery {
  const pairs: QueryPair[] = []
  const found: Violation[] = []
  const notes: QueryNote[] = []
  const sentAs = new Map<string, string>()
  /** The index of each parameter in `pairs`, by its name in the conventions. */
  const places = new Map<string, number>()
  const note = (clause: string, detail: string): void => {
    const isNew = notes.length < maxNotes && !notes.some((one) => one.clause === clause && one.detail === detail)
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
      else if (terms.reportsStrays) note('QUERY-8', name)
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
      if (terms.reportsStrays) note('QUERY-8', name)
      if (terms.repeated === 'last') pairs[place] = [to, value]
    }
  }
  const at = places.get(parameter.page)
  const sent = sentAs.get(parameter.page)
  if (
    at !== undefined &&
    sent !== undefined &&
    terms.names?.aliases.get(sent)?.unit === 'rows' &&
    sent !== parameter.page
  ) {
    rows = { name: sent, text: pairs[at]?.[1] ?? '' }
  }
  return { pairs, found, notes, rows, sentAs }
}

const twoNames = (name: string, other: string): KnownViolation<'repeated'> => ({
  parameter: name,
  detail: `"${name}" and "${other}" are the same parameter. Give one of them.`,
  code: 'repeated',
  params: { name },
  clause: 'QUERY-8',
})
