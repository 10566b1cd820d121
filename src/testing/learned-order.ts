/**
 * Finds out in which order a store sorts values, from the lists that the store returns. The store
 * may sort strings in any order, as long as the order is consistent.
 */
import { get } from '../definition/json.js'
import { valueFormat } from '../definition/value-formats.js'
import { expectEqual, expectThat } from './contract-error.js'
import type { Stage } from './stage.js'

/** Returns the rank of a value in the ascending order of its member. */
export type RankOf = (value: unknown) => number

/**
 * Finds out in which order the store sorts a member's values. Throws if numbers (including numbers
 * as strings) or date-times do not ascend, if null is not last, or if equal values are not
 * adjacent.
 */
export async function placesOf(stage: Stage, field: string): Promise<RankOf> {
  const path = field.split('.')
  const listed = (await stage.all({ sort: field }, {}, 50)).map(({ value }) => get(value, path) ?? null)
  const places = new Map<unknown, number>()
  for (const [i, value] of listed.entries()) {
    if (i > 0 && Object.is(plain(listed[i - 1]), plain(value))) continue
    expectThat(!places.has(value), `equal values of "${field}" to be adjacent`, listed)
    places.set(value, places.size)
  }
  const distinct = [...places.keys()]
  if (places.has(null)) expectThat(distinct.at(-1) === null, `null as the largest value of "${field}"`, distinct)
  const shape = stage.definition.shape.at(path)
  const isComparable = comparable.has(shape?.format ?? '') || distinct.some((value) => typeof value === 'number')
  if (isComparable) {
    const compare = valueFormat(shape)?.compare as ((a: unknown, b: unknown) => number) | undefined
    const known = distinct.filter((value) => value !== null) as (string | number)[]
    expectEqual(known, [...known].sort(compare ?? ((a, b) => (a < b ? -1 : 1))), `the ascending values of "${field}"`)
  }
  return (value) =>
    value === null || value === undefined ? Number.POSITIVE_INFINITY : (places.get(value) ?? Number.NaN)
}

/** Formats whose values have the same order in every store. */
const comparable: ReadonlySet<string> = new Set(['local-date-time', 'date-time', 'decimal', 'int64'])

/** Treats a negative zero as zero, because a store may sort the two in any order. */
const plain = (value: unknown): unknown => (value === 0 ? 0 : value)
