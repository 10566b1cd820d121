/**
 * Stores a position for each client: how far the primary's write-ahead log had advanced at the
 * client's last write (`pg_lsn`). The positions are in the memory of one process.
 */
import type { ReplicaPositions } from '../options/options.js'

/**
 * The highest possible position, which no replica reaches. It stands for a write whose position is
 * unknown.
 */
export const unknownPosition = 'FFFFFFFF/FFFFFFFF'

/**
 * With time, the floor (see `ProcessPositions`) is raised to positions that are at least this old,
 * in milliseconds. An unknown position is kept for the same time.
 */
export const settledAfter = 60_000

/**
 * How long the position of a client is kept, in milliseconds. After that time, the floor is at
 * least as high as the position.
 */
export const keptFor = 3 * settledAfter

/** The maximum number of clients whose positions are kept. */
const maxClients = 10_000

interface Entry {
  readonly position: string | undefined
  /** When the position was last raised. */
  readonly at: number
  /** The time until which a write of the client might still be running. */
  readonly unknownUntil: number
}

/**
 * Stores the positions of the clients of one process. A position is evicted if it is old, or if
 * there are too many positions. The floor is a position that is at least as high as all evicted
 * positions. A replica must have reached the floor before it serves any client.
 */
export class ProcessPositions implements ReplicaPositions {
  readonly #entries = new Map<string, Entry>()
  readonly #now: () => number
  readonly #maxClients: number
  /** The highest position of any client. */
  #high: string | undefined
  /** The highest position of any client at the time `#markedAt`. */
  #marked: string | undefined
  #markedAt: number
  #floor: string | undefined
  /** The latest `unknownUntil` of the entries that were evicted because there were too many. */
  #unknownUntil = Number.NEGATIVE_INFINITY

  constructor(now = (): number => performance.now(), max = maxClients) {
    this.#now = now
    this.#maxClients = max
    this.#markedAt = now()
  }

  get(client: string): string | undefined {
    const now = this.#now()
    this.#mark(now)
    if (this.#unknownUntil > now) return unknownPosition
    const entry = this.#entries.get(client)
    if (entry === undefined) return undefined
    if (entry.unknownUntil > now) return unknownPosition
    if (entry.at + keptFor > now) return entry.position
    this.#entries.delete(client)
    return undefined
  }

  floor(): string | undefined {
    this.#mark(this.#now())
    return this.#floor
  }

  raise(client: string, position: string): void {
    const now = this.#now()
    this.#mark(now)
    const known = this.#entries.get(client)
    this.#entries.delete(client)
    const unknown = position === unknownPosition
    if (!unknown) this.#advance(position)
    this.#entries.set(client, {
      position: unknown ? known?.position : higher(known?.position, position),
      at: now,
      unknownUntil: unknown ? now + settledAfter : (known?.unknownUntil ?? Number.NEGATIVE_INFINITY),
    })
    if (this.#entries.size > this.#maxClients) this.#dropOldest()
  }

  /**
   * Raises `#high` to the position of a new write. A position below the floor shows that the
   * database was restored and has a new log, so all earlier positions are deleted.
   */
  #advance(position: string): void {
    if (this.#floor !== undefined && compare(position, this.#floor) < 0) {
      this.#entries.clear()
      this.#floor = undefined
      this.#marked = position
      this.#high = position
    } else this.#high = higher(this.#high, position)
  }

  /**
   * If at least `settledAfter` milliseconds have passed since `#markedAt`, raises the floor to
   * `#marked`, and then stores the current highest position in `#marked`. If at least twice
   * `settledAfter` has passed, raises the floor to the current highest position instead of
   * `#marked`. This position is old enough too: it was stored less than `settledAfter` after
   * `#markedAt`, because every later call would have changed `#markedAt`.
   */
  #mark(now: number): void {
    const age = now - this.#markedAt
    if (age < settledAfter) return
    const settled = age < 2 * settledAfter ? this.#marked : this.#high
    if (settled !== undefined) this.#floor = higher(this.#floor, settled)
    this.#marked = this.#high
    this.#markedAt = now
  }

  #dropOldest(): void {
    const [oldest] = this.#entries
    if (oldest === undefined) return
    const [client, { position, unknownUntil }] = oldest
    this.#entries.delete(client)
    if (position !== undefined) this.#floor = higher(this.#floor, position)
    this.#unknownUntil = Math.max(this.#unknownUntil, unknownUntil)
  }
}

const higher = (known: string | undefined, position: string): string =>
  known !== undefined && compare(known, position) > 0 ? known : position

/**
 * Compares two positions as PostgreSQL does. The result is negative if the first position is lower.
 */
export function compare(one: string, other: string): number {
  const difference = numberOf(one) - numberOf(other)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/**
 * Converts a position to a number. A position consists of two hexadecimal halves of 32 bits each.
 */
function numberOf(position: string): bigint {
  const [high = '0', low = '0'] = position.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}
