/**
 * A set of records by key, with a sorted list for each sort order that was recently requested. A
 * page can be a slice of such a list.
 */
import type { Entry, Identity } from './entry.js'
import { firstIndex, type Order } from './order.js'

/**
 * The maximum number of sort orders that a bucket keeps. The least recently used order is evicted.
 */
const maxOrders = 16

interface KeptOrder {
  readonly name: string
  readonly compare: Order['compare']
  readonly list: Entry[]
}

export class Bucket {
  /**
   * The entries by key. If a record changes, its new entry overwrites the old one in the map. A
   * `Set` would need a deletion for each change, and so many deletions would make the engine
   * rebuild the set again and again.
   */
  readonly #entries = new Map<Identity, Entry>()
  /** The kept sort orders, from the least to the most recently used. */
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
   * Returns all records, sorted by `order.compare`. The records are sorted on first use, and the
   * sorted list is kept up to date afterwards. The caller must not modify the list, and must not
   * use it after a write.
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
   * Replaces `entry` with `next`, which has the same key. In each sort order that the change does
   * not affect, `next` takes the index of `entry`.
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

/**
 * Returns the index of an entry, or the index at which to insert it. Every order includes the key,
 * so no two records compare as equal.
 */
function placeOf(entry: Entry, list: readonly Entry[], compare: Order['compare']): number {
  return firstIndex(list, (other) => compare(other, entry) >= 0)
}
