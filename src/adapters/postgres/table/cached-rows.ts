/**
 * A cache of decoded records, by the key and version of their rows. If a row is read again with the
 * same version, it is not decoded again. The existing record object is used, together with
 * everything that was rendered from it (`reuse.ts`). A row is kept only if equal versions are known
 * to mean equal rows in its table (`row-proof.ts`), and if its statement ran outside a transaction.
 */
import { type Cache, Caches } from '../../../cache.js'
import { FixedStored, freezeThroughout } from '../../../definition/fixed.js'
import type { Stored } from '../../contract.js'
import type { Cells } from '../connections/client.js'

type Row = Record<string, unknown>

/**
 * The order of the cells of a row: the cells of the record, then the version, then the stamp (the
 * transaction id, `xmin`) if there is one.
 */
export interface RowShape {
  /** Identifies the shape among the shapes of one table. `''` is the shape of the whole record. */
  readonly name: string
  /** The number of cells of the record. */
  readonly width: number
  /** Whether a stamp follows the version. */
  readonly stamped: boolean
  /** The indexes of the key's members among the cells. */
  readonly keyPlaces: readonly number[]
  record(cells: Cells): Row
  /** Converts a stored version to the version that clients see. */
  version(stored: string | null): string
}

/** Decodes the record and the version of a row of this shape. */
export const storedIn = (shape: RowShape, cells: Cells): Stored<Row> => ({
  value: shape.record(cells),
  version: shape.version(cells[shape.width] ?? null),
})

interface CachedRow {
  /**
   * The shape that the row was read with. If the catalog is read again, the new shape of the table
   * may interpret the same cells differently.
   */
  readonly shape: RowShape
  readonly epoch: number
  readonly version: string | null
  readonly stamp: string | null
  readonly stored: Stored<Row>
  /** The cells of the record. */
  readonly cells: Cells
  /** The approximate size, in characters. */
  readonly weight: number
}

/** The approximate size of a kept row, not counting its cells, in characters. */
const overhead = 1_300

/**
 * After this many consecutive lists whose rows were all in the cache, the rows of the next list are
 * most likely in the cache, too.
 */
const warmAfter = 16

/** A cache of rows. `caches` holds its counters and its on/off switch. */
interface Store {
  readonly caches: Caches
  readonly rows: Cache<string, CachedRow>
}

function makeStore(bound: number | undefined, on?: boolean): Store {
  const caches = new Caches(on)
  const sizeOf = ({ weight }: CachedRow): number => weight
  return { caches, rows: caches.make('rows', bound === undefined ? { sizeOf } : { bound, sizeOf }) }
}

/**
 * The store of each database client. Resources without a bound of their own share the store of
 * their database client.
 */
const shared = new WeakMap<object, Store>()

function sharedStore(client: object): Store {
  const known = shared.get(client)
  if (known !== undefined) return known
  const made = makeStore(undefined)
  shared.set(client, made)
  return made
}

let resourceCount = 0

export class CachedRows {
  readonly caches: Caches
  readonly #rows: Cache<string, CachedRow>
  /** Distinguishes the rows of this resource from the rows of other resources in the same store. */
  readonly #prefix = `${++resourceCount}\0`
  /** The number of records that were decoded because their rows were not in the cache. */
  decodedCount = 0
  /**
   * The number of consecutive lists whose rows were all in the cache. 0 after a list with a row
   * that was not in the cache.
   */
  #keptLists = 0

  /**
   * `bound` is the maximum size of this resource's rows, in characters. If `bound` is absent, the
   * resources of the database client share one bound. If `bound` is false or 0, no rows are kept.
   */
  constructor(client: object, bound?: number | false) {
    const { caches, rows } =
      bound === undefined ? sharedStore(client) : makeStore(bound || 0, bound !== false && bound > 0)
    this.caches = caches
    this.#rows = rows
  }

  /**
   * Must be called after each list that has rows. `allKept`: whether all of its rows were in the
   * cache.
   */
  listed(allKept: boolean): void {
    this.#keptLists = allKept ? this.#keptLists + 1 : 0
  }

  /** Whether the rows of the next list are most likely in the cache. */
  get isWarm(): boolean {
    return this.#keptLists >= warmAfter
  }

  /**
   * Returns the record of a row. The result is the same object as long as the row is unchanged and
   * still in the cache. For `epoch`, see `epochOf`.
   */
  stored(shape: RowShape, cells: Cells, epoch: number): Stored<Row> {
    const key = this.#keyOf(shape, cells, shape.keyPlaces)
    const known = key === undefined ? undefined : this.#known(shape, key, cells, shape.width, epoch)
    if (known !== undefined) return known.stored
    this.decodedCount += 1
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
   * Returns the cells of a kept record. `slim` is a row that was read without these cells: it holds
   * the parts of the row's key, at the indexes `places`, and then the row's version. Returns
   * `undefined` if the row is not kept in that version.
   */
  cells(shape: RowShape, slim: Cells, places: readonly number[], epoch: number): Cells | undefined {
    const key = this.#keyOf(shape, slim, places)
    return key === undefined ? undefined : this.#known(shape, key, slim, places.length, epoch)?.cells
  }

  /**
   * Returns the kept row with this key and this version. `version` has the form that API clients
   * see. The row in the database may have changed since the kept row was read. So a write must
   * compare the version and the stamp of the row.
   */
  find(shape: RowShape, keyTexts: readonly string[], version: string, epoch: number): CachedRow | undefined {
    const known = this.#rows.get(`${this.#prefix}${shape.name}\0${keyTexts.join('\0')}`)
    return known?.stored.version === version && known.epoch === epoch && known.shape === shape ? known : undefined
  }

  /**
   * Returns the cache key of a row, built from the values of the row's key, as the database returns
   * them. Returns `undefined` if a part of the key is null.
   */
  #keyOf({ name }: RowShape, cells: Cells, places: readonly number[]): string | undefined {
    let text = this.#prefix + name
    for (const at of places) {
      const part = cells[at] ?? undefined
      if (part === undefined) return undefined
      // Strings in PostgreSQL never contain U+0000, so this character can separate the parts.
      text += `\0${part}`
    }
    return text
  }

  /**
   * Returns the kept row with a cache key. The version of the kept row must equal the version at
   * index `at` of `cells`, and its stamp must equal the stamp in the next cell. Otherwise, returns
   * `undefined`.
   */
  #known(shape: RowShape, key: string, cells: Cells, at: number, epoch: number): CachedRow | undefined {
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
