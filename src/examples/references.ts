/**
 * The members of a record that contain the keys of other records: its parent, the records that it
 * is attached to, and its link targets (REP-1, PATH-7).
 */
import { canonicalText, type JsonObject, own } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'
import type { Random } from '../random.js'
import { Unmade } from './unmade.js'

/** A referenced resource, and the keys of its records. */
export interface Target {
  readonly definition: ResourceDefinition
  readonly keys: readonly JsonObject[]
}

/** One reference of a resource. */
export class Reference {
  readonly by: readonly string[]
  readonly target: Target
  /**
   * Whether the target is the parent of the record. If it is, some parents get many records, and
   * others get few or none.
   */
  readonly contained: boolean
  readonly #owner: ResourceDefinition
  readonly #indexes = new Map<string, Map<string, JsonObject[]>>()

  constructor(owner: ResourceDefinition, by: readonly string[], target: Target, contained = false) {
    this.#owner = owner
    this.by = by
    this.target = target
    this.contained = contained
  }

  /**
   * Copies the key of a candidate into those members of the reference that are not set yet. A
   * candidate is an existing record whose key matches the members that are already set. If there is
   * no candidate, the members become null or absent. If the schema does not allow that, `Unmade` is
   * thrown. A reference to a parent gets a candidate whenever there is one. Any other reference
   * becomes null or absent with the probability `gaps`, if the schema allows that. If all members
   * are already set, the function only checks that there is a candidate.
   */
  assign(row: JsonObject, random: Random, gaps: number): void {
    const open = this.by.filter((member) => !Object.hasOwn(row, member))
    if (open.length === 0) {
      this.#check(row)
      return
    }
    const empty = this.#emptyValues(open)
    const isNowhere = this.by.some((member) => Object.hasOwn(row, member) && (own(row, member) ?? null) === null)
    const candidates = isNowhere ? [] : this.#candidates(row)
    if (empty !== undefined && (candidates.length === 0 || (!this.contained && random.chance(gaps)))) {
      Object.assign(row, empty)
      return
    }
    if (candidates.length === 0) {
      const { collection } = this.target.definition
      throw new Unmade(this.by.join(', '), 'link', `there is no record of "${collection}" that it could refer to`)
    }
    const at = this.contained ? Math.floor(random.next() ** 2 * candidates.length) : random.below(candidates.length)
    const key = candidates[at] as JsonObject
    for (const member of open) row[member] = key[this.#partOf(member)]
  }

  /**
   * Throws `Unmade` if the members, which are all set, refer to no existing record. If a member is
   * null, nothing is checked.
   */
  #check(row: JsonObject): void {
    if (this.by.some((member) => (row[member] ?? null) === null) || this.#candidates(row).length > 0) return
    const { collection } = this.target.definition
    throw new Unmade(
      this.by.join(', '),
      'link',
      `"${collection}" has no record ${JSON.stringify(this.by.map((member) => row[member])).slice(1, -1)}`,
    )
  }

  #partOf(member: string): string {
    return this.target.definition.key.members[this.by.indexOf(member)] as string
  }

  /**
   * The values of the members for a record that refers to no other record. Returns `undefined` if
   * the members must refer to a record.
   */
  #emptyValues(open: readonly string[]): JsonObject | undefined {
    const { shape, key } = this.#owner
    const empty: JsonObject = {}
    for (const member of open) {
      const place = shape.members.get(member)
      if (key.members.includes(member)) return undefined
      if (place?.nullable) empty[member] = null
      else if (shape.required.has(member)) return undefined
      else empty[member] = undefined
    }
    return empty
  }

  /** The target's keys that match the members already set in the record. */
  #candidates(row: JsonObject): readonly JsonObject[] {
    const held = this.by.filter((member) => Object.hasOwn(row, member))
    if (held.length === 0) return this.target.keys
    const parts = held.map((member) => this.#partOf(member))
    const name = canonicalText(parts)
    const index = this.#indexes.get(name) ?? this.#index(parts)
    this.#indexes.set(name, index)
    return index.get(canonicalText(held.map((member) => row[member]))) ?? []
  }

  #index(parts: readonly string[]): Map<string, JsonObject[]> {
    const index = new Map<string, JsonObject[]>()
    for (const key of this.target.keys) {
      const text = canonicalText(parts.map((part) => key[part]))
      const list = index.get(text)
      if (list === undefined) index.set(text, [key])
      else list.push(key)
    }
    return index
  }
}
