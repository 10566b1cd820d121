/** A page as a slice of an ordered list: at its offset, or next to a place (QUERY-4, QUERY-7). */
import type { ListRequest, Page, Stored } from '../contract.js'
import type { Entry, Row } from './entry.js'
import { firstIndex, firstOf, type Order } from './order.js'

/** A page whose total is counted. */
export interface ExactPage<T> extends Page<T> {
  readonly items: readonly Stored<T>[]
  readonly total: number
}

/** A part of a list. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** The page of a stretch of a list in the order that is kept. `look` is called for every record looked at on the way to a place. */
export function sliceOf(
  list: readonly Entry[],
  stretch: Stretch,
  order: Order,
  request: ListRequest,
  look: () => void,
): ExactPage<Row> {
  const { from, to } = stretch
  const { seek, offset, size } = request
  const beside = seek && order.beside?.(seek.values)
  if (seek === undefined || beside === undefined) {
    const [start, end] = order.reversed ? [to - offset - size, to - offset] : [from + offset, from + offset + size]
    return pageOf(list, { from: start, to: end }, stretch, order, false)
  }
  const edge = (reached: (difference: number) => boolean): number => {
    const found = firstIndex(list, (entry) => {
      look()
      return reached(beside(entry))
    })
    return Math.min(Math.max(found, from), to)
  }
  // An order that is read from its end has what follows a place before it.
  if (seek.backwards === order.reversed) {
    const start = edge((difference) => difference > 0)
    return pageOf(list, { from: start, to: start + size }, stretch, order, seek.backwards)
  }
  const end = edge((difference) => difference >= 0)
  return pageOf(list, { from: end - size, to: end }, stretch, order, seek.backwards)
}

function pageOf(
  list: readonly Entry[],
  page: Stretch,
  { from, to }: Stretch,
  order: Order,
  backwards: boolean,
): ExactPage<Row> {
  const { reversed, beside } = order
  const start = Math.max(from, page.from)
  const end = Math.min(to, page.to)
  const items = start < end ? list.slice(start, end).map((entry) => entry.stored) : []
  const more = reversed === backwards ? start < to && end < to : start > from && end > from
  return { items: reversed ? items.reverse() : items, total: to - from, more, seekable: beside !== undefined }
}

/** The page of records in no order: no more of them are put in order than it takes. */
export function sortedSlice(found: readonly Entry[], order: Order, request: ListRequest): ExactPage<Row> {
  const { seek, offset, size } = request
  const { compare, reversed } = order
  const total = found.length
  const beside = seek && order.beside?.(seek.values)
  if (seek === undefined || beside === undefined) {
    const items = firstOf(found, offset + size, reversed ? descending(compare) : compare).slice(offset)
    return {
      items: items.map((entry) => entry.stored),
      total,
      more: offset + size < total,
      seekable: order.beside !== undefined,
    }
  }
  const below = seek.backwards !== reversed
  const beyond = found.filter((entry) => (below ? beside(entry) < 0 : beside(entry) > 0))
  const items = firstOf(beyond, size, below ? descending(compare) : compare).map((entry) => entry.stored)
  return { items: seek.backwards ? items.reverse() : items, total, more: beyond.length > items.length, seekable: true }
}

const descending =
  (compare: Order['compare']): Order['compare'] =>
  (a, b) =>
    compare(b, a)
