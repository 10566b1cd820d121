/** Conditions of a list as functions of a record, and as stretches of an ordered list (QUERY-1). */
import { get } from '../../definition/json.js'
import type { Condition } from '../contract.js'
import type { Entry, Row } from './entry.js'
import { compareValues, firstIndex, isNothing, kindOf } from './order.js'

/** How two values of a member stand to each other: below, at or above zero. */
type Compare = (a: unknown, b: unknown) => number

/** Whether a record fulfils the condition. Values of another kind than the condition's never do, nor does null. */
export function testOf(condition: Condition, compare: Compare = compareValues): (row: Row) => boolean {
  const { path } = condition
  if (isNothing(condition.value)) return () => false
  switch (condition.op) {
    case 'eq':
      return (row) => get(row, path) === condition.value
    case 'in': {
      const values: ReadonlySet<unknown> = new Set(condition.value)
      return (row) => {
        const member = get(row, path)
        return !isNothing(member) && values.has(member)
      }
    }
    case 'contains':
      return (row) => {
        const list = get(row, path)
        return Array.isArray(list) && list.includes(condition.value)
      }
    case 'null':
      return (row) => isNothing(get(row, path)) === condition.value
    default: {
      const { op, value } = condition
      const kind = kindOf(value)
      const holds = comparisons[op]
      return (row) => {
        const member = get(row, path)
        return kindOf(member) === kind && holds(compare(member, value))
      }
    }
  }
}

const comparisons = {
  gt: (difference: number) => difference > 0,
  gte: (difference: number) => difference >= 0,
  lt: (difference: number) => difference < 0,
  lte: (difference: number) => difference <= 0,
}

/** The records that fulfil such a condition stand side by side in the order of its member. */
export const isStretch = (condition: Condition): boolean =>
  condition.op !== 'in' && condition.op !== 'contains' && !isNothing(condition.value)

/**
 * Where in a list, ascending by the conditions' one member, the records stand that fulfil all of them. `look` is called for every
 * record looked at.
 */
export function stretchOf(
  list: readonly Entry[],
  conditions: readonly Condition[],
  look: () => void,
  compare: Compare = compareValues,
): { from: number; to: number } {
  const above = (value: unknown) => (member: unknown) => compare(member, value) > 0
  const reaching = (value: unknown) => (member: unknown) => compare(member, value) >= 0

  let from = 0
  let to = list.length
  for (const { path, op, value } of conditions) {
    const first = (reached: (member: unknown) => boolean) =>
      firstIndex(list, (entry) => {
        look()
        return reached(get(entry.stored.value, path))
      })
    if (op === 'null') {
      const edge = first(isNothing)
      if (value) from = Math.max(from, edge)
      else to = Math.min(to, edge)
      continue
    }
    const kind = kindOf(value)
    const starts =
      op === 'gt'
        ? above(value)
        : op === 'gte' || op === 'eq'
          ? reaching(value)
          : (member: unknown) => kindOf(member) >= kind
    const ends =
      op === 'lt'
        ? reaching(value)
        : op === 'lte' || op === 'eq'
          ? above(value)
          : (member: unknown) => kindOf(member) > kind
    from = Math.max(from, first(starts))
    to = Math.min(to, first(ends))
  }
  return { from, to: Math.max(from, to) }
}
