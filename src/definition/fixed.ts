/** Data that nobody can change any more, of which what was worked out once holds for good. */

/** Deeper data is not looked through. */
const deepest = 50

/** True where a value is frozen throughout, of no class and without accessors. */
export function isFixed(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function'
  if (depth > deepest || !Object.isFrozen(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return false
  for (const member of Object.values(Object.getOwnPropertyDescriptors(value))) {
    if (!('value' in member) || !isFixed(member.value, depth + 1)) return false
  }
  return true
}
