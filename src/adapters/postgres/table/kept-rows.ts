/**
 * A cache of records by the key and version of their rows. If a row is read again with the same
 * version, it is not decoded: the existing record object is used again, and with it everything that
 * was rendered from it (`reuse.ts`). Only rows with a proof (`row-proof.ts`) that were read outside
 * of a transaction are kept.
 */
import { type Cache, Caches } from '../../../cache.js'
import { FixedStored, freezeThroughout } from '../../../definition/fixed.js'
import type { Stored } from '../../contract.js'
import type { Cells } from '../connections/client.js'

type Row = Record<string, unknown>

/**
 * The order of the cells of a row: those of the record, then the version, then the stamp, if any.
 */
export interface RowShape {
  /** Identifies the shape among those of one table. `''` is the whole record. */
  readonly name: string
  /** The number of cells of the record. */
  readonly width: number
  /** Whether a stamp follows the version. */
  readonly stamped: boolean
  /** The indexes of the key's members among the cells. */
  readonly keyPlaces: readonly number[]
  record(cells: Cells): Row
  /** Converts a stored version to the one that clients see. */
  version(stored: string | null): string
}

/** Decodes the record of a row of this shape. */
export const storedIn = (shape: RowShape, cells: Cells): Stored<Row> => ({
  value: shape.record(cells),
  version: shape.version(cells[shape.width] ?? null),
})

interface KeptRow {
  /**
   * The shape at the time of reading: another description of the table may interpret the same cells
   * differently.
   */
  readonly shape: RowShape
  readonly epoch: number
  readonly version: string | null
  readonly stamp: string | null
  readonly stored: Stored<Row>
  /** The cells of the record. */
  readonly cells: Cells
  /** The size in characters. */
  readonly weight: number
}

/** The approximate size of an object without its texts, in characters. */
const overhead = 1_300

/**
 * After this many consecutive lists whose rows were all kept, the rows of the next list are most
 * likely kept too.
 */
const warmAfter = 16

/** A cache of rows, with its counters and its switch. */
interface Store {
  readonly caches: Caches
  readonly rows: Cache<string, KeptRow>
}

function makeStore(bound: number | undefined, on = true): Store {
  const caches = new Caches(on)
  const sizeOf = ({ weight }: KeptRow): number => weight
  return { caches, rows: caches.make('rows', bound === undefined ? { sizeOf } : { bound, sizeOf }) }
}

/** The stores by client. Resources without their own bound share the store of their client. */
const shared = new WeakMap<object, Store>()

function sharedStore(client: object): Store {
  const known = shared.get(client)
  if (known !== undefined) return known
  const made = makeStore(undefined)
  shared.set(client, made)
  return made
}

let resources = 0

export class KeptRows {
  readonly caches: Caches
  readonly #rows: Cache<string, KeptRow>
  /** Distinguishes the rows of this resource from those of others in the same store. */
  readonly #prefix = `${++resources}\0`
  /** The number of records that were decoded because their rows were not kept. */
  made = 0
  /** The number of consecutive lists whose rows were all kept. */
  #keptLists = 0

  /**
   * `bound`: the maximum size of this resource's rows, in characters. Absent: the resources of the
   * client share a bound. False or 0: no rows are kept.
   */
  constructor(client: object, bound?: number | false) {
    const { caches, rows } =
      bound === undefined ? sharedStore(client) : makeStore(bound || 0, bound !== false && bound > 0)
    this.caches = caches
    this.#rows = rows
  }

  /** Must be called after each list that has rows. `allKept`: whether all of them were kept. */
  listed(allKept: boolean): void {
    this.#keptLists = allKept ? this.#keptLists + 1 : 0
  }

  /** Whether the rows of a new list are most likely kept. */
  get isWarm(): boolean {
    return this.#keptLists >= warmAfter
  }

  /**
   * The record of a row. Returns the same object while the row is the same. `epoch`: see `epochOf`.
   */
  stored(shape: RowShape, cells: Cells, epoch: number): Stored<Row> {
    const key = this.#keyOf(shape, cells, shape.keyPlaces)
    const known = key === undefined ? undefined : this.#known(shape, key, cells, shape.width, epoch)
    if (known !== undefined) return known.stored
    this.made += 1
    const made = storedIn(shape, cells)
    if (key === undefined) return made
    const stored = new FixedStored(freezeThroughout(made.value), made.version)
    const own = cells.slice(0, shape.width)
    const version = cells[shape.width] ?? null
    const stamp = shape.stamped ? (cells[shape.width + 1] ?? null) : null
    this.#rows.set(key, { shape, epoch, version, stamp, stored, cells: own, weight: weightOf(own) })
    return stored
  }

  /**
   * The record's cells of a row that was read without them. `slim` begins with the key, whose parts
   * are at `places`, and the version. `undefined` if the row is not kept.
   */
  cells(shape: RowShape, slim: Cells, places: readonly number[], epoch: number): Cells | undefined {
    const key = this.#keyOf(shape, slim, places)
    return key === undefined ? undefined : this.#known(shape, key, slim, places.length, epoch)?.cells
  }

  /**
   * The row with a key and a version, in the form that clients see. It is the row as last read, and
   * may have changed since: a write has to compare its version and its stamp.
   */
  find(shape: RowShape, keyTexts: readonly string[], version: string, epoch: number): KeptRow | undefined {
    const known = this.#rows.get(`${this.#prefix}${shape.name}\0${keyTexts.join('\0')}`)
    return known?.stored.version === version && known.epoch === epoch && known.shape === shape ? known : undefined
  }

  /** The texts of a row's key as the database returns them; `undefined` if a part is null. */
  #keyOf({ name }: RowShape, cells: Cells, places: readonly number[]): string | undefined {
    let text = this.#prefix + name
    for (const at of places) {
      const part = cells[at] ?? undefined
      if (part === undefined) return undefined
      // Texts of PostgreSQL never contain U+0000.
      text += `\0${part}`
    }
    return text
  }

  /** The kept row with a key, if its version is the one at index `at` of `cells`. */
  #known(shape: RowShape, key: string, cells: Cells, at: number, epoch: number): KeptRow | undefined {
    const known = this.#rows.get(key)
    const isSame =
      known?.version === (cells[at] ?? null) && known.stamp === (shape.stamped ? (cells[at + 1] ?? null) : null)
    return isSame && known.epoch === epoch && known.shape === shape ? known : undefined
  }
}

function weightOf(cells: Cells): number {
  let weight = overhead
  for (const cell of cells) weight += cell?.length ?? 0
  return weight
}
