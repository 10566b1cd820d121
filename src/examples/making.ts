/** The settings for generating one value. */
import type { Random } from '../random.js'

export interface Making {
  readonly random: Random
  /** The share of optional or nullable members that are omitted or null, from 0 to 1. */
  readonly gaps: number
  /** Whether to use the `examples`, `example` and `default` of the schema. */
  readonly given: boolean
  /**
   * Whether to use the first of several examples, the `default`, and the first branch of each
   * union. If false, the choice is random. True, for example, in the first attempt for the first
   * record.
   */
  readonly first: boolean
  /**
   * The name of the member. A string without a format or pattern matches the meaning of this name.
   */
  readonly name: string
  /** The path of the value: the names of the members, joined by dots. */
  readonly path: string
  /** The number of enclosing objects and lists. */
  readonly depth: number
}
