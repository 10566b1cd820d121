/**
 * Checks the members that a declaration, such as a filter, refers to. They must exist and be
 * suitable.
 */

import { didYouMean, nearMiss } from '../near-miss.js'
import { ConfigurationError } from '../problem.js'
import { placesOf } from './schema-places.js'
import type { Shape } from './shape.js'

/**
 * The path of a member: a string of names joined with dots, or a list that contains only the name
 * of a top-level member. The name in a list may contain dots.
 */
type Path = string | readonly [string]

const nameOf = (path: Path): string => (typeof path === 'string' ? path : path[0])

/**
 * Looks up the members of a schema for a declaration. Each method throws `ConfigurationError` if
 * the member is missing or unsuitable.
 */
export class NamedMembers {
  readonly #owner: string
  readonly #shape: Shape
  readonly #source: string

  /** In messages, `owner` is the name of the collection, and `source` describes the schema. */
  constructor(owner: string, shape: Shape, source = 'its schema') {
    this.#owner = owner
    this.#shape = shape
    this.#source = source
  }

  /** Returns the member. Throws `unknown-member` if the member does not exist. */
  named(where: string, field: Path): Shape {
    return this.#along(where, field).at(-1) as Shape
  }

  /**
   * Like `named`, but also throws `exposes-write-only` if the member, or an object that contains
   * it, is write-only (REP-8).
   */
  visible(where: string, field: Path): Shape {
    const shapes = this.#along(where, field)
    if (shapes.some((shape) => shape.writeOnly)) {
      throw new ConfigurationError(
        'exposes-write-only',
        `"${this.#owner}" names "${nameOf(field)}" in "${where}", but it is writeOnly: responses would reveal ` +
          'its value. Leave it out.',
      )
    }
    return shapes.at(-1) as Shape
  }

  /**
   * Like `visible`, but also throws `exposes-write-only` if the value contains a write-only member,
   * because a search of the whole value would reveal this member (REP-8).
   */
  searchable(where: string, field: Path): Shape {
    const shape = this.visible(where, field)
    for (const [path, place] of placesOf(shape, nameOf(field))) {
      if (!place.writeOnly) continue
      throw new ConfigurationError(
        'exposes-write-only',
        `"${this.#owner}" names "${nameOf(field)}" in "${where}", but "${path}" is writeOnly: searches would reveal ` +
          `its value. ${shape.isArray ? 'Name another member.' : 'Name the inner members that clients may see.'}`,
      )
    }
    return shape
  }

  /** Like `visible`, but also throws `unsuitable-member` if the member is an object or array. */
  scalar(where: string, field: string): Shape {
    const shape = this.visible(where, field)
    if (!shape.isObject && !shape.isArray) return shape
    // Paths lead into objects, but not into arrays.
    const fix = shape.isArray || shape.members.size === 0 ? 'Name another member.' : 'Name a member inside it.'
    throw this.#unsuitable(where, field, 'can be compared', fix)
  }

  /**
   * Like `visible`, but also throws `unsuitable-member` if the member can't hold a part of the key
   * of another record, because it is an object or array.
   */
  keyPart(where: string, member: string): Shape {
    const shape = this.visible(where, [member])
    if (!shape.isObject && !shape.isArray) return shape
    throw this.#unsuitable(where, member, 'can be part of a key', 'Name another member.')
  }

  #unsuitable(where: string, name: string, use: string, fix: string): ConfigurationError {
    return new ConfigurationError(
      'unsuitable-member',
      `"${this.#owner}" names "${name}" in "${where}", but only strings, numbers and booleans ${use}. ${fix}`,
    )
  }

  #along(where: string, path: Path): readonly Shape[] {
    const field = nameOf(path)
    const shapes = this.#shape.along(typeof path === 'string' ? path.split('.') : path)
    if (shapes !== undefined) return shapes
    const allowed = this.#shape.paths()
    const fix = didYouMean(nearMiss(field, allowed), allowed, 'It has')
    throw new ConfigurationError(
      'unknown-member',
      `"${this.#owner}" names "${field}" in "${where}", but ${this.#source} has no such member. ${fix}`,
    )
  }
}
