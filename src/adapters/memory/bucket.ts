/** Records by their keys, with the orders in which they have been asked for: a page of them is a slice. */
import type { Entry, Identity } from './entry.js'
import { firstIndex, type Order } from './order.js'

/** How many orders of one bucket are kept; the one that was not used for longest goes. */
const maxOrders = 16

interface KeptOrder {
  readonly name: string
  readonly compare: Order['compare']
  readonly list: Entry[]
}

export class Bucket {
  /** By key, so that a record which has changed takes the place that it had: a set of them would be made anew again and again, for all that went. */
  readonly #entries = new Map<Identity, Entry>()
  /** From the least to the most recently used. */
  #orders: Map<string, KeptOrder> | undefined

  get size(): number {
    return this.#entries.size
  }

  /** In no order that means anything. */
  get entries(): Iterable<Entry> {
    return this.#entries.values()
  }

  get(id: Identity): Entry | undefined {
    return this.#entries.get(id)
  }

  has(entry: Entry): boolean {
    return this.#entries.get(entry.id) === entry
  }

  /** All records in this order, made on first use and kept up to date afterwards. Not to be changed, nor kept across a write. */
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

  /** Puts `next` in the place of `entry`, whose key it has; an order that the change does not touch only swaps the two. */
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

/** Every order ends with the key, so no two records stand at one place. */
function placeOf(entry: Entry, list: readonly Entry[], compare: Order['compare']): number {
  return firstIndex(list, (other) => compare(other, entry) >= 0)
}
