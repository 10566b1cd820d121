/**
 * Records by the key and the version of their rows. A row that comes again in the version in which
 * it came before is not decoded: its record is the object that was made then, and what was rendered
 * of that object holds too (`reuse.ts`). Only rows with a proof (`row-proof.ts`) are kept, as reads
 * outside of any transaction give them.
 */
import { type Cache, Caches } from '../../../cache.js'
import { FixedStored, freezeThroughout } from '../../../definition/fixed.js'
import type { Stored } from '../../contract.js'
import type { Cells } from '../connections/client.js'

type Row = Record<string, unknown>

/** How a record lies in the cells of a row: the record's own, then the version, then what else tells rows apart. */
export interface RowShape {
  /** Tells the shapes of one table apart: `''` is the whole record. */
  readonly name: string
  /** How many cells the record has. */
  readonly width: number
  /** Whether a stamp stands behind the version. */
  readonly stamped: boolean
  /** The places of the key's members among them. */
  readonly keyPlaces: readonly number[]
  record(cells: Cells): Row
  /** The version that clients know. */
  version(stored: string | null): string
}

/** The record of a row of this shape. */
export const storedIn = (shape: RowShape, cells: Cells): Stored<Row> => ({
  value: shape.record(cells),
  version: shape.version(cells[shape.width] ?? null),
})

interface KeptRow {
  /** As the table was described when the row came: another description may read the same cells otherwise. */
  readonly shape: RowShape
  readonly epoch: number
  readonly version: string | null
  readonly stamp: string | null
  readonly stored: Stored<Row>
  /** Those of the record. */
  readonly cells: Cells
  /** Characters. */
  readonly weight: number
}

/** Characters that an object takes beside its texts, about. */
const overhead = 1_300

/** After so many lists in a row whose rows were all kept, those of the next one are most likely kept, too. */
const warmAfter = 16

/** A cache of rows, and what counts it and switches it off. */
interface Store {
  readonly caches: Caches
  readonly rows: Cache<string, KeptRow>
}

function makeStore(bound: number | undefined, on = true): Store {
  const caches = new Caches(on)
  const sizeOf = ({ weight }: KeptRow): number => weight
  return { caches, rows: caches.make('rows', bound === undefined ? { sizeOf } : { bound, sizeOf }) }
}

/** The stores of resources that have no bound of their own: those of one client share one. */
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
  /** Tells the rows of a resource from those of others in the same store. */
  readonly #prefix = `${++resources}\0`
  /** How many records were made: of rows that were not kept. */
  made = 0
  /** How many lists in a row had no row that was not kept. */
  #keptLists = 0

  /** `bound`: characters that are kept at most of this resource. Absent: the resources of the client share a bound. False or 0: nothing is kept. */
  constructor(client: object, bound?: number | false) {
    const { caches, rows } =
      bound === undefined ? sharedStore(client) : makeStore(bound || 0, bound !== false && bound > 0)
    this.caches = caches
    this.#rows = rows
  }

  /** To be called after each list that has rows: whether all of them were kept. */
  listed(allKept: boolean): void {
    this.#keptLists = allKept ? this.#keptLists + 1 : 0
  }

  /** Whether the rows of a list that was not asked for before are most likely kept. */
  get isWarm(): boolean {
    return this.#keptLists >= warmAfter
  }

  /** The record of a row: the same object while its row is the same. `epoch`: see `epochOf`. */
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
   * The cells of the record of a row that came without them: `slim` begins with the key, whose parts
   * are at `places`, and the version. `undefined` where the row is not kept.
   */
  cells(shape: RowShape, slim: Cells, places: readonly number[], epoch: number): Cells | undefined {
    const key = this.#keyOf(shape, slim, places)
    return key === undefined ? undefined : this.#known(shape, key, slim, places.length, epoch)?.cells
  }

  /**
   * The row of a key in the version that clients know by this name. It is the row as it came last,
   * which may have changed since: a write has to compare its version and its stamp.
   */
  find(shape: RowShape, keyTexts: readonly string[], version: string, epoch: number): KeptRow | undefined {
    const known = this.#rows.get(`${this.#prefix}${shape.name}\0${keyTexts.join('\0')}`)
    return known?.stored.version === version && known.epoch === epoch && known.shape === shape ? known : undefined
  }

  /** The texts of a row's key, as the database shows them; `undefined` where a part is null. */
  #keyOf({ name }: RowShape, cells: Cells, places: readonly number[]): string | undefined {
    let text = this.#prefix + name
    for (const at of places) {
      const part = cells[at] ?? undefined
      if (part === undefined) return undefined
      // No text of PostgreSQL holds U+0000.
      text += `\0${part}`
    }
    return text
  }

  /** The row of a key in the version that stands at a place of `cells`. */
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
