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

export class KeptRows {
  readonly caches: Caches
  readonly #rows: Cache<string, KeptRow>
  /** How many records were made: of rows that were not kept. */
  made = 0

  /** `bound`: characters that are kept at most; 0 keeps nothing. */
  constructor(bound?: number) {
    this.caches = bound === 0 ? new Caches(false) : new Caches()
    this.#rows = this.caches.make<string, KeptRow>('rows', { ...(bound === undefined ? {} : { bound }), sizeOf: ({ weight }) => weight })
  }

  /** The record of a row: the same object while its row is the same. `epoch`: see `epochOf`. */
  stored(shape: RowShape, cells: Cells, epoch: number): Stored<Row> {
    const key = keyTextOf(shape, cells, shape.keyPlaces)
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
    const key = keyTextOf(shape, slim, places)
    return key === undefined ? undefined : this.#known(shape, key, slim, places.length, epoch)?.cells
  }

  /** The row of a key in the version that stands at a place of `cells`. */
  #known(shape: RowShape, key: string, cells: Cells, at: number, epoch: number): KeptRow | undefined {
    const known = this.#rows.get(key)
    const isSame = known?.version === (cells[at] ?? null) && known.stamp === (shape.stamped ? (cells[at + 1] ?? null) : null)
    return isSame && known.epoch === epoch && known.shape === shape ? known : undefined
  }
}

/** The texts of a row's key, as the database shows them; `undefined` where a part is null. */
function keyTextOf({ name }: RowShape, cells: Cells, places: readonly number[]): string | undefined {
  let text = name
  for (const at of places) {
    const part = cells[at] ?? undefined
    if (part === undefined) return undefined
    // No text of PostgreSQL holds U+0000.
    text = text === '' ? part : `${text}\0${part}`
  }
  return text
}

function weightOf(cells: Cells): number {
  let weight = overhead
  for (const cell of cells) weight += cell?.length ?? 0
  return weight
}
