/**
 * The order of a store, learned from its own lists: text may be ordered in any way, as long as it
 * is one way.
 */
import { get } from '../definition/json.js'
import { expectEqual, expectThat } from './contract-error.js'
import type { Stage } from './stage.js'

/** Where a value stands in the ascending order of its member. */
export type Places = (value: unknown) => number

/**
 * Learns the order of a member. Numbers and date-times must ascend, nulls come last, and equal
 * values stand side by side.
 */
export async function placesOf(stage: Stage, field: string): Promise<Places> {
  const path = field.split('.')
  const listed = (await stage.all({ sort: field }, {}, 50)).map(({ value }) => get(value, path) ?? null)
  const places = new Map<unknown, number>()
  for (const [i, value] of listed.entries()) {
    if (i > 0 && Object.is(plain(listed[i - 1]), plain(value))) continue
    expectThat(!places.has(value), `equal values of "${field}" to stand side by side`, listed)
    places.set(value, places.size)
  }
  const distinct = [...places.keys()]
  if (places.has(null)) expectThat(distinct.at(-1) === null, `null as the largest value of "${field}"`, distinct)
  const isComparable = stage.definition.shape.at(path)?.format === 'local-date-time' || distinct.some((value) => typeof value === 'number')
  if (isComparable) {
    const known = distinct.filter((value) => value !== null) as (string | number)[]
    expectEqual(
      known,
      [...known].sort((a, b) => (a < b ? -1 : 1)),
      `the ascending values of "${field}"`,
    )
  }
  return (value) => (value === null || value === undefined ? Number.POSITIVE_INFINITY : (places.get(value) ?? Number.NaN))
}

/** A negative zero is equal to zero, and stands beside it in any order. */
const plain = (value: unknown): unknown => (value === 0 ? 0 : value)
