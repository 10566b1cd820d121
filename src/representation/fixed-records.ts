/**
 * Replaces records that were shown before by cached copies, so that rendered bytes are found by
 * identity (`reuse.ts`) with any adapter. A copy replaces a record with the same key and version
 * only if all parts are equal: correctness depends neither on the meaning of versions nor on the
 * caller.
 */
import type { Stored } from '../adapters/contract.js'
import type { Cache, Caches } from '../cache.js'
import { Fixed } from '../definition/fixed.js'
import { type FlatData, Flattener, frozenData, isSameData, sizeOfData } from '../definition/flat-data.js'
import { isObject, own } from '../definition/json.js'
import type { KeyValue } from '../definition/key.js'
import type { ResourcePlan } from '../plan/resource-plan.js'
import type { Mounted } from '../plan/routes.js'

/** A cached record. */
class KeptRecord extends Fixed implements Stored<unknown> {
  readonly version: string
  readonly size: number
  readonly #data: FlatData
  #value: unknown

  constructor(data: FlatData, version: string) {
    super()
    this.version = version
    this.size = overhead + sizeOfData(data)
    this.#data = data
  }

  /**
   * A frozen copy, created on first use. Usually the rendered bytes or the given record are used
   * instead.
   */
  get value(): unknown {
    this.#value ??= frozenData(this.#data)
    return this.#value
  }

  isSame(value: unknown): boolean {
    return isSameData(this.#data, value)
  }
}

/** The approximate size of an entry in characters, apart from the data. */
const overhead = 300

export class FixedRecords {
  readonly #on: boolean
  readonly #kept: Cache<string, KeptRecord>
  readonly #seen = new SeenKeys()
  readonly #flattener = new Flattener()
  readonly #names = new WeakMap<Mounted, string>()
  #count = 0

  constructor(caches: Caches) {
    this.#on = caches.on
    this.#kept = caches.make<string, KeptRecord>('records', { sizeOf: ({ size }) => size })
  }

  /**
   * The records, or the cached copies that replace them. `keys`: the keys of the links that led to
   * them.
   */
  of<S extends Stored<unknown> | undefined>(
    resource: Mounted,
    found: readonly S[],
    keys?: readonly KeyValue[],
  ): readonly S[] {
    let fixed: S[] | undefined
    for (let at = 0; at < found.length; at += 1) {
      const stored = found[at]
      if (stored === undefined || Fixed.is(stored)) continue
      const one = this.one(resource, stored, keys?.[at]) as typeof stored
      if (one === stored) continue
      fixed ??= [...found]
      fixed[at] = one
    }
    return fixed ?? found
  }

  /** The record, or the cached copy that replaces it. */
  one(resource: Mounted, stored: Stored<unknown>, linked?: KeyValue): Stored<unknown> {
    // Already frozen: by the memory adapter, or by a team that reuses frozen records.
    if (Fixed.is(stored) || (Object.isFrozen(stored) && Object.isFrozen(stored.value))) return stored
    // If versions do not identify values, cached copies would often differ.
    if (!this.#on || resource.adapter.computes === true) return stored
    const { value, version } = stored
    const key = isObject(value) ? nameOf(resource.plan, value, linked) : undefined
    if (key === undefined) return stored
    const name = this.#nameOf(resource) + key
    const known = this.#kept.get(name)
    if (known !== undefined && known.version === version) {
      if (known.isSame(value)) return known
      // If callers see different values, caching would be repeated in vain.
      this.#kept.delete(name)
      return stored
    }
    if (this.#seen.isFirst(name, version)) return stored
    const data = this.#flattener.flat(value as object)
    if (data === undefined) return stored
    const made = new KeptRecord(data, version)
    this.#kept.set(name, made)
    return made
  }

  /** The prefix of the names of its records. */
  #nameOf(resource: Mounted): string {
    const known = this.#names.get(resource)
    if (known !== undefined) return known
    this.#count += 1
    const made = `${this.#count}`
    this.#names.set(resource, made)
    return made
  }
}

/**
 * Names a record by its key as stored: another spelling of the key may add a second entry, which is
 * harmless. For a link target an adapter may return only the members that the link shows, so such
 * records are cached separately.
 */
function nameOf({ key }: ResourcePlan, value: object, linked: KeyValue | undefined): string | undefined {
  if (linked !== undefined) return `>${key.text(linked)}`
  if (key.composite) {
    const found = key.of(value)
    return found === undefined ? undefined : ` ${key.text(found)}`
  }
  const found = own(value, key.members[0] as string)
  return typeof found === 'string' || typeof found === 'number' ? ` ${found}` : undefined
}

/** Approximate number of names that are distinguished; each takes four bytes. */
const places = 2 ** 16
/**
 * The number of trailing characters of a version that are hashed: in most versions the last ones
 * change.
 */
const ofVersion = 24

/**
 * Remembers names and versions that were seen recently, as hashes. Most records that are read once
 * are not read again soon, and caching one costs as much as five comparisons. A hash collision only
 * means that a record is cached one request earlier.
 */
class SeenKeys {
  #hashes: Int32Array | undefined

  isFirst(name: string, version: string): boolean {
    this.#hashes ??= new Int32Array(places)
    const hash = hashed(hashed(0x811c9dc5, name, 0), version, Math.max(0, version.length - ofVersion))
    const place = (hash ^ (hash >>> 16)) & (places - 1)
    if (this.#hashes[place] === hash) return false
    this.#hashes[place] = hash
    return true
  }
}

/** FNV-1a. */
function hashed(start: number, text: string, from: number): number {
  let hash = start
  for (let at = from; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}
