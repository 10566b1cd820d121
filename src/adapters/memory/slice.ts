/** Takes a page from a sorted list: at an offset, or next to a position (QUERY-4, QUERY-7). */
import type { ListRequest, Page, Stored } from '../contract.js'
import type { Entry, Row } from './entry.js'
import { firstIndex, firstOf, type Order } from './order.js'

/** A page with an exact total. */
export interface ExactPage<T> extends Page<T> {
  readonly items: readonly Stored<T>[]
  readonly total: number
}

/** A range of a list: `from` is included, `to` is not. */
export interface Range {
  readonly from: number
  readonly to: number
}

/**
 * Returns the requested page from a range of a sorted list. Calls `countExamined` for every record
 * that is examined to find the position.
 */
export function sliceOf(
  list: readonly Entry[],
  range: Range,
  order: Order,
  request: ListRequest,
  countExamined: () => void,
): ExactPage<Row> {
  const { from, to } = range
  const { seek, offset, size } = request
  const compareWith = seek && order.compareWith?.(seek.values)
  if (seek === undefined || compareWith === undefined) {
    const [start, end] = order.reversed ? [to - offset - size, to - offset] : [from + offset, from + offset + size]
    return pageOf(list, { from: start, to: end }, range, order, false)
  }
  const edge = (reached: (difference: number) => boolean): number => {
    const found = firstIndex(list, (entry) => {
      countExamined()
      return reached(compareWith(entry))
    })
    return Math.min(Math.max(found, from), to)
  }
  // `order.reversed`: the list is read from its end. `seek.backwards`: the page comes before the
  // position in reading order. If both are true, or neither is, the indexes of the page in the list
  // are higher than the index of the position.
  if (seek.backwards === order.reversed) {
    const start = edge((difference) => difference > 0)
    return pageOf(list, { from: start, to: start + size }, range, order, seek.backwards)
  }
  const end = edge((difference) => difference >= 0)
  return pageOf(list, { from: end - size, to: end }, range, order, seek.backwards)
}

function pageOf(
  list: readonly Entry[],
  page: Range,
  { from, to }: Range,
  order: Order,
  backwards: boolean,
): ExactPage<Row> {
  const { reversed, compareWith } = order
  const start = Math.max(from, page.from)
  const end = Math.min(to, page.to)
  const items = start < end ? list.slice(start, end).map((entry) => entry.stored) : []
  const more = reversed === backwards ? start < to && end < to : start > from && end > from
  return { items: reversed ? items.reverse() : items, total: to - from, more, seekable: compareWith !== undefined }
}

/**
 * Returns the requested page from records that are not sorted yet.
 */
export function sortedSlice(found: readonly Entry[], order: Order, request: ListRequest): ExactPage<Row> {
  const { seek, offset, size } = request
  const { compare, reversed } = order
  const total = found.length
  const compareWith = seek && order.compareWith?.(seek.values)
  if (seek === undefined || compareWith === undefined) {
    const items = firstOf(found, offset + size, reversed ? descending(compare) : compare).slice(offset)
    return {
      items: items.map((entry) => entry.stored),
      total,
      more: offset + size < total,
      seekable: order.compareWith !== undefined,
    }
  }
  const below = seek.backwards !== reversed
  const beyond = found.filter((entry) => (below ? compareWith(entry) < 0 : compareWith(entry) > 0))
  const items = firstOf(beyond, size, below ? descending(compare) : compare).map((entry) => entry.stored)
  return { items: seek.backwards ? items.reverse() : items, total, more: beyond.length > items.length, seekable: true }
}

const descending =
  (compare: Order['compare']): Order['compare'] =>
  (a, b) =>
    compare(b, a)
