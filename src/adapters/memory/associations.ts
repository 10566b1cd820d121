/** Which records are attached to which parents (PATH-7): by members of the record, or by sets kept here. */

import { get } from '../../definition/json.js'
import type { KeyValue } from '../../definition/key.js'
import type { ResourceDefinition } from '../../definition/resource.js'
import { ConfigurationError } from '../../problem.js'
import type { Condition, ParentKey, Scalar } from '../contract.js'
import { Bucket } from './bucket.js'
import type { Entry, Row } from './entry.js'

/** A parent as this resource knows it. */
export interface Parent {
  /** The members that hold the parent's key, where the record does, and what they hold when it is attached. */
  readonly by: readonly (readonly [member: string, value: Scalar])[] | undefined
  /** The parent's identity among the sets. */
  readonly text: string
}

export class Associations {
  readonly #definition: ResourceDefinition
  readonly #attached = new Map<string, Bucket>()
  /** Key of a record -> the parents in whose sets it is. */
  readonly #parents = new Map<string, Set<string>>()

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
        throw new ConfigurationError(
          'invalid-option',
          `"${definition.collection}" is attached to "${of.collection}" by ${by.length} members, but its key has ${of.key.members.length}: ${of.key.members.join(', ')}. Name one member for each.`,
        )
      }
    }
  }

  /** Throws where the definition does not say that records can be attached to this parent. */
  parent({ collection, key, as }: ParentKey): Parent {
    const all = this.#definition.attachedTo.filter(({ of }) => (typeof of === 'string' ? of : of.collection) === collection)
    // Where there is but one, its name does not matter: an older version (`view`) may have another for it.
    const found = all.length === 1 ? all[0] : all.find((one) => one.as === as)
    if (found === undefined) {
      throw new ConfigurationError(
        'unmounted-parent',
        `"${this.#definition.collection}" can not be attached to "${collection}" as "${as}". Name it in attachedTo.`,
      )
    }
    const parts =
      typeof found.of !== 'string'
        ? found.of.key.parts(key as KeyValue)
        : typeof key === 'object' && key !== null
          ? (Object.values(key) as Scalar[])
          : [key as Scalar]
    return {
      by: found.by?.map((member, i) => [member, parts[i] as Scalar] as const),
      text: JSON.stringify([collection, found.as, ...parts]),
    }
  }

  has(parent: Parent, entry: Entry): boolean {
    return parent.by === undefined ? (this.#attached.get(parent.text)?.has(entry) ?? false) : isAttachedBy(parent.by, entry.stored.value)
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
    const parents = this.#parents.get(entry.text)
    if (parents === undefined) this.#parents.set(entry.text, new Set([parent.text]))
    else parents.add(parent.text)
  }

  detach(parent: Parent, entry: Entry): void {
    this.#leave(parent.text, entry)
    const parents = this.#parents.get(entry.text)
    parents?.delete(parent.text)
    if (parents?.size === 0) this.#parents.delete(entry.text)
  }

  /** A record changed, or went: then it leaves all sets. */
  swap(old: Entry, next: Entry | undefined): void {
    const parents = this.#parents.get(old.text)
    if (parents === undefined) return
    if (next === undefined) this.#parents.delete(old.text)
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

const isAttachedBy = (by: NonNullable<Parent['by']>, row: Row): boolean => by.every(([member, value]) => get(row, [member]) === value)
