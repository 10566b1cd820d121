/** The refusal of a value that its column can't hold. The refusal names the member (ERR-2). */
import type { Refused } from '../../contract.js'
import type { Fault } from '../values/places.js'

/**
 * Returns the refusal for a fault. If the value is an item of an array, the refusal names the
 * array: `tags.0` becomes `tags`.
 */
export const refusedFor = ({ path, why }: Fault): Refused => ({
  refused: 'rule',
  members: path.length === 0 ? [] : [named(path)],
  why,
})

function named(path: readonly string[]): string {
  const index = path.findIndex((name) => /^\d+$/.test(name))
  return (index > 0 ? path.slice(0, index) : path).join('.')
}
