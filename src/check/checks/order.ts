/** Whether values stand in order, told without knowing how the store compares texts. */
import { canonicalLocalDateTime } from '../../http/local-date-time.js'

/**
 * A value that can be compared for certain; `undefined` for others, such as texts, whose order is
 * the store's.
 */
function comparable(value: unknown): number | string | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return Number(value)
  if (typeof value !== 'string') return undefined
  // Canonical local date-times compare as texts. Days do, too.
  return canonicalLocalDateTime(value) ?? (/^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined)
}

/**
 * The place of the first value that stands wrong; `undefined` where none does, or nobody can tell.
 */
export function misplaced(values: readonly unknown[], descending: boolean): number | undefined {
  const nulls = values.map((value) => value === null || value === undefined)
  for (let at = 1; at < values.length; at++) {
    // Null counts as the largest value: last where ascending, first where descending.
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

/** Without case, accents and outer space: many stores take such texts for equal. */
export const folded = (value: unknown): string =>
  String(value).normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase()

/** The ways in which a store may tell texts apart. */
const readings: readonly ((value: unknown) => string)[] = [(value) => JSON.stringify(value), folded]

/** The values without repeats that follow each other; nulls are left out. */
export function runs(values: readonly unknown[], read: (value: unknown) => string = JSON.stringify): readonly string[] {
  const texts = values.filter((value) => value !== null && value !== undefined).map(read)
  return texts.filter((text, at) => text !== texts[at - 1])
}

/**
 * The first value that stands at two places with others between, however texts are told apart;
 * `undefined` where none does.
 */
export function torn(values: readonly unknown[]): string | undefined {
  const repeated = readings.map((read) => {
    const all = runs(values, read)
    return all.find((text, at) => all.indexOf(text) < at)
  })
  return repeated.includes(undefined) ? undefined : repeated[0]
}

/**
 * Whether the values of one order are those of the other in reverse. Equal ones may stand in any
 * order.
 */
export const areReverse = (up: readonly unknown[], down: readonly unknown[]): boolean =>
  readings.some((read) => runs(up, read).join('\n') === runs(down, read).toReversed().join('\n'))
