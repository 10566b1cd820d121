/**
 * Groups of members whose combined values must be unique. Null and absent values never conflict.
 */
import { get } from '../../definition/json.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import { didYouMean, nearMiss } from '../../near-miss.js'
import { ConfigurationError } from '../../problem.js'
import type { Entry, Identity, Row } from './entry.js'
import { isNullish } from './order.js'

const none: readonly string[] = Object.freeze([])

interface Group {
  readonly members: readonly string[]
  readonly paths: readonly (readonly string[])[]
  /** The values as JSON -> the key of the record that has them. */
  readonly taken: Map<string, Identity>
}

export class UniqueGroups {
  readonly #groups: readonly Group[]

  /** Throws `ConfigurationError` if a group names a member that the schema does not allow. */
  constructor(definition: ResourceDefinition, groups: readonly (readonly string[])[]) {
    for (const member of groups.flat()) check(definition, member)
    this.#groups = groups.map((members) => ({
      members,
      paths: members.map((member) => member.split('.')),
      taken: new Map(),
    }))
  }

  /**
   * Returns the members of each group in which another record has the same values as `row`. `id` is
   * the key of `row`.
   */
  clashes(row: Row, id: Identity): readonly string[] {
    if (this.#groups.length === 0) return none
    return this.#groups
      .filter((group) => {
        const values = valuesOf(group, row)
        const holder = values === undefined ? undefined : group.taken.get(values)
        return holder !== undefined && holder !== id
      })
      .flatMap((group) => group.members)
  }

  swap(old: Entry | undefined, next: Entry | undefined): void {
    for (const group of this.#groups) {
      const left = old === undefined ? undefined : valuesOf(group, old.stored.value)
      const taken = next === undefined ? undefined : valuesOf(group, next.stored.value)
      // A changed record keeps its key, so unchanged values need no update.
      if (left === taken && old !== undefined && next !== undefined) continue
      if (left !== undefined) group.taken.delete(left)
      if (next !== undefined && taken !== undefined) group.taken.set(taken, next.id)
    }
  }
}

function valuesOf(group: Group, row: Row): string | undefined {
  const values = group.paths.map((path) => get(row, path))
  return values.some(isNullish) ? undefined : JSON.stringify(values)
}

function check({ collection, shape }: ResourceDefinition, member: string): void {
  if (shape.open || shape.at(member.split('.')) !== undefined) return
  const paths = shape.paths()
  throw new ConfigurationError(
    'unknown-member',
    `The option "unique" of the memory adapter of "${collection}" names "${member}", but the schema has no such ` +
      `member. ${didYouMean(nearMiss(member, paths), paths, 'The schema has')}`,
  )
}
