/**
 * What stands for records that were shown before, so that rendered bytes are found by identity
 * (`reuse.ts`) whichever adapter gives the records. It stands for a record of the same key and
 * version only where the two are the same in every part: so nothing depends on what a version
 * promises, nor on who asks.
 */
import type { Stored } from '../adapters/contract.js'
import type { Cache, Caches } from '../cache.js'
import { Fixed } from '../definition/fixed.js'
import { type FlatData, Flattener, frozenData, isSameData, sizeOfData } from '../definition/flat-data.js'
import { isObject, own } from '../definition/json.js'
import type { KeyValue } from '../definition/key.js'
import type { ResourcePlan } from '../plan/resource-plan.js'
import type { Mounted } from '../plan/routes.js'

/** A record that was kept. */
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

  /** A frozen copy. Most are never looked at: rendered bytes are there already, or the record that was given is. */
  get value(): unknown {
    this.#value ??= frozenData(this.#data)
    return this.#value
  }

  isSame(value: unknown): boolean {
    return isSameData(this.#data, value)
  }
}

/** About what an entry takes beside the data, in characters. */
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

  /** The records, each or what stands for it. `keys` are those by which links led to them. */
  of<S extends Stored<unknown> | undefined>(resource: Mounted, found: readonly S[], keys?: readonly KeyValue[]): readonly S[] {
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

  /** The record, or what stands for it. */
  one(resource: Mounted, stored: Stored<unknown>, linked?: KeyValue): Stored<unknown> {
    // As the memory adapter gives them, or a team that freezes its records and goes on giving them.
    if (Fixed.is(stored) || (Object.isFrozen(stored) && Object.isFrozen(stored.value))) return stored
    // Where versions do not stand for values, what is kept would often be another.
    if (!this.#on || resource.adapter.computes === true) return stored
    const { value, version } = stored
    const key = isObject(value) ? nameOf(resource.plan, value, linked) : undefined
    if (key === undefined) return stored
    const name = this.#nameOf(resource) + key
    const known = this.#kept.get(name)
    if (known !== undefined && known.version === version) {
      if (known.isSame(value)) return known
      // Each caller may be shown something else: then none of it is worth keeping again and again.
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

  /** The names of its records begin with it. */
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
 * The key as it is stored: another spelling of it may be kept beside it, and does no harm. Of what a
 * link leads to an adapter may give the members alone that it shows, so that is kept by itself.
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

/** How many names are told apart, about: each keeps four bytes. */
const places = 2 ** 16
/** Characters of a version that are looked at: of most versions, the last ones change. */
const ofVersion = 24

/**
 * Names with versions that were seen lately, as hashes: most of what is read once is not read again
 * soon, and keeping takes as long as five comparisons. Two that have one hash are kept a turn earlier.
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
