/** Equality indexes, built when lists need them and kept up to date afterwards. */
import { get } from '../../definition/json.js'
import type { Scalar } from '../contract.js'
import { Bucket } from './bucket.js'
import type { Entry } from './entry.js'
import { kindOf } from './order.js'

/** The condition that a member equals a value. */
export interface Equality {
  readonly field: string
  readonly path: readonly string[]
  readonly value: Scalar
}

/** The maximum number of indexes over several members. The least recently used index is evicted. */
const maxCompound = 16
/** Up to this many records, filtering costs less than keeping another index. */
const fewRecords = 32

const emptyBucket = new Bucket()

export class Indexes {
  readonly all = new Bucket()
  readonly #single = new Map<string, EqualityIndex>()
  /** The indexes over several members, from the least to the most recently used. */
  readonly #compound = new Map<string, EqualityIndex>()
  /**
   * Names of the members of an index -> the number of records that were filtered so far because
   * this index is missing.
   */
  readonly #cost = new Map<string, number>()

  /** The records whose member equals the value. */
  equal(equality: Equality): Bucket {
    let index = this.#single.get(equality.field)
    if (index === undefined) {
      index = new EqualityIndex([equality.path], this.all.entries)
      this.#single.set(equality.field, index)
    }
    return index.bucket([equality.value])
  }

  /**
   * Returns the smallest available bucket (a group of records in an index) that contains all
   * records that meet these equalities. Also returns `covers`: the equalities that all records of
   * the bucket meet. The given equalities must be on different members.
   *
   * Building an index over several members examines every record once. So the index is built only
   * after list requests that could have used it have examined, in total, more records than the
   * store holds. A combination of members that only a few requests use gets no index.
   */
  smallest(equalities: readonly Equality[]): { readonly bucket: Bucket; readonly covers: readonly Equality[] } {
    const [only] = equalities
    if (only === undefined) return { bucket: this.all, covers: [] }
    if (equalities.length === 1) return { bucket: this.equal(only), covers: equalities }

    const sorted = equalities.toSorted((a, b) => (a.field < b.field ? -1 : 1))
    const name = sorted.map(({ field }) => field).join('\0')
    const values = sorted.map(({ value }) => value)
    const index = this.#compound.get(name)
    if (index !== undefined) {
      this.#compound.delete(name)
      this.#compound.set(name, index)
      return { bucket: index.bucket(values), covers: equalities }
    }
    let best = { bucket: this.equal(only), covers: [only] }
    for (const equality of equalities) {
      const bucket = this.equal(equality)
      if (bucket.size < best.bucket.size) best = { bucket, covers: [equality] }
    }
    return this.#worthwhile(name, best.bucket.size)
      ? { bucket: this.#compose(name, sorted).bucket(values), covers: equalities }
      : best
  }

  /** Updates the indexes after one record was added, removed or changed. */
  swap(old: Entry | undefined, next: Entry | undefined): void {
    if (old !== undefined && next !== undefined) this.all.replace(old, next)
    else if (old !== undefined) this.all.delete(old)
    else if (next !== undefined) this.all.add(next)
    for (const index of this.#single.values()) index.swap(old, next)
    for (const index of this.#compound.values()) index.swap(old, next)
  }

  #worthwhile(name: string, records: number): boolean {
    if (records <= fewRecords) return false
    const cost = (this.#cost.get(name) ?? 0) + records
    this.#cost.delete(name)
    if (cost > this.all.size) return true
    this.#cost.set(name, cost)
    if (this.#cost.size > 4 * maxCompound) this.#cost.delete(this.#cost.keys().next().value as string)
    return false
  }

  #compose(name: string, equalities: readonly Equality[]): EqualityIndex {
    const index = new EqualityIndex(
      equalities.map(({ path }) => path),
      this.all.entries,
    )
    if (this.#compound.size >= maxCompound) this.#compound.delete(this.#compound.keys().next().value as string)
    this.#compound.set(name, index)
    return index
  }
}

/**
 * Records by the values of one or several members. A record is not included if one of these members
 * is absent, null, an object or an array.
 */
class EqualityIndex {
  readonly #buckets = new Map<unknown, Bucket>()
  readonly #paths: readonly (readonly string[])[]
  /** The path of the member, if the index has only one member. */
  readonly #only: readonly string[] | undefined

  constructor(paths: readonly (readonly string[])[], entries: Iterable<Entry>) {
    this.#paths = paths
    this.#only = paths.length === 1 ? paths[0] : undefined
    for (const entry of entries) this.swap(undefined, entry)
  }

  bucket(values: readonly Scalar[]): Bucket {
    return this.#buckets.get(nameOf(values)) ?? emptyBucket
  }

  swap(old: Entry | undefined, next: Entry | undefined): void {
    const from = old === undefined ? undefined : this.#keyOf(old)
    const to = next === undefined ? undefined : this.#keyOf(next)
    const left = this.#buckets.get(from)
    if (old !== undefined && next !== undefined && from === to) left?.replace(old, next)
    else {
      if (old !== undefined && left !== undefined) {
        left.delete(old)
        if (left.size === 0) this.#buckets.delete(from)
      }
      if (next !== undefined && to !== undefined) {
        let bucket = this.#buckets.get(to)
        if (bucket === undefined) {
          bucket = new Bucket()
          this.#buckets.set(to, bucket)
        }
        bucket.add(next)
      }
    }
  }

  #keyOf(entry: Entry): unknown {
    if (this.#only !== undefined) {
      const value = get(entry.stored.value, this.#only)
      return kindOf(value) > 2 ? undefined : value
    }
    const values = this.#paths.map((path) => get(entry.stored.value, path))
    return values.some((value) => kindOf(value) > 2) ? undefined : nameOf(values)
  }
}

/**
 * The map key for a list of values. The map key of a single value is the value itself. The map key
 * of several values is their JSON, which distinguishes 1 from "1".
 */
const nameOf = (values: readonly unknown[]): unknown => (values.length === 1 ? values[0] : JSON.stringify(values))
