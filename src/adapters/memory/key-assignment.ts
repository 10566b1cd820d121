/**
 * Assigns values to members of the key. Numeric members get consecutive whole numbers, and string
 * members get random UUIDs. No number is assigned twice. The store assigns values to the members
 * that the definition names, and to members that clients must not set (`readOnly`). In a database
 * table, the column of a `readOnly` key member would be an identity column, or would have a
 * default.
 */

import { randomUUID } from 'node:crypto'
import { put } from '../../definition/json.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import { valueFormat } from '../../definition/value-formats.js'
import { ConfigurationError } from '../../problem.js'
import type { Row } from './entry.js'

interface Count {
  last: number
  /** Numbers above `last` that clients have used. The count will skip them. */
  readonly ahead: Set<number>
}

export class KeyAssignment {
  readonly #texts: readonly string[]
  readonly #numbers: readonly string[]
  /** The numeric members that are stored as strings (formats `int64` and `decimal`). */
  readonly #asTexts: ReadonlySet<string>
  /**
   * The members of the key to which no numbers are assigned. Each combination of their values has
   * its own count.
   */
  readonly #uncounted: readonly string[]
  /**
   * The counts, by member and by the values of the members in `#uncounted`, if there are any. A number
   * is not assigned again after its record is deleted.
   */
  readonly #counts = new Map<string, Count>()
  #loaded = false

  /** Throws `ConfigurationError` if an assigned member is neither a number nor a string. */
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
          `"${collection}" lets the store assign "${member}", a boolean. Only numbers and text can be assigned.`,
        )
      }
    }
    this.#asTexts = new Set(members.filter((member) => valueFormat(shape.members.get(member))?.isNumber))
    this.#numbers = members.filter((member) => isNumber(member) || this.#asTexts.has(member))
    this.#texts = members.filter((member) => !this.#numbers.includes(member))
    this.#uncounted = key.members.filter((member) => !this.#numbers.includes(member))
  }

  /** Sets the missing members of the key. If no number is left for a member, returns its name. */
  assign(row: Record<string, unknown>): string | undefined {
    for (const member of this.#texts) if (isMissing(row, member)) put(row, member, randomUUID())
    for (const member of this.#numbers) {
      if (!isMissing(row, member)) continue
      const count = this.#countOf(member, row)
      const next = count.last + 1
      if (!Number.isSafeInteger(next)) return member
      put(row, member, this.#asTexts.has(member) ? String(next) : next)
    }
    return undefined
  }

  /** Updates the counts with the numbers of a stored record. */
  observe(row: Row): void {
    for (const member of this.#numbers) {
      const count = this.#countOf(member, row)
      const number = Math.floor(Number(row[member]))
      // A string may hold a number that is too large to count. Such a number can't collide with an
      // assigned one.
      if (!Number.isSafeInteger(number)) continue
      if (!this.#loaded) count.last = Math.max(count.last, number)
      else if (number === count.last + 1) count.last = number
      else if (number > count.last) count.ahead.add(number)
      while (count.ahead.size > 0 && count.ahead.delete(count.last + 1)) count.last += 1
    }
  }

  /**
   * Must be called when all initial records are stored. After that, clients may choose keys, and a
   * client that chooses a huge number must not use up the count. So from then on, the number of a
   * record raises the count only if it is the next number.
   */
  endLoading(): void {
    this.#loaded = true
  }

  #countOf(member: string, row: Row): Count {
    const name = this.#uncounted.length === 0 ? member : this.#countName(member, row)
    const known = this.#counts.get(name)
    if (known !== undefined) return known
    const made: Count = { last: 0, ahead: new Set() }
    this.#counts.set(name, made)
    return made
  }

  #countName(member: string, row: Row): string {
    return JSON.stringify([member, ...this.#uncounted.map((other) => (Object.hasOwn(row, other) ? row[other] : null))])
  }
}

const isMissing = (row: Row, member: string): boolean =>
  !Object.hasOwn(row, member) || row[member] === undefined || row[member] === null
