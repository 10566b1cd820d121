/**
 * Checks that walk through a list: they read its pages one after the other (QUERY-7). No item may
 * occur twice, no item may be missing, and the links in `Link` must lead through all pages.
 */
import { header, parameter } from '../../wire.js'
import type { ListCheck } from '../check.js'
import type { Exchange } from '../client/exchange.js'
import { itemsOf, type Listing, type Query, totalOf } from '../listing.js'
import { needsParameter } from '../listings.js'
import { breaks, breaksBy, holds, NotApplicable, type Outcome, Unchecked } from '../verdict.js'
import { totalCheck } from './pages.js'

/** The maximum number of pages that a walk reads. */
const maxPages = 12

/**
 * A page that a walk has read: the response, and the strings that identify the items, in the order
 * of the items.
 */
interface WalkedPage {
  readonly exchange: Exchange
  readonly ids: readonly string[]
}

export interface Walk {
  readonly pages: readonly WalkedPage[]
  /** Whether the walk has reached the end of the list. */
  readonly isWhole: boolean
}

/** A page size with which a walk reads several pages, but no more than `maxPages` if possible. */
export async function walkSize(list: Listing, query: Readonly<Record<string, string | number>> = {}): Promise<number> {
  const total = totalOf(await list.list({ ...query, [parameter.size]: 1 }))
  if (total === undefined) return 3
  return Math.max(1, Math.min(list.target.largest ?? 100, Math.ceil(total / (maxPages - 2))))
}

/** Reads pages by their numbers. Throws `Unchecked` if the total changes during the walk. */
export async function walkByNumber(
  list: Listing,
  size: number,
  query: Readonly<Record<string, string | number>> = {},
): Promise<Walk> {
  needsParameter(list, parameter.page)
  const numbered = (page: number): Query => ({
    ...query,
    [parameter.size]: size,
    [parameter.page]: page + list.target.first,
  })
  return walk(list, size, (page) => list.list(numbered(page)))
}

async function walk(
  list: Listing,
  size: number,
  read: (page: number, last: Exchange | undefined) => Promise<Exchange | undefined>,
): Promise<Walk> {
  const pages: WalkedPage[] = []
  for (let page = 0; page < maxPages; page++) {
    const exchange = await read(page, pages.at(-1)?.exchange)
    if (exchange === undefined) return { pages, isWhole: true }
    const ids = itemsOf(exchange).map((item) => list.identityOf(item))
    pages.push({ exchange, ids })
    const [first] = pages
    if (first !== undefined && totalOf(first.exchange) !== totalOf(exchange))
      throw new Unchecked('the list changed while it was read')
    const total = totalOf(exchange)
    if (ids.length < size || (total !== undefined && (page + 1) * size >= total)) return { pages, isWhole: true }
  }
  return { pages, isWhole: false }
}

/** Returns a violation if an item occurs twice in the walk. */
export function disjointness({ pages }: Walk): Outcome | undefined {
  const seen = new Map<string, WalkedPage>()
  for (const page of pages) {
    const here = new Set<string>()
    for (const id of page.ids) {
      const before = seen.get(id)
      const expected = 'each item once'
      if (here.has(id)) return breaksBy(repeats(0), expected, `item ${shown(id)} twice on one page`, page.exchange)
      if (before !== undefined)
        return breaksBy(repeats(1), expected, `item ${shown(id)} on two pages`, before.exchange, page.exchange)
      here.add(id)
    }
    for (const id of here) seen.set(id, page)
  }
  return undefined
}

const repeats = (other: number) => ({ kind: 'repeats', answers: [0, other] }) as const

const shown = (id: string): string => (id.length > 60 ? `${id.slice(0, 60)}...` : id)

/**
 * The URL of the link with the relation `rel` in the header field `Link` (RFC 8288). `undefined` if
 * there is no such link.
 */
function linkTo({ answer }: Exchange, rel: string): string | undefined {
  // URLs may contain commas, so the field can't be split at commas.
  for (const [, address, parameters = ''] of (answer.field(header.link) ?? '').matchAll(
    /<([^>]*)>((?:[^,"<]|"[^"]*")*)/g,
  )) {
    const [, quoted, plain] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;"]+))/i.exec(parameters) ?? []
    if (address !== undefined && (quoted ?? plain ?? '').toLowerCase().split(/\s+/).includes(rel)) return address
  }
  return undefined
}

/** Throws `Unchecked` if the list has fewer than two items, or if items can't be identified. */
async function needsItems(list: Listing): Promise<void> {
  if (list.target.key === undefined) throw new Unchecked('items cannot be identified. Give "key" in a target file')
  if ((await list.items()).length < 2) throw new Unchecked(`${list.path} has fewer than two items`)
}

export const walkChecks: readonly ListCheck[] = [
  {
    id: 'QUERY-7/walk-disjoint',
    needs: ['QUERY-4/first-page', 'QUERY-5/size'],
    rule: 'No item occurs twice, neither on one page nor on two pages.',
    why: 'If an item occurs twice, a client that reads all pages counts it twice, and may miss another item.',
    fix: 'Add the key as the last field of every sort, so that there are no ties.',
    async run(list) {
      await needsItems(list)
      return disjointness(await walkByNumber(list, await walkSize(list))) ?? holds
    },
  },
  totalCheck,
  {
    id: 'QUERY-7/walk-complete',
    needs: ['QUERY-4/first-page', 'QUERY-5/size', 'QUERY-7/walk-disjoint', 'QUERY-7/total'],
    rule: 'Small pages show the same items in the same order as large pages.',
    why: 'The items that a client finds must not depend on the page size.',
    fix:
      'Compute the first row of a page only from the page number and `limit`. Add the key as the last field of ' +
      'every sort.',
    async run(list) {
      await needsItems(list)
      const size = await walkSize(list)
      const small = await walkByNumber(list, size)
      const double = Math.min(list.target.largest ?? size * 2, size * 2)
      if (double <= size)
        throw new Unchecked(
          'the check already reads pages of the maximum size, so it cannot compare them with larger pages',
        )
      const large = await walkByNumber(list, double)
      return sameOrder(small, large) ?? holds
    },
  },
  {
    id: 'QUERY-7/link-walk',
    needs: ['QUERY-4/first-page', 'QUERY-5/size', 'QUERY-7/walk-disjoint', 'QUERY-7/total'],
    rule:
      '`Link` leads to the same pages as page numbers: `next` leads to the next page, and the last page ' +
      'has no `next`.',
    why: 'Generic clients follow only the link `next`.',
    fix: 'Send the links `first`, `prev`, `next` and `last`. Each URL repeats the query, and only `offest` differs.',
    async run(list) {
      await needsItems(list)
      const size = await walkSize(list)
      const numbered = await walkByNumber(list, size)
      const [start] = numbered.pages
      if (start === undefined || start.exchange.answer.field(header.link) === undefined)
        throw new NotApplicable('the list has no links to other pages')
      if (linkTo(start.exchange, 'prev') !== undefined)
        return breaks('no link "prev" on the first page', 'a link "prev"', start.exchange)
      return followed(list, numbered)
    },
  },
]

/**
 * Compares the items of two walks. If a walk has not reached the end of the list, only the items
 * that both walks have read are compared.
 */
function sameOrder(small: Walk, large: Walk): Outcome | undefined {
  const [few, many] = [small, large].map(({ pages }) => pages.flatMap(({ ids }) => ids))
  const length =
    small.isWhole && large.isWhole
      ? Math.max(few?.length ?? 0, many?.length ?? 0)
      : Math.min(few?.length ?? 0, many?.length ?? 0)
  for (let at = 0; at < length; at++) {
    if (few?.[at] === many?.[at]) continue
    const place = `item at position ${at + 1}`
    const [one, other] = [pageAt(small, at), pageAt(large, at)]
    const seen = `${few?.[at] ?? 'nothing'} in small pages, ${many?.[at] ?? 'nothing'} in large pages`
    return one === undefined || other === undefined ? undefined : breaks(`the same ${place}`, seen, one, other)
  }
  return undefined
}

function pageAt({ pages }: Walk, at: number): Exchange | undefined {
  let passed = 0
  for (const { exchange, ids } of pages) {
    passed += ids.length
    if (at < passed) return exchange
  }
  return pages.at(-1)?.exchange
}

/**
 * Follows the links `next` from the first page, and checks that they lead to the same items as the
 * page numbers.
 */
async function followed(list: Listing, { pages, isWhole }: Walk): Promise<Outcome> {
  let page = pages[0] as WalkedPage
  for (const wanted of pages.slice(1)) {
    const next = linkTo(page.exchange, 'next')
    if (next === undefined) {
      // The next page is empty, so no link to it is needed.
      if (wanted.ids.length === 0) break
      return breaks('a link "next", because there are more items', 'none', page.exchange, wanted.exchange)
    }
    const exchange = await list.service.client.send('GET', list.service.addressOf(next))
    if (exchange.answer.status !== 200)
      return breaks('200 at the link "next"', String(exchange.answer.status), page.exchange, exchange)
    const ids = itemsOf(exchange).map((item) => list.identityOf(item))
    if (ids.join() !== wanted.ids.join())
      return breaks(
        'at the link "next", the items of the page with the next number',
        'other items',
        page.exchange,
        exchange,
        wanted.exchange,
      )
    page = { exchange, ids }
  }
  const total = totalOf(page.exchange)
  const beyond = isWhole && total !== undefined ? linkTo(page.exchange, 'next') : undefined
  return beyond === undefined ? holds : breaks('no link "next" on the last page', beyond, page.exchange)
}
