/**
 * Translates the queries of a service that deviates from the conventions (QUERY-4, QUERY-5,
 * QUERY-8). The service may have aliases of parameters. It may also treat unknown and repeated
 * parameters as it did before it adopted the conventions. The translated query uses the parameter
 * names of the conventions.
 */
import type { Legacy } from '../conventions/modes.js'
import type { ParameterNames } from '../conventions/parameters.js'
import type { QueryPair } from '../http/query-string.js'
import type { KnownViolation, Violation } from '../problem.js'
import { parameter } from '../wire.js'

/** A finding about a query: the clause of the conventions, and the name of the parameter. */
export interface QueryNote {
  readonly clause: string
  readonly detail: string
}

/** The rules for reading the query of a request. */
export interface QueryRules {
  readonly names: ParameterNames | undefined
  /**
   * If set, unknown parameters except `after` are ignored, and the first or the last value of a
   * repeated parameter is used. If `undefined`, unknown and repeated parameters are refused
   * (QUERY-8).
   */
  readonly repeated: 'first' | 'last' | undefined
  /**
   * Whether unknown and repeated parameters are reported if `repeated` allows them. Parameters that
   * `names` ignores are always reported.
   */
  readonly reportsUnknown: boolean
  /** The maximum page size, if it is larger than the maximum of the resource (QUERY-5). */
  readonly upTo: number | undefined
  /** Whether a page size above the maximum of the resource is reported. */
  readonly reportsSizes: boolean
  /**
   * The part of a cache key that identifies these rules. It does not contain `names`, because all
   * queries in one cache are read with the same names.
   */
  readonly key: string
}

/**
 * Returns the rules for the query of a request: the service's parameter names, and its legacy
 * treatment of unknown parameters (QUERY-8) and large pages (QUERY-5). Returns `undefined` if the
 * service does not deviate from the conventions.
 */
export function queryRules(
  names: ParameterNames | undefined,
  strays: Legacy<'QUERY-8'> | undefined,
  sizes: Legacy<'QUERY-5'> | undefined,
): QueryRules | undefined {
  if (names === undefined && strays === undefined && sizes === undefined) return undefined
  const repeated = strays === undefined ? undefined : (strays.settings.repeated ?? 'first')
  const upTo = sizes?.settings.upTo
  const reportsUnknown = strays?.counts === true
  const reportsSizes = sizes?.counts === true
  // A cache key is this string followed by the raw query. This string ends with a space, and no raw
  // query contains a space, so the end of this string is unambiguous.
  return {
    names,
    repeated,
    reportsUnknown,
    upTo,
    reportsSizes,
    key: ` ${repeated} ${reportsUnknown} ${upTo} ${reportsSizes} `,
  }
}

/**
 * Returns the rules for queries other than those of list pages and items. These rules have no
 * aliases.
 */
export const withoutAliases = (rules: QueryRules | undefined): QueryRules | undefined =>
  rules?.names === undefined ? rules : { ...rules, names: { ...rules.names, aliases: new Map() } }

/** A query that uses the names of the conventions. */
export interface TranslatedQuery {
  readonly pairs: readonly QueryPair[]
  readonly found: readonly Violation[]
  readonly notes: readonly QueryNote[]
  /**
   * The number of rows before the page, as a string, and the name of the parameter with this
   * number. Set only if the client sent a number of rows, such as `offset=50`, instead of a page
   * number.
   */
  readonly rows: { readonly name: string; readonly text: string } | undefined
  /** Maps each parameter's name in the conventions to the name that the client used. */
  readonly sentAs: ReadonlyMap<string, string>
}

/**
 * Maximum number of findings about one query. Without this limit, a client could fill a cache with
 * findings.
 */
const maxNotes = 20

/** The parameters that a query may have. */
export interface AllowedNames {
  readonly allowed: readonly string[]
  readonly many: (name: string) => boolean
  /** Whether the cursor parameter `after` is allowed. */
  readonly hasCursor: boolean
}

/**
 * Translates the parameters of a query. If unknown or repeated parameters are not tolerated, they
 * stay in the result, so that the caller can report them. An `after` that is not allowed stays in
 * the result, unless `names` ignores it. If a query uses two names of one parameter, the result has
 * a violation.
 */
export function translateQuery(
  given: readonly QueryPair[],
  rules: QueryRules,
  { allowed, many, hasCursor }: AllowedNames,
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
    const isOwn = allowed.includes(name) || (hasCursor && name === parameter.after)
    const alias = isOwn ? undefined : rules.names?.aliases.get(name)
    const to = isOwn ? name : alias !== undefined && allowed.includes(alias.to) ? alias.to : undefined
    if (to === undefined) {
      if (rules.names?.isIgnored(name) === true) note('QUERY-8', name)
      else if (rules.repeated === undefined || name === parameter.after) pairs.push([name, value])
      else if (rules.reportsUnknown) note('QUERY-8', name)
      continue
    }
    if (alias !== undefined) note(alias.clause, name)
    const place = places.get(to)
    if (place === undefined) {
      places.set(to, pairs.length)
      sentAs.set(to, name)
      pairs.push([to, value])
    } else if (sentAs.get(to) !== name) found.push(twoNames(name, sentAs.get(to) ?? to))
    else if (many(to) || rules.repeated === undefined) pairs.push([to, value])
    else {
      if (rules.reportsUnknown) note('QUERY-8', name)
      if (rules.repeated === 'last') pairs[place] = [to, value]
    }
  }
  const at = places.get(parameter.page)
  const sent = sentAs.get(parameter.page)
  if (
    at !== undefined &&
    sent !== undefined &&
    rules.names?.aliases.get(sent)?.unit === 'rows' &&
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
