/**
 * Wrong adapters, with errors in values that have a format. They store or compare these values as
 * strings, as doubles or as `Date` objects.
 */
import type { Condition, ListRequest, Scalar, SortTerm } from '../../../src/adapters/contract.js'
import type { Row } from '../../../src/testing/index.js'
import { PlainAdapter } from '../plain-adapter.js'
import type { Item } from '../plain-store.js'
import { type Mutant, mutant } from './mutant.js'

const isNumber = (text: unknown): text is string => typeof text === 'string' && /^-?\d+(?:\.\d+)?$/.test(text)
const isMoment = (text: unknown): text is string => typeof text === 'string' && /^\d{4}-.*Z$/.test(text)

/**
 * The members that hold numbers or instants as strings.
 */
const spelled = new Set(['counter', 'amount', 'total', 'taken'])

const keeping = (change: (value: unknown) => unknown) =>
  class extends PlainAdapter {
    override kept(row: Row): Row {
      const changed = (name: string, value: unknown) => (spelled.has(name) ? change(value) : value)
      return super.kept(Object.fromEntries(Object.entries(row).map(([name, value]) => [name, changed(name, value)])))
    }
  }

/** Treats two values as equal if `fold` maps them to the same value. */
const equalBy = (fold: (value: Scalar) => Scalar) =>
  class extends PlainAdapter {
    override holds(condition: Condition, row: Row): boolean {
      const member = row[condition.path[0] as string] as Scalar
      if (!spelled.has(condition.field) || member === null) return super.holds(condition, row)
      if (condition.op === 'eq') return fold(member) === fold(condition.value)
      if (condition.op === 'in') return condition.value.some((value) => fold(member) === fold(value))
      return super.holds(condition, row)
    }
  }

const textOrder = (a: Scalar, b: Scalar): number => (a < b ? -1 : a > b ? 1 : 0)

class RangesOfTexts extends PlainAdapter {
  override holds(condition: Condition, row: Row): boolean {
    const compare = this.compareValues
    this.compareValues = (a, b) => textOrder(a, b)
    try {
      return super.holds(condition, row)
    } finally {
      this.compareValues = compare
    }
  }
}

class SortsTexts extends PlainAdapter {
  override compareScalars(a: Scalar | null, b: Scalar | null): number {
    return a === b ? 0 : a === null ? 1 : b === null ? -1 : textOrder(a, b)
  }
}

/** Sorts instants as strings: `.000001Z` comes before `.000Z`. */
class SortsMomentsAsTexts extends PlainAdapter {
  override compareValues(a: Scalar, b: Scalar, path: readonly string[]): number {
    return isMoment(a) ? textOrder(a, b) : super.compareValues(a, b, path)
  }
}

class SortsDoubles extends PlainAdapter {
  override compareValues(a: Scalar, b: Scalar, path: readonly string[]): number {
    return isNumber(a) ? Number(a) - Number(b) : super.compareValues(a, b, path)
  }
}

/** Sorts correctly, but compares seek positions as strings. */
class SeeksTexts extends PlainAdapter {
  override bounds(found: readonly Item[], request: ListRequest): { from: number; to: number } {
    const compare = this.compareTerms
    this.compareTerms = (a, b, terms: readonly SortTerm[]) => {
      for (const [i, { descending }] of terms.entries()) {
        const [x, y] = [a[i] as Scalar | null, b[i] as Scalar | null]
        const difference = x === y ? 0 : x === null ? 1 : y === null ? -1 : textOrder(x, y)
        if (difference !== 0) return descending ? -difference : difference
      }
      return 0
    }
    try {
      return super.bounds(found, request)
    } finally {
      this.compareTerms = compare
    }
  }
}

/** Treats a key column as a double. */
class KeysAsDoubles extends PlainAdapter {
  override text(key: unknown): string {
    const { device, counter } = key as { device?: string; counter?: string }
    return isNumber(counter) ? JSON.stringify([device, Number(counter)]) : super.text(key)
  }
}

const rounded = (value: unknown): unknown => (isNumber(value) ? String(Number(value)) : value)

export const formatMutants: readonly Mutant[] = [
  mutant('stores numeric strings as doubles', ['formats/held', 'formats/survive'], keeping(rounded)),
  mutant(
    'stores instants as Date objects',
    ['formats/held', 'formats/survive'],
    keeping((value) => (isMoment(value) ? new Date(value).toISOString() : value)),
  ),
  mutant('compares keys as doubles', ['formats/keys'], KeysAsDoubles),
  mutant(
    'compares numeric strings as doubles',
    ['formats/eq'],
    equalBy((value) => (isNumber(value) ? Number(value) : value)),
  ),
  mutant(
    'ignores microseconds when it compares instants',
    ['formats/eq'],
    equalBy((value) => (isMoment(value) ? Date.parse(value) : value)),
  ),
  mutant('compares numbers and instants as strings in range conditions', ['formats/ranges'], RangesOfTexts),
  mutant('sorts numbers and instants as strings', ['formats/order'], SortsTexts),
  mutant('sorts instants as strings', ['formats/order', 'formats/ranges'], SortsMomentsAsTexts),
  mutant('sorts numeric strings as doubles', ['formats/order', 'formats/ranges'], SortsDoubles),
  mutant('compares numbers and instants as strings when it seeks', ['formats/seek'], SeeksTexts),
]
