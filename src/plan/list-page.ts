/** Which page of a list a query means, and how large it is (QUERY-4, QUERY-5). */
import { checkPage } from '../definition/resolve-resource.js'
import type { PageOptions, ResourceDefinition } from '../definition/resource.js'
import type { Violation } from '../problem.js'
import { parameter } from '../wire.js'
import type { QueryNote, QueryTerms, TranslatedQuery } from './query-terms.js'
import { parseInteger } from './scalar-grammar.js'

/** What the resource says of pages, else the service, else the defaults; a default is never more than the maximum that someone did say. */
export function pageOf({ collection, page: own }: ResourceDefinition, service: PageOptions): Required<PageOptions> {
  // A larger default page without a maximum raises the maximum.
  const max = own.max ?? service.max ?? Math.max(100, own.size ?? service.size ?? 0)
  const page = { size: own.size ?? Math.min(service.size ?? 25, max), max, first: own.first ?? service.first ?? 1 }
  checkPage(`"${collection}"`, page)
  return page
}

/** What of a query says which page is meant. */
interface SentPage {
  readonly text: (name: string) => string | undefined
  readonly translated: TranslatedQuery | undefined
  readonly terms: QueryTerms | undefined
}

const noNotes: readonly QueryNote[] = Object.freeze([])

/** The page that is meant, from 1, and its size. What stands in the query as rows is a page of that size (QUERY-4). */
export function readPage(
  { first, max, size: usual }: Required<PageOptions>,
  { text, translated, terms }: SentPage,
  found: Violation[],
): { readonly page: number; readonly size: number; readonly notes: readonly QueryNote[] } {
  const sentAs = (name: string): string => translated?.sentAs.get(name) ?? name
  const limits = { clause: 'QUERY-5' as const, least: 1, most: Math.max(max, terms?.upTo ?? max) }
  const size = wholeNumber(sentAs(parameter.size), text(parameter.size), limits, found) ?? usual
  const told = translated?.notes ?? noNotes
  const notes = size > max && terms?.tellsSizes === true ? [...told, { clause: 'QUERY-5', detail: sentAs(parameter.size) }] : told
  const rows = translated?.rows
  if (rows !== undefined) return { page: pageOfRows(rows, size, found), size, notes }
  const pages = { clause: 'QUERY-4' as const, least: first, most: Number.MAX_SAFE_INTEGER }
  const number = wholeNumber(sentAs(parameter.page), text(parameter.page), pages, found) ?? first
  return { page: number - first + 1, size, notes }
}

/** The page that begins behind so many rows. There is none where they don't divide by its size. */
function pageOfRows({ name, text }: { readonly name: string; readonly text: string }, size: number, found: Violation[]): number {
  const rows = parseInteger(text)
  if (rows !== undefined && rows >= 0 && rows <= Number.MAX_SAFE_INTEGER && rows % size === 0) return rows / size + 1
  const detail = `"${name}" must be a whole number of rows from 0 that divides by ${size}, the rows of a page. Send "${parameter.page}", the number of the page, in its place.`
  found.push({ parameter: name, detail, code: 'multipleOf', params: { divisor: size }, clause: 'QUERY-4' })
  return 1
}

/** The bounds of a whole number, and the clause that sets them. */
interface Bounds {
  readonly clause: 'QUERY-4' | 'QUERY-5'
  readonly least: number
  readonly most: number
}

function wholeNumber(name: string, text: string | undefined, { clause, least, most }: Bounds, found: Violation[]): number | undefined {
  if (text === undefined) return undefined
  const value = parseInteger(text)
  if (value !== undefined && value >= least && value <= most) return value
  const isPage = clause === 'QUERY-4'
  const fix = isPage
    ? `a whole number from ${least}: it is the number of a page, and the first is ${least}`
    : `a whole number from ${least} to ${most}`
  found.push({
    parameter: name,
    detail: `"${name}" must be ${fix}.`,
    code: 'range',
    params: { minimum: least, ...(isPage ? {} : { maximum: most }) },
    clause,
  })
  return undefined
}
