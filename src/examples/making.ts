/** The settings for generating one value. */
import type { Random } from '../random.js'

export interface Making {
  readonly random: Random
  /** The share of optional or nullable members that are omitted or null, from 0 to 1. */
  readonly gaps: number
  /** Whether `examples`, `example` and `default` of the schema are used. */
  readonly given: boolean
  /**
   * True for the first record: it gets the first example, the `default` and the first branch of
   * each member.
   */
  readonly first: boolean
  /** The name of the member, which suggests what the value should look like. */
  readonly name: string
  /** The path of the value, with dots. */
  readonly path: string
  /** Number of enclosing objects and lists. */
  readonly depth: number
}
