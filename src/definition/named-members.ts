/** Whether the members that a declaration names are there and fit for what it wants of them. */

import { nearMiss } from '../near-miss.js'
import { ConfigurationError } from '../problem.js'
import type { Shape } from './shape.js'

/** A path with dots, or the one name of a record's own member. */
type Path = string | readonly [string]

const nameOf = (path: Path): string => (typeof path === 'string' ? path : path[0])

/** The members of one schema, asked for by a declaration. Every question throws `ConfigurationError` where the answer is no. */
export class NamedMembers {
  readonly #owner: string
  readonly #shape: Shape
  readonly #source: string

  /** `owner` is the collection whose declaration asks; `source` says whose the schema is. */
  constructor(owner: string, shape: Shape, source = 'its schema') {
    this.#owner = owner
    this.#shape = shape
    this.#source = source
  }

  /** The member there. `unknown-member` where there is none. */
  named(where: string, field: Path): Shape {
    return this.#along(where, field).at(-1) as Shape
  }

  /** The same, but `exposes-write-only` where it or what it stands in never leaves (REP-8). */
  visible(where: string, field: Path): Shape {
    const way = this.#along(where, field)
    if (way.some((shape) => shape.writeOnly)) {
      throw new ConfigurationError(
        'exposes-write-only',
        `"${this.#owner}" names "${nameOf(field)}" in ${where}, but it is writeOnly: answers would tell what it holds. Leave it out.`,
      )
    }
    return way.at(-1) as Shape
  }

  /** The same, but `unsuitable-member` where it holds others. */
  scalar(where: string, field: Path): Shape {
    const shape = this.visible(where, field)
    if (shape.isObject || shape.isArray) {
      throw new ConfigurationError(
        'unsuitable-member',
        `"${this.#owner}" names "${nameOf(field)}" in ${where}, but only strings, numbers and booleans can be compared. Name a member inside it.`,
      )
    }
    return shape
  }

  #along(where: string, path: Path): readonly Shape[] {
    const field = nameOf(path)
    const way = this.#shape.along(typeof path === 'string' ? path.split('.') : path)
    if (way !== undefined) return way
    const allowed = this.#shape.paths()
    const near = nearMiss(field, allowed)
    const mend = near === undefined ? `It has: ${allowed.join(', ')}.` : `Did you mean "${near}"?`
    throw new ConfigurationError(
      'unknown-member',
      `"${this.#owner}" names "${field}" in ${where}, which ${this.#source} does not have. ${mend}`,
    )
  }
}
