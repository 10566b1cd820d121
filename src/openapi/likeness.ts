/** Compares JSON values. */
import { isList, isObject } from '../definition/json.js'

/**
 * Returns whether two values are equal, regardless of the order of members. Parts that are the same
 * object in both values are not traversed.
 */
export function isAlike(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (isList(one))
    return isList(other) && one.length === other.length && one.every((item, at) => isAlike(item, other[at]))
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isAlike(one[name], other[name]))
  )
}
