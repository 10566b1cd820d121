/**
 * Replaces a record with its cached copy, if it has one. This is necessary because `reuse.ts` finds
 * the rendered bytes of a record by object identity, but an adapter may return a new object for
 * each read. The copy must have the same key, the same version and the same values as the record.
 * The result is therefore correct even if a version does not identify the whole value, or if
 * callers see different values.
 */
import type { Stored } from '../adapters/contract.js'
import type { Cache, Caches } from '../cache.js'
import { Fixed } from '../definition/fixed.js'
import { type FlatData, Flattener, frozenData, isSameData, sizeOfData } from '../definition/flat-data.js'
import { isObject, own } from '../definition/json.js'
import type { KeyValue } from '../definition/key.js'
import type { ResourcePlan } from '../plan/resource-plan.js'
import type { Mounted } from '../plan/routes.js'

/** A cached copy of a record. */
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
   * The value as a frozen object. The object is created on first use. Most requests do not need
   * this object, because they use the rendered bytes or the record that the adapter returned.
   */
  get value(): unknown {
    this.#value ??= frozenData(this.#data)
    return this.#value
  }

  isSame(value: unknown): boolean {
    return isSameData(this.#data, value)
  }
}

/** The approximate size of a cache entry without its data, in characters. */
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
   * Returns the records, or the cached copies that replace them. `keys`: the keys of the records,
   * if the records are the targets of links.
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
      const one = this.cachedOr(resource, stored, keys?.[at]) as typeof stored
      if (one === stored) continue
      fixed ??= [...found]
      fixed[at] = one
    }
    return fixed ?? found
  }

  /**
   * Returns the record, or the cached copy that replaces it. `linked`: the key of the record, if
   * the record is the target of a link.
   */
  cachedOr(resource: Mounted, stored: Stored<unknown>, linked?: KeyValue): Stored<unknown> {
    // A frozen record needs no copy. The memory adapter returns frozen records, and the service's
    // own adapter may do so too.
    if (Fixed.is(stored) || (Object.isFrozen(stored) && Object.isFrozen(stored.value))) return stored
    // If versions do not identify values, a cached copy would often differ from the record.
    if (!this.#on || resource.adapter.computes === true) return stored
    const { value, version } = stored
    const key = isObject(value) ? nameOf(resource.plan, value, linked) : undefined
    if (key === undefined) return stored
    const name = this.#nameOf(resource) + key
    const known = this.#kept.get(name)
    if (known !== undefined && known.version === version) {
      if (known.isSame(value)) return known
      // The values differ although the versions are equal, for example because callers see
      // different values. A copy of this record might not match the result of the next read either,
      // so no copy is made now.
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

  /** Returns the prefix of the names under which records of this resource are cached. */
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
 * Returns the name under which a record is cached, or `undefined` if the record can't be cached.
 * The name contains the key as it is stored. If a key has two spellings, the record may have two
 * cache entries, which is harmless. An adapter may return the target of a link with only the
 * members that the link shows. Such a target must not replace a whole record, so the names for
 * targets of links differ from the names for other records.
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

/** The maximum number of hashes that are remembered. Each hash takes four bytes. */
const hashSlots = 2 ** 16
/**
 * The number of characters at the end of a version that are hashed. Most versions differ in their
 * last characters.
 */
const hashedVersionLength = 24

/**
 * Remembers the names and versions of recently read records, as hashes. A record is cached only
 * when it is read for the second time. Most records are not read again soon, and caching a record
 * costs as much as comparing it five times. If two hashes collide, a record is cached one read too
 * early, which is harmless.
 */
class SeenKeys {
  #hashes: Int32Array | undefined

  isFirst(name: string, version: string): boolean {
    this.#hashes ??= new Int32Array(hashSlots)
    const hash = hashed(hashed(0x811c9dc5, name, 0), version, Math.max(0, version.length - hashedVersionLength))
    const place = (hash ^ (hash >>> 16)) & (hashSlots - 1)
    if (this.#hashes[place] === hash) return false
    this.#hashes[place] = hash
    return true
  }
}

/** Continues an FNV-1a hash with the characters of a string, beginning at the index `from`. */
function hashed(start: number, text: string, from: number): number {
  let hash = start
  for (let at = from; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}
