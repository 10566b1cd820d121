/** Checks the order of values without knowing how the store compares texts. */
import { canonicalLocalDateTime } from '../../http/local-date-time.js'

/**
 * A value whose order is known; `undefined` for others, such as texts, whose order depends on the
 * store.
 */
function comparable(value: unknown): number | string | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return Number(value)
  if (typeof value !== 'string') return undefined
  // Canonical local date-times compare as texts. Days do, too.
  return canonicalLocalDateTime(value) ?? (/^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined)
}

/**
 * The index of the first misplaced value; `undefined` if there is none, or the order is not known.
 */
export function misplaced(values: readonly unknown[], descending: boolean): number | undefined {
  const nulls = values.map((value) => value === null || value === undefined)
  for (let at = 1; at < values.length; at++) {
    // Null is the largest value: last in ascending order, first in descending order.
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

/** The text without case, accents and outer spaces: many stores treat such texts as equal. */
export const folded = (value: unknown): string =>
  String(value).normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase()

/** The ways in which a store may distinguish texts. */
const readings: readonly ((value: unknown) => string)[] = [(value) => JSON.stringify(value), folded]

/** The values without consecutive repeats and without nulls. */
export function runs(values: readonly unknown[], read: (value: unknown) => string = JSON.stringify): readonly string[] {
  const texts = values.filter((value) => value !== null && value !== undefined).map(read)
  return texts.filter((text, at) => text !== texts[at - 1])
}

/**
 * The first value that occurs at two places with others between, in every way to distinguish texts;
 * `undefined` if there is none.
 */
export function torn(values: readonly unknown[]): string | undefined {
  const repeated = readings.map((read) => {
    const all = runs(values, read)
    return all.find((text, at) => all.indexOf(text) < at)
  })
  return repeated.includes(undefined) ? undefined : repeated[0]
}

/** Whether one list of values is the reverse of the other. Equal values may be in any order. */
export const areReverse = (up: readonly unknown[], down: readonly unknown[]): boolean =>
  readings.some((read) => runs(up, read).join('\n') === runs(down, read).toReversed().join('\n'))
