/** A simple model of a correct store: some records and their associations. */
import type { ParentKey, Scalar } from '../adapters/contract.js'
import { get } from '../definition/json.js'
import type { ResourceDefinition } from '../definition/resource.js'
import type { RankOf } from './learned-order.js'
import { type ListParts, sortTerms, type Where } from './requests.js'
import type { Row } from './row.js'

export type Scope = Readonly<Record<string, Scalar>>

/** The value of a member; null if it is absent. */
export const memberAt = (record: Row, field: string): Scalar | null =>
  (get(record, field.split('.')) ?? null) as Scalar | null

const setName = ({ collection, key, as }: ParentKey): string => JSON.stringify([collection, key, as])

export class Model {
  /** The records, by key (as a string). */
  readonly records = new Map<string, Row>()
  readonly #sets = new Map<string, Set<string>>()
  readonly #definition: ResourceDefinition
  /**
   * For each member, a function that returns the rank of a value in the store's ascending order of
   * the member.
   */
  readonly ranks = new Map<string, RankOf>()

  constructor(definition: ResourceDefinition, records: readonly Row[]) {
    this.#definition = definition
    for (const record of records) this.records.set(this.keyText(record), record)
  }

  keyText(record: Row): string {
    const { key } = this.#definition
    return key.text(key.of(record) as never)
  }

  /**
   * The member that contains the key of the parent. `undefined` if no member contains this key: the
   * store then keeps the association as a set of keys.
   */
  parentMember({ as }: ParentKey): string | undefined {
    return this.#definition.attachedTo.find((one) => one.as === as)?.by?.[0]
  }

  /** The keys of the records in the set of a parent. */
  setOf(parent: ParentKey): Set<string> {
    const set = this.#sets.get(setName(parent)) ?? new Set<string>()
    this.#sets.set(setName(parent), set)
    return set
  }

  isAttached(parent: ParentKey, record: Row): boolean {
    const by = this.parentMember(parent)
    return by === undefined ? this.setOf(parent).has(this.keyText(record)) : record[by] === parent.key
  }

  remove(keyText: string): void {
    this.records.delete(keyText)
    for (const set of this.#sets.values()) set.delete(keyText)
  }

  /**
   * The records that a list must return on all of its pages together, in its sort order. If a
   * search orders the records by rank (relevance), the order of these records does not matter.
   */
  found({ where = [], search, sort = '', parent }: ListParts, scope: Scope): readonly Row[] {
    return [...this.records.values()]
      .filter(
        (record) =>
          isWithin(record, scope) &&
          where.every((condition) => this.#holds(record, condition)) &&
          (search === undefined || this.#holdsWords(record, search)) &&
          (parent === undefined || this.isAttached(parent, record)),
      )
      .sort((a, b) => this.compare(this.seekPosition(a, sort), this.seekPosition(b, sort), sort))
  }

  /**
   * The values of a record for the terms of a sort. For `-weight,code`, these are its weight and
   * its code.
   */
  seekPosition(record: Row, sort: string): readonly (Scalar | null)[] {
    return sortTerms(sort, this.#definition.key.members).map(({ field }) => memberAt(record, field))
  }

  compare(a: readonly (Scalar | null)[], b: readonly (Scalar | null)[], sort: string): number {
    for (const [i, { field, descending }] of sortTerms(sort, this.#definition.key.members).entries()) {
      const placeOf = this.ranks.get(field) as RankOf
      const [x, y] = [placeOf(a[i]), placeOf(b[i])]
      if (x !== y) return (x < y ? -1 : 1) * (descending ? -1 : 1)
    }
    return 0
  }

  #holds(record: Row, condition: Where): boolean {
    const member = memberAt(record, condition.field)
    if (condition.op === 'null') return (member === null) === condition.value
    if (member === null) return false
    if (condition.op === 'eq') return member === condition.value
    if (condition.op === 'in') return condition.value.includes(member)
    if (condition.op === 'contains') return (member as unknown as readonly Scalar[]).includes(condition.value)
    const placeOf = this.ranks.get(condition.field) as RankOf
    const difference = placeOf(member) - placeOf(condition.value)
    return { gt: difference > 0, gte: difference >= 0, lt: difference < 0, lte: difference <= 0 }[condition.op]
  }

  /**
   * Whether a record contains all words of a search. Words are separated by spaces, and case is
   * ignored. A part of a word does not match.
   */
  #holdsWords(record: Row, search: string): boolean {
    const members = Array.isArray(this.#definition.search) ? (this.#definition.search as readonly string[]) : []
    const held = members.flatMap((member) =>
      String(record[member] ?? '')
        .toLowerCase()
        .split(' '),
    )
    return search.split(' ').every((word) => word === '' || held.includes(word.toLowerCase()))
  }
}

export const isWithin = (record: Row, scope: Scope): boolean =>
  Object.entries(scope).every(([member, value]) => (record[member] ?? null) === value)
