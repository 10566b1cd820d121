/**
 * Assigns values to members of the key. Numeric members get consecutive whole numbers, and string
 * members get random UUIDs. If a key also has members that get no numbers, each combination of
 * their values has its own count. Within one count, no number is assigned twice. The store assigns
 * values to the members that the definition names in `assigned`. It also assigns values to
 * `readOnly` members of the key, because clients must not set them. In a database table, such a
 * member would be an identity column, or a column with a default. The store assigns no values to
 * booleans, or to `readOnly` members that hold the parent's key.
 */

import { randomUUID } from 'node:crypto'
import { put } from '../../definition/json.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import { valueFormat } from '../../definition/value-formats.js'
import { ConfigurationError } from '../../problem.js'
import type { Row } from './entry.js'

interface Counter {
  last: number
  /** Numbers above `last` that clients have used. The counter will skip them. */
  readonly ahead: Set<number>
}

export class KeyAssignment {
  readonly #texts: readonly string[]
  readonly #numbers: readonly string[]
  /** The numeric members that are stored as strings (formats `int64` and `decimal`). */
  readonly #asTexts: ReadonlySet<string>
  /**
   * The members of the key that get no numbers.
   */
  readonly #uncounted: readonly string[]
  /**
   * The counters of the numeric members. Each combination of values of the members in `#uncounted`
   * has counters of its own. A number is not assigned again after its record is deleted.
   */
  readonly #counters = new Map<string, Counter>()
  #loaded = false

  /** Throws `ConfigurationError` if an assigned member can be a boolean. */
  constructor({ collection, key, assigned, shape, parent }: ResourceDefinition) {
    const types = (member: string): ReadonlySet<string> => shape.members.get(member)?.types ?? new Set()
    const isNumber = (member: string): boolean => types(member).has('integer') || types(member).has('number')
    const isServerSet = (member: string): boolean =>
      shape.members.get(member)?.readOnly === true && !types(member).has('boolean')
    const members = key.members.filter(
      (member) => assigned.has(member) || (isServerSet(member) && parent?.by.includes(member) !== true),
    )
    for (const member of members) {
      if (types(member).has('boolean')) {
        throw new ConfigurationError(
          'unsuitable-member',
          `"${collection}" lets the store assign "${member}", a boolean. The store can assign only numbers and ` +
            'strings. Name only members of these types in the option "assigned".',
        )
      }
    }
    this.#asTexts = new Set(members.filter((member) => valueFormat(shape.members.get(member))?.isNumber))
    this.#numbers = members.filter((member) => isNumber(member) || this.#asTexts.has(member))
    this.#texts = members.filter((member) => !this.#numbers.includes(member))
    this.#uncounted = key.members.filter((member) => !this.#numbers.includes(member))
  }

  /**
   * Sets the missing members of the key. If no number is left for a member, returns the member's
   * name.
   */
  assign(row: Record<string, unknown>): string | undefined {
    for (const member of this.#texts) if (isMissing(row, member)) put(row, member, randomUUID())
    for (const member of this.#numbers) {
      if (!isMissing(row, member)) continue
      const counter = this.#counterOf(member, row)
      const next = counter.last + 1
      if (!Number.isSafeInteger(next)) return member
      put(row, member, this.#asTexts.has(member) ? String(next) : next)
    }
    return undefined
  }

  /** Updates the counters with the numbers of a stored record. */
  observe(row: Row): void {
    for (const member of this.#numbers) {
      const counter = this.#counterOf(member, row)
      const number = Math.floor(Number(row[member]))
      // A string may hold a number that is too large for the counter. Such a number can't collide
      // with an assigned one.
      if (!Number.isSafeInteger(number)) continue
      if (!this.#loaded) counter.last = Math.max(counter.last, number)
      else if (number === counter.last + 1) counter.last = number
      else if (number > counter.last) counter.ahead.add(number)
      while (counter.ahead.size > 0 && counter.ahead.delete(counter.last + 1)) counter.last += 1
    }
  }

  /**
   * Ends the phase in which the initial records are stored. After this phase, clients may choose
   * keys. If a client chooses a huge number, the numbers below it must remain available. So after
   * this phase, a record raises the counter only if its number is the next one.
   */
  endLoading(): void {
    this.#loaded = true
  }

  #counterOf(member: string, row: Row): Counter {
    const name = this.#uncounted.length === 0 ? member : this.#counterName(member, row)
    const known = this.#counters.get(name)
    if (known !== undefined) return known
    const made: Counter = { last: 0, ahead: new Set() }
    this.#counters.set(name, made)
    return made
  }

  #counterName(member: string, row: Row): string {
    return JSON.stringify([member, ...this.#uncounted.map((other) => (Object.hasOwn(row, other) ? row[other] : null))])
  }
}

const isMissing = (row: Row, member: string): boolean =>
  !Object.hasOwn(row, member) || row[member] === undefined || row[member] === null
