/** Which records are attached to which parents (PATH-7): by members of the record, or by sets kept here. */

import { get } from '../../definition/json.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import { invalidOption } from '../../options/check.js'
import { ConfigurationError } from '../../problem.js'
import { type Association, associationOf } from '../association.js'
import type { Condition, ParentKey } from '../contract.js'
import { Bucket } from './bucket.js'
import type { Entry, Identity, Row } from './entry.js'

/** A parent as this resource knows it. */
export interface Parent extends Pick<Association, 'by'> {
  /** The parent's identity among the sets. */
  readonly text: string
}

export class Associations {
  readonly #definition: ResourceDefinition
  readonly #attached = new Map<string, Bucket>()
  /** Key of a record -> the parents in whose sets it is. */
  readonly #parents = new Map<Identity, Set<string>>()

  /** Throws `ConfigurationError` where the members of an association can't hold its parent's key. */
  constructor(definition: ResourceDefinition) {
    this.#definition = definition
    for (const { of, by } of definition.attachedTo) {
      const inKey = by?.find((member) => definition.key.members.includes(member))
      if (inKey !== undefined) {
        throw new ConfigurationError(
          'unsuitable-member',
          `"${definition.collection}" is attached by "${inKey}", a member of its key: attaching would make another record of it. Declare it as contained (parent) or name another member.`,
        )
      }
      if (by !== undefined && typeof of !== 'string' && by.length !== of.key.members.length) {
        throw invalidOption(
          `"${definition.collection}" is attached to "${of.collection}" by ${by.length} members, but its key has ${of.key.members.length}: ${of.key.members.join(', ')}. Name one member for each.`,
        )
      }
    }
  }

  /** Throws where the definition does not say that records can be attached to this parent. */
  parent(key: ParentKey): Parent {
    const { by, collection, as, parts } = associationOf(this.#definition, key)
    return { by, text: JSON.stringify([collection, as, ...parts]) }
  }

  has(parent: Parent, entry: Entry): boolean {
    return parent.by === undefined
      ? (this.#attached.get(parent.text)?.has(entry) ?? false)
      : isAttachedBy(parent.by, entry.stored.value)
  }

  /** The records in the parent's set, where the association is kept here. */
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

  /** A record changed, or went: then it leaves all sets. */
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

/** The conditions that a record attached to this parent fulfils, where its own members say so. */
export function conditionsOf(parent: Parent): readonly Condition[] {
  return (parent.by ?? []).map(([member, value]) => ({ field: member, path: [member], op: 'eq', value }))
}

const isAttachedBy = (by: NonNullable<Parent['by']>, row: Row): boolean =>
  by.every(([member, value]) => get(row, [member]) === value)
