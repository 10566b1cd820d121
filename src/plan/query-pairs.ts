/** Reads the parameters of a query by name, and reports unknown names (QUERY-8). */

import { cutText } from '../cut-text.js'
import { parseQueryString, type QueryPair } from '../http/query-string.js'
import { didYouMean, nearMiss } from '../near-miss.js'
import { HttpProblem, type KnownViolation, type Violation } from '../problem.js'
import { parameter } from '../wire.js'
import {
  type AllowedNames,
  type QueryNote,
  type QueryRules,
  type TranslatedQuery,
  translateQuery,
} from './query-rules.js'
import { maxQueryViolations, summaryOf } from './refusal.js'
import { directionRule, isSortDirection } from './sort-direction.js'

/**
 * Maximum length of a decoded value. This equals Node's default limit for the request line and
 * header fields, so only a service with a larger `maxHeaderSize` can receive a longer value.
 */
export const longestValue = 16_384

/** Maximum number of values of one parameter. A query of 16 KiB can't contain more values. */
export const maxValues = 8_192

export interface QueryPairs {
  /** The parameters in the order of the query, under the names of the conventions. */
  readonly pairs: readonly QueryPair[]
  /** The values of known parameters, by name. */
  readonly seen: ReadonlyMap<string, readonly string[]>
  /** The violations found so far. Callers add more. */
  readonly found: Violation[]
  /**
   * The translation of the query to the names of the conventions. `undefined` if the service does
   * not deviate from the conventions.
   */
  readonly translated: TranslatedQuery | undefined
}

/**
 * Reads the parameters of a query, and adds the violations to `found`. The name of each parameter
 * must be in `allowed`. A parameter must not be repeated, unless `many` returns true for its name.
 * If `hasCursor` is true, the cursor parameter `after` is also allowed. Its name is not in
 * `allowed`, because clients do not write cursors themselves (QUERY-7). `rules` describes how the
 * service deviates from the conventions.
 */
export function readPairs(raw: string, names: AllowedNames, rules?: QueryRules): QueryPairs {
  const { allowed, many, hasCursor } = names
  const parsed = parseQueryString(raw)
  const translated = rules === undefined ? undefined : translateQuery(parsed.pairs, rules, names)
  const { pairs } = translated ?? parsed
  const found: Violation[] = parsed.malformed.slice(0, maxQueryViolations).map(undecodable)
  if (translated !== undefined) found.push(...translated.found.slice(0, maxQueryViolations - found.length))
  const seen = new Map<string, string[]>()
  const strays = new Set<string>()
  for (const [name, value] of pairs) {
    if (found.length >= maxQueryViolations) break
    const values = seen.get(name)
    if (!allowed.includes(name) && !(hasCursor && name === parameter.after)) {
      if (!strays.has(name)) found.push(unknownParameter(name, value, allowed))
      strays.add(name)
    } else if (value.length > longestValue && name !== parameter.after) found.push(tooLong(name))
    else if (values === undefined) seen.set(name, [value])
    else if (values.length >= maxValues) {
      found.push(tooMany(name))
      break
    } else if (many(name)) values.push(value)
    else
      found.push({
        parameter: name,
        detail: `"${name}" is given more than once. Give it once.`,
        code: 'repeated',
        params: { name },
        clause: 'QUERY-1',
      })
  }
  return { pairs, seen, found, translated }
}

/** Throws the `invalid-query` problem if there are violations (QUERY-8). */
export function refuse(found: readonly Violation[]): void {
  if (found.length === 0) return
  throw new HttpProblem('invalid-query', { detail: summaryOf(found), errors: found })
}

/**
 * Throws the `invalid-query` problem if the query has a parameter, unless `rules` ignores the
 * parameter (QUERY-8). Returns notes about ignored parameters.
 */
export function refuseQuery(raw: string, rules?: QueryRules): readonly QueryNote[] | undefined {
  if (raw === '') return undefined
  const { found, translated } = readPairs(raw, noNames, rules)
  refuse(found)
  return translated?.notes
}

/** Allows each of these parameters once, and no cursor. */
export const onceEach = (allowed: readonly string[]): AllowedNames => ({ allowed, many: () => false, hasCursor: false })

const noNames = onceEach([])

const undecodable = (text: string): KnownViolation<'encoding'> => ({
  parameter: text,
  detail: `"${text}" can't be decoded. Percent-encode the parameter as UTF-8.`,
  code: 'encoding',
  clause: 'QUERY-8',
})

const tooLong = (name: string): KnownViolation<'maxLength'> => ({
  parameter: name,
  detail: `"${name}" has more than ${longestValue} characters. Send a shorter value.`,
  code: 'maxLength',
  params: { limit: longestValue },
  clause: 'QUERY-8',
})

const tooMany = (name: string): KnownViolation<'maxItems'> => ({
  parameter: name,
  detail: `"${name}" has more than ${maxValues} values. Send fewer.`,
  code: 'maxItems',
  params: { limit: maxValues },
  clause: 'QUERY-8',
})

/**
 * The violation for a cursor that does not match its query. Either the cursor is from another
 * query, or it is garbled, or the request accepts no cursors (QUERY-7).
 */
export const misfitCursor: KnownViolation<'hint'> = Object.freeze({
  parameter: parameter.after,
  detail:
    `"${parameter.after}" does not match this query: copy it unchanged from a Link of the same query, or ` +
    'leave it out.',
  code: 'hint',
  clause: 'QUERY-7',
})

/**
 * Names that other APIs use for the parameters of a list. The names are written in lower case, and
 * without `_` and `-`.
 */
const synonyms = new Map<string, string>([
  ...['page', 'pageno', 'pagenumber', 'pageindex', 'offset'].map((name) => [name, parameter.page] as const),
  ...['size', 'pagesize', 'perpage', 'count', 'top'].map((name) => [name, parameter.size] as const),
  ...['search', 'query', 'text', 'fulltext'].map((name) => [name, parameter.search] as const),
  ...['order', 'orderby', 'sortby', 'sorting'].map((name) => [name, parameter.sort] as const),
  ...['include', 'embed', 'populate'].map((name) => [name, parameter.expand] as const),
])

/** Returns the parameter of the conventions that other APIs call by this name. */
export const synonymOf = (name: string): string | undefined =>
  name.length > 64 ? undefined : synonyms.get(name.toLowerCase().replace(/[_-]/g, ''))

/**
 * Returns the parameter that the client probably meant. This is the parameter that other APIs call
 * by this name, or otherwise the parameter with the closest spelling.
 */
function likelyParameter(name: string, allowed: readonly string[]): string | undefined {
  const known = synonymOf(name)
  return known !== undefined && allowed.includes(known) ? known : nearMiss(name, allowed)
}

function unknownParameter(name: string, value: string, allowed: readonly string[]): KnownViolation {
  if (name === parameter.after) return misfitCursor
  const shown = cutText(name, 80)
  const isDirection = allowed.includes(parameter.sort) && isSortDirection(value)
  const suggestion = isDirection ? parameter.sort : likelyParameter(name, allowed)
  const fix = allowed.length === 0 ? 'This request takes no parameters.' : didYouMean(suggestion, allowed)
  return {
    parameter: shown,
    detail: `"${shown}" is not a parameter here. ${isDirection ? `${directionRule} in "${parameter.sort}".` : fix}`,
    code: 'unknown',
    params: { name: shown },
    clause: 'QUERY-8',
    allowed,
    ...(suggestion === undefined ? {} : { suggestion }),
  }
}
