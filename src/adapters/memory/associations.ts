/**
 * Determines which records are attached to which parents (PATH-7). Either members of the record
 * hold the parent's key, or `Associations` keeps a set of records for each parent.
 */

import { get } from '../../definition/json.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import { invalidOption } from '../../options/check.js'
import { type Association, associationOf } from '../association.js'
import type { Condition, ParentKey } from '../contract.js'
import { Bucket } from './bucket.js'
import type { Entry, Identity, Row } from './entry.js'

/** A parent that records of this resource can be attached to. */
export interface Parent extends Pick<Association, 'by'> {
  /** Identifies the parent, among all parents of all associations. */
  readonly text: string
}

export class Associations {
  readonly #definition: ResourceDefinition
  readonly #attached = new Map<string, Bucket>()
  /** Key of a record -> the `text` of each parent whose set contains the record. */
  readonly #parents = new Map<Identity, Set<string>>()

  /** Throws `ConfigurationError` if the members of an association can't hold the parent's key. */
  constructor(definition: ResourceDefinition) {
    this.#definition = definition
    for (const { of, by } of definition.attachedTo) {
      if (by !== undefined && typeof of !== 'string' && by.length !== of.key.members.length) {
        throw invalidOption(
          `In the option "attachedTo" of "${definition.collection}", the list "by" does not fit the key ` +
            `of "${of.collection}": ${of.key.members.join(', ')}. Name one member in "by" for each of these.`,
        )
      }
    }
  }

  /** Throws if the definition does not declare that records can be attached to this parent. */
  parent(key: ParentKey): Parent {
    const { by, collection, as, parts } = associationOf(this.#definition, key)
    return { by, text: JSON.stringify([collection, as, ...parts]) }
  }

  has(parent: Parent, entry: Entry): boolean {
    return parent.by === undefined
      ? (this.#attached.get(parent.text)?.has(entry) ?? false)
      : isAttachedBy(parent.by, entry.stored.value)
  }

  /** The records in the parent's set, if the association is kept in sets. */
  bucket(parent: Parent): Bucket {
    return this.#attached.get(parent.text) ?? new Bucket()
  }

  attach(parent: Parent, entry: Entry): void {
    if (this.has(parent, entry)) return
    let bucket = this.#attached.get(parent.text)
    if (bucket === undefined) {
      bucket = new Bucket()
      this.#attached.set(parent.text, bucket)
    }
    bucket.add(entry)
    const parents = this.#parents.get(entry.id)
    if (parents === undefined) this.#parents.set(entry.id, new Set([parent.text]))
    else parents.add(parent.text)
  }

  detach(parent: Parent, entry: Entry): void {
    this.#leave(parent.text, entry)
    const parents = this.#parents.get(entry.id)
    parents?.delete(parent.text)
    if (parents?.size === 0) this.#parents.delete(entry.id)
  }

  /**
   * Updates the sets after a record has changed. `next` is undefined if the record has been
   * removed.
   */
  swap(old: Entry, next: Entry | undefined): void {
    const parents = this.#parents.get(old.id)
    if (parents === undefined) return
    if (next === undefined) this.#parents.delete(old.id)
    for (const parent of parents) {
      if (next === undefined) this.#leave(parent, old)
      else this.#attached.get(parent)?.replace(old, next)
    }
  }

  #leave(parent: string, entry: Entry): void {
    const bucket = this.#attached.get(parent)
    bucket?.delete(entry)
    if (bucket?.size === 0) this.#attached.delete(parent)
  }
}

/**
 * The conditions that select the records attached to this parent. Empty if the association is kept
 * in sets.
 */
export function conditionsOf(parent: Parent): readonly Condition[] {
  return (parent.by ?? []).map(([member, value]) => ({ field: member, path: [member], op: 'eq', value }))
}

const isAttachedBy = (by: NonNullable<Parent['by']>, row: Row): boolean =>
  by.every(([member, value]) => get(row, [member]) === value)
