/**
 * Records by key, with the sort orders that have been requested. A page of a sort order is a slice.
 */
import type { Entry, Identity } from './entry.js'
import { firstIndex, type Order } from './order.js'

/** The number of sort orders kept per bucket. The least recently used one is evicted. */
const maxOrders = 16

interface KeptOrder {
  readonly name: string
  readonly compare: Order['compare']
  readonly list: Entry[]
}

export class Bucket {
  /**
   * The entries by key, so that a changed record keeps its place in the map. A `Set` would have to
   * be rebuilt again and again because of its deleted entries.
   */
  readonly #entries = new Map<Identity, Entry>()
  /** The kept orders, from the least to the most recently used. */
  #orders: Map<string, KeptOrder> | undefined

  get size(): number {
    return this.#entries.size
  }

  /** The records in no particular order. */
  get entries(): Iterable<Entry> {
    return this.#entries.values()
  }

  get(id: Identity): Entry | undefined {
    return this.#entries.get(id)
  }

  has(entry: Entry): boolean {
    return this.#entries.get(entry.id) === entry
  }

  /**
   * All records in this order, sorted on first use and kept up to date afterwards. Must not be
   * modified, nor used after a write.
   */
  inOrder(order: Order): readonly Entry[] {
    this.#orders ??= new Map()
    let kept = this.#orders.get(order.name)
    if (kept === undefined) {
      kept = { name: order.name, compare: order.compare, list: [...this.#entries.values()].sort(order.compare) }
      if (this.#orders.size >= maxOrders) this.#orders.delete(this.#orders.keys().next().value as string)
    } else this.#orders.delete(order.name)
    this.#orders.set(order.name, kept)
    return kept.list
  }

  add(entry: Entry): void {
    this.#entries.set(entry.id, entry)
    if (this.#orders === undefined) return
    for (const { compare, list } of this.#orders.values()) list.splice(placeOf(entry, list, compare), 0, entry)
  }

  delete(entry: Entry): void {
    if (!this.has(entry)) return
    this.#entries.delete(entry.id)
    if (this.#orders === undefined) return
    for (const { compare, list } of this.#orders.values()) list.splice(placeOf(entry, list, compare), 1)
  }

  /**
   * Replaces `entry` with `next`, which has the same key. A sort order that the change does not
   * affect only swaps the two.
   */
  replace(entry: Entry, next: Entry): void {
    this.#entries.set(next.id, next)
    if (this.#orders === undefined) return
    for (const { compare, list } of this.#orders.values()) {
      const place = placeOf(entry, list, compare)
      if (compare(entry, next) === 0) list[place] = next
      else {
        list.splice(place, 1)
        list.splice(placeOf(next, list, compare), 0, next)
      }
    }
  }
}

/** The index of an entry. Every order ends with the key, so no two records have the same index. */
function placeOf(entry: Entry, list: readonly Entry[], compare: Order['compare']): number {
  return firstIndex(list, (other) => compare(other, entry) >= 0)
}
