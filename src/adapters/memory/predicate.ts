/**
 * Compiles the conditions of a list request to functions that test a record, and to ranges of a
 * sorted list (QUERY-1).
 */
import { get } from '../../definition/json.js'
import type { Condition } from '../contract.js'
import type { Entry, Row } from './entry.js'
import { compareValues, firstIndex, isNullish, kindOf } from './order.js'

/** Compares two values of a member: negative, zero or positive. */
type Compare = (a: unknown, b: unknown) => number

/**
 * Compiles a condition to a function that tests a record. A member that is null or absent matches
 * only a condition with the operator `null` and the value `true`. Values of different types never
 * match.
 */
export function testOf(condition: Condition, compare: Compare = compareValues): (row: Row) => boolean {
  const { path } = condition
  if (isNullish(condition.value)) return () => false
  switch (condition.op) {
    case 'eq':
      return (row) => get(row, path) === condition.value
    case 'in': {
      const values: ReadonlySet<unknown> = new Set(condition.value)
      return (row) => {
        const member = get(row, path)
        return !isNullish(member) && values.has(member)
      }
    }
    case 'contains':
      return (row) => {
        const list = get(row, path)
        return Array.isArray(list) && list.includes(condition.value)
      }
    case 'null':
      return (row) => isNullish(get(row, path)) === condition.value
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

/**
 * Whether the records that match the condition are adjacent in a list that is sorted by the
 * condition's member.
 */
export const isRange = (condition: Condition): boolean =>
  condition.op !== 'in' && condition.op !== 'contains' && !isNullish(condition.value)

/**
 * Returns the range of the records that match all conditions. The conditions must concern the same
 * member, and the list must be sorted by this member in ascending order. Calls `countExamined` for
 * every examined record.
 */
export function rangeOf(
  list: readonly Entry[],
  conditions: readonly Condition[],
  countExamined: () => void,
  compare: Compare = compareValues,
): { from: number; to: number } {
  const above = (value: unknown) => (member: unknown) => compare(member, value) > 0
  const reaching = (value: unknown) => (member: unknown) => compare(member, value) >= 0

  let from = 0
  let to = list.length
  for (const { path, op, value } of conditions) {
    const first = (reached: (member: unknown) => boolean) =>
      firstIndex(list, (entry) => {
        countExamined()
        return reached(get(entry.stored.value, path))
      })
    if (op === 'null') {
      const edge = first(isNullish)
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
