/** The bounds of a schema, which limit values, lengths, and the number of items and members. */
import { own } from '../definition/json.js'

/** The quantity that a bound limits. */
export type Bound = 'value' | 'length' | 'items' | 'properties' | 'contains'

/** One end of a range. If `open` is true, the value itself is excluded. */
export interface Limit {
  readonly value: number
  readonly open: boolean
}

const keywords = {
  value: ['minimum', 'maximum'],
  length: ['minLength', 'maxLength'],
  items: ['minItems', 'maxItems'],
  properties: ['minProperties', 'maxProperties'],
  contains: ['minContains', 'maxContains'],
} as const satisfies Record<Bound, readonly [string, string]>

/** Every bound, in the order in which changes are reported. */
export const boundNames: readonly Bound[] = ['value', 'length', 'items', 'properties', 'contains']

/** Returns the keyword that limits a quantity at one end, such as `maxLength`. */
export const boundKeyword = (bound: Bound, end: 'min' | 'max'): string => keywords[bound][end === 'min' ? 0 : 1]

/** The intersection of all bounds that were added. */
export class Bounds {
  readonly #lower = new Map<Bound, Limit>()
  readonly #upper = new Map<Bound, Limit>()
  /** Every `multipleOf`, sorted. */
  multiples: readonly number[] = []
  unique = false

  /** Adds the bounds of a schema. In OpenAPI 3.0, `exclusiveMinimum` is a boolean. */
  add(schema: unknown): void {
    for (const bound of boundNames) {
      const [lower, upper] = keywords[bound]
      this.#raise(bound, limit(own(schema, lower), bound === 'value' && own(schema, 'exclusiveMinimum') === true))
      this.#cap(bound, limit(own(schema, upper), bound === 'value' && own(schema, 'exclusiveMaximum') === true))
    }
    this.#raise('value', limit(own(schema, 'exclusiveMinimum'), true))
    this.#cap('value', limit(own(schema, 'exclusiveMaximum'), true))
    const multiple = own(schema, 'multipleOf')
    if (typeof multiple === 'number') this.multiples = sorted([...this.multiples, multiple])
    if (own(schema, 'uniqueItems') === true) this.unique = true
  }

  /**
   * Returns the lower bound, or `undefined` if there is none. A value that is not above the
   * default, such as `minLength: 0`, does not count as a bound. For integers, `exclusiveMinimum: 0`
   * becomes `minimum: 1`.
   */
  lower(bound: Bound, integers: boolean): Limit | undefined {
    const found = this.#lower.get(bound)
    if (found === undefined || (bound !== 'value' && found.value <= (bound === 'contains' ? 1 : 0))) return undefined
    return integers && found.open ? { value: Math.floor(found.value) + 1, open: false } : found
  }

  /** Returns the upper bound, or `undefined` if there is none. */
  upper(bound: Bound, integers: boolean): Limit | undefined {
    const found = this.#upper.get(bound)
    return found !== undefined && integers && found.open ? { value: Math.ceil(found.value) - 1, open: false } : found
  }

  /**
   * Returns a new object with the bounds of both objects. The schemas of the two objects must have
   * no type in common, or both must list their values, for example with `enum`.
   */
  and(other: Bounds): Bounds {
    const both = new Bounds()
    for (const bounds of [this, other]) {
      for (const [bound, end] of bounds.#lower) both.#raise(bound, end)
      for (const [bound, end] of bounds.#upper) both.#cap(bound, end)
    }
    both.multiples = sorted([...this.multiples, ...other.multiples])
    both.unique = this.unique || other.unique
    return both
  }

  #raise(bound: Bound, end: Limit | undefined): void {
    const before = this.#lower.get(bound)
    if (end !== undefined && (before === undefined || compareLower(before, end) < 0)) this.#lower.set(bound, end)
  }

  #cap(bound: Bound, end: Limit | undefined): void {
    const before = this.#upper.get(bound)
    if (end !== undefined && (before === undefined || compareUpper(before, end) > 0)) this.#upper.set(bound, end)
  }
}

const sorted = (multiples: readonly number[]): readonly number[] => [...new Set(multiples)].sort((a, b) => a - b)

const limit = (value: unknown, open: boolean): Limit | undefined =>
  typeof value === 'number' ? { value, open } : undefined

/**
 * Compares two lower bounds. The result is negative if the first bound allows more than the second.
 */
export const compareLower = (one: Limit, other: Limit): number =>
  one.value - other.value || Number(one.open) - Number(other.open)

/**
 * Compares two upper bounds. The result is negative if the first bound allows less than the second.
 */
export const compareUpper = (one: Limit, other: Limit): number =>
  one.value - other.value || Number(other.open) - Number(one.open)
