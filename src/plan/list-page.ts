/** Reads the page number and size of a list query (QUERY-4, QUERY-5). */
import { checkPage } from '../definition/resolve-resource.js'
import type { PageOptions, ResourceDefinition } from '../definition/resource.js'
import type { Violation } from '../problem.js'
import { parameter } from '../wire.js'
import type { QueryNote, QueryRules, TranslatedQuery } from './query-rules.js'
import { parseInteger } from './scalar-grammar.js'

/**
 * Combines the page settings. A setting of the resource takes precedence over the service's
 * setting, which takes precedence over the default. A page size from the service or from the
 * default is limited to the maximum.
 */
export function pageOf({ collection, page: own }: ResourceDefinition, service: PageOptions): Required<PageOptions> {
  // If no maximum is set, the maximum is 100, or the page size if the page size is larger.
  const max = own.max ?? service.max ?? Math.max(100, own.size ?? service.size ?? 0)
  const page = { size: own.size ?? Math.min(service.size ?? 25, max), max, first: own.first ?? service.first ?? 1 }
  checkPage(`"${collection}"`, page)
  return page
}

/** The parts of a query that select the page. */
interface SentPage {
  readonly text: (name: string) => string | undefined
  readonly translated: TranslatedQuery | undefined
  readonly rules: QueryRules | undefined
}

const noNotes: readonly QueryNote[] = Object.freeze([])

/**
 * Reads the page number, counted from 1, and the page size. If the query contains a number of rows
 * to skip, the page number is computed from this number (QUERY-4).
 */
export function readPage(
  { first, max, size: usual }: Required<PageOptions>,
  { text, translated, rules }: SentPage,
  found: Violation[],
): { readonly page: number; readonly size: number; readonly notes: readonly QueryNote[] } {
  const sentAs = (name: string): string => translated?.sentAs.get(name) ?? name
  const limits = { clause: 'QUERY-5' as const, min: 1, max: Math.max(max, rules?.upTo ?? max) }
  const size = wholeNumber(sentAs(parameter.size), text(parameter.size), limits, found) ?? usual
  const given = translated?.notes ?? noNotes
  const notes =
    size > max && rules?.reportsSizes === true
      ? [...given, { clause: 'QUERY-5', detail: sentAs(parameter.size) }]
      : given
  const rows = translated?.rows
  if (rows !== undefined) return { page: pageOfRows(rows, size, found), size, notes }
  const pages = { clause: 'QUERY-4' as const, min: first, max: Number.MAX_SAFE_INTEGER }
  const number = wholeNumber(sentAs(parameter.page), text(parameter.page), pages, found) ?? first
  return { page: number - first + 1, size, notes }
}

/**
 * Returns the number of the page that begins after this number of rows. Adds a violation unless the
 * number of rows is a multiple of the page size.
 */
function pageOfRows(
  { name, text }: { readonly name: string; readonly text: string },
  size: number,
  found: Violation[],
): number {
  const rows = parseInteger(text)
  if (rows !== undefined && rows >= 0 && rows <= Number.MAX_SAFE_INTEGER && rows % size === 0) return rows / size + 1
  const detail =
    `"${name}" is a number of rows. It must be 0 or a multiple of the page size ${size}. ` +
    `Send the page number in "${parameter.page}" instead.`
  found.push({ parameter: name, detail, code: 'multipleOf', params: { divisor: size }, clause: 'QUERY-4' })
  return 1
}

/** The bounds of a whole number, and the clause that defines them. */
interface Bounds {
  readonly clause: 'QUERY-4' | 'QUERY-5'
  readonly min: number
  readonly max: number
}

function wholeNumber(
  name: string,
  text: string | undefined,
  { clause, min, max }: Bounds,
  found: Violation[],
): number | undefined {
  if (text === undefined) return undefined
  const value = parseInteger(text)
  if (value !== undefined && value >= min && value <= max) return value
  const isPage = clause === 'QUERY-4'
  const fix = isPage
    ? `a whole number from ${min}: it is a page number, and the first page is ${min}`
    : `a whole number from ${min} to ${max}`
  found.push({
    parameter: name,
    detail: `"${name}" must be ${fix}.`,
    code: 'range',
    params: { minimum: min, ...(isPage ? {} : { maximum: max }) },
    clause,
  })
  return undefined
}
