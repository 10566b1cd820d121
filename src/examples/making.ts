/** How one value is made. */
import type { Random } from '../random.js'

export interface Making {
  readonly random: Random
  /** The share of members that are null or left out where they may be, from 0 to 1. */
  readonly gaps: number
  /** Whether what the schema gives as `examples`, `example` and `default` is taken. */
  readonly given: boolean
  /** True of the first record: it has the first example, the `default` and the first branch of each member. */
  readonly first: boolean
  /** The member that the value is for, which says what it may look like. */
  readonly name: string
  /** Where it stands, with dots. */
  readonly path: string
  /** How many objects and lists stand around it. */
  readonly depth: number
}
