/** The refusal of a value that no column could hold, which names its member (ERR-2). */
import type { Refused } from '../../contract.js'
import type { Fault } from '../values/places.js'

/** For an item of a list, names the list. */
export const refusedFor = ({ path, why }: Fault): Refused => ({
  refused: 'rule',
  members: path.length === 0 ? [] : [named(path)],
  why,
})

function named(path: readonly string[]): string {
  const index = path.findIndex((name) => /^\d+$/.test(name))
  return (index > 0 ? path.slice(0, index) : path).join('.')
}
