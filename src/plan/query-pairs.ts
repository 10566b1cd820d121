/** The parameters of a query by name, and what is wrong with the names (QUERY-8). */

import { parseQueryString, type QueryPair } from '../http/query-string.js'
import { didYouMean, nearMiss } from '../near-miss.js'
import { HttpProblem, type KnownViolation, type Violation } from '../problem.js'
import { parameter } from '../wire.js'
import { type AllowedNames, type QueryNote, type QueryTerms, type TranslatedQuery, translateQuery } from './query-terms.js'
import { mostQueryViolations, summaryOf } from './refusal.js'

/** Characters of a value, decoded: as many as Node takes of request line and fields by default, so only a service with a greater `maxHeaderSize` meets this limit. */
export const longestValue = 16_384

/** Values of one parameter: as many as fit into the 16 KiB. */
export const mostValues = 8_192

export interface QueryPairs {
  /** As they came, repeats among them. */
  readonly pairs: readonly QueryPair[]
  /** The values of known parameters. */
  readonly seen: ReadonlyMap<string, readonly string[]>
  /** What is wrong so far; for more of it. */
  readonly found: Violation[]
  /** How the query was put in the names of the conventions, where the service has other terms. */
  readonly translated: TranslatedQuery | undefined
}

/**
 * The parameters of a query whose names are allowed, each once unless `many` says otherwise; the violations of the others are in `found`. `hinted` lets the hint of a
 * pagination link pass too: it is not among the allowed, since nobody writes one (QUERY-7). `terms`: how the service differs from the conventions.
 */
export function readPairs(raw: string, names: AllowedNames, terms?: QueryTerms): QueryPairs {
  const { allowed, many, hinted } = names
  const parsed = parseQueryString(raw)
  const translated = terms === undefined ? undefined : translateQuery(parsed.pairs, terms, names)
  const { pairs } = translated ?? parsed
  const found: Violation[] = parsed.malformed.slice(0, mostQueryViolations).map(undecodable)
  if (translated !== undefined) found.push(...translated.found.slice(0, mostQueryViolations - found.length))
  const seen = new Map<string, string[]>()
  const strays = new Set<string>()
  for (const [name, value] of pairs) {
    if (found.length >= mostQueryViolations) break
    const values = seen.get(name)
    if (!allowed.includes(name) && !(hinted && name === parameter.after)) {
      if (!strays.has(name)) found.push(unknownParameter(name, allowed))
      strays.add(name)
    } else if (value.length > longestValue && name !== parameter.after) found.push(tooLong(name))
    else if (values === undefined) seen.set(name, [value])
    else if (values.length >= mostValues) {
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

/** Throws the `invalid-query` problem where something was found (QUERY-8). */
export function refuse(found: readonly Violation[]): void {
  if (found.length === 0) return
  throw new HttpProblem('invalid-query', { detail: summaryOf(found), errors: found })
}

/** Throws the `invalid-query` problem where there is any parameter: what takes none says so (QUERY-8). Returns what is to be told of those that are ignored. */
export function refuseQuery(raw: string, terms?: QueryTerms): readonly QueryNote[] | undefined {
  if (raw === '') return undefined
  const { found, translated } = readPairs(raw, noNames, terms)
  refuse(found)
  return translated?.notes
}

/** The parameters of a request that takes each once, and no hint. */
export const onceEach = (allowed: readonly string[]): AllowedNames => ({ allowed, many: () => false, hinted: false })

const noNames = onceEach([])

const undecodable = (text: string): KnownViolation<'encoding'> => ({
  parameter: text,
  detail: `"${text}" can not be decoded: percent-encode the parameter as UTF-8.`,
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
  detail: `"${name}" has more than ${mostValues} values. Send fewer.`,
  code: 'maxItems',
  params: { limit: mostValues },
  clause: 'QUERY-8',
})

/** A hint that does not fit its query: that of another one, a garbled one, or one where none is followed (QUERY-7). */
export const misfitHint: KnownViolation<'hint'> = Object.freeze({
  parameter: parameter.after,
  detail: `"${parameter.after}" does not fit this query: take it whole from a Link of the same query, or leave it out.`,
  code: 'hint',
  clause: 'QUERY-7',
})

/** Names that other interfaces give to the parameters of a list, without `_`, `-` and case. */
const synonyms = new Map<string, string>([
  ...['page', 'pageno', 'pagenumber', 'pageindex', 'offset'].map((name) => [name, parameter.page] as const),
  ...['size', 'pagesize', 'perpage', 'count', 'top'].map((name) => [name, parameter.size] as const),
  ...['search', 'query', 'text', 'fulltext'].map((name) => [name, parameter.search] as const),
  ...['order', 'orderby', 'sortby', 'sorting'].map((name) => [name, parameter.sort] as const),
  ...['include', 'embed', 'populate'].map((name) => [name, parameter.expand] as const),
])

/** The parameter of ours that others call so. */
export const synonymOf = (name: string): string | undefined =>
  name.length > 64 ? undefined : synonyms.get(name.toLowerCase().replace(/[_-]/g, ''))

/** The parameter that was probably meant: another interface's name for it, or the nearest spelling. */
function meant(name: string, allowed: readonly string[]): string | undefined {
  const known = synonymOf(name)
  return known !== undefined && allowed.includes(known) ? known : nearMiss(name, allowed)
}

function unknownParameter(name: string, allowed: readonly string[]): KnownViolation {
  if (name === parameter.after) return misfitHint
  const shown = name.length > 80 ? `${name.slice(0, 80)}...` : name
  const suggestion = meant(name, allowed)
  return {
    parameter: shown,
    detail: `"${shown}" is no parameter here. ${allowed.length === 0 ? 'This request takes no parameters.' : didYouMean(suggestion, allowed)}`,
    code: 'unknown',
    params: { name: shown },
    clause: 'QUERY-8',
    allowed,
    ...(suggestion === undefined ? {} : { suggestion }),
  }
}
