/** The settings for generating one value. */
import type { Random } from '../random.js'

export interface Making {
  readonly random: Random
  /** The share of optional or nullable members that are omitted or null, from 0 to 1. */
  readonly gaps: number
  /** Whether to use the `examples`, `example` and `default` of the schema. */
  readonly given: boolean
  /**
   * Whether to choose predictably: the first of several examples, always the `default` if there is
   * no example, and the first branch of each union. If false, the choice is random. The first
   * record of a collection is generated with `true`.
   */
  readonly first: boolean
  /**
   * The name of the member. For a string without a format or pattern, the generator chooses a value
   * that suits this name, such as a person's name for `name`.
   */
  readonly name: string
  /** The path of the value: the names of the members, joined by dots. */
  readonly path: string
  /** The number of enclosing objects and lists. */
  readonly depth: number
}
