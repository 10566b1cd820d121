/** Functions that check the order of values without knowing how the store compares strings. */
import { canonicalLocalDateTime } from '../../http/local-date-time.js'

/**
 * Converts a value to a number or string that sorts (by `<`) like the value. Returns `undefined` if
 * the order of the value is not known: the order of most strings, for example, depends on the
 * store.
 */
function comparable(value: unknown): number | string | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return Number(value)
  if (typeof value !== 'string') return undefined
  // If days and canonical local date-times are sorted as strings, they are in chronological order.
  return canonicalLocalDateTime(value) ?? (/^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined)
}

/**
 * The index of the first value that is out of order. `undefined` if there is no such value. Two
 * adjacent values are not compared if their order is not known.
 */
export function misplaced(values: readonly unknown[], descending: boolean): number | undefined {
  const nulls = values.map((value) => value === null || value === undefined)
  for (let at = 1; at < values.length; at++) {
    // Null is the largest value. It comes last in ascending order, and first in descending order.
    if (nulls[at - 1] !== nulls[at]) {
      if (nulls[at] === descending) return at
      continue
    }
    const [before, here] = [comparable(values[at - 1]), comparable(values[at])]
    if (before === undefined || here === undefined || typeof before !== typeof here) continue
    if (descending ? before < here : before > here) return at
  }
  return undefined
}

/**
 * The value as a string in lower case, without accents, and without spaces at either end. Many
 * stores treat strings as equal if they differ only in these respects.
 */
export const folded = (value: unknown): string =>
  String(value).normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase()

/** The ways in which a store may compare strings: exactly, or by the result of `folded()`. */
const comparisons: readonly ((value: unknown) => string)[] = [(value) => JSON.stringify(value), folded]

/**
 * The values as strings, without nulls. Of consecutive equal strings, only the first is kept.
 */
export function withoutRepeats(
  values: readonly unknown[],
  read: (value: unknown) => string = JSON.stringify,
): readonly string[] {
  const texts = values.filter((value) => value !== null && value !== undefined).map(read)
  return texts.filter((text, at) => text !== texts[at - 1])
}

/**
 * Returns the first value that occurs twice with other values in between, such as `a` in `a, b, a`.
 * Values are compared exactly, and then by `folded()`. Returns `undefined` unless both comparisons
 * find such a value.
 */
export function scattered(values: readonly unknown[]): string | undefined {
  const repeated = comparisons.map((read) => {
    const all = withoutRepeats(values, read)
    return all.find((text, at) => all.indexOf(text) < at)
  })
  return repeated.includes(undefined) ? undefined : repeated[0]
}

/**
 * Whether one list of values is the reverse of the other. Nulls are ignored, and consecutive equal
 * values count as one value.
 */
export const areReverse = (up: readonly unknown[], down: readonly unknown[]): boolean =>
  comparisons.some((read) => withoutRepeats(up, read).join('\n') === withoutRepeats(down, read).toReversed().join('\n'))
