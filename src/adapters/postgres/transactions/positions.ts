/**
 * The position of the primary's log (`pg_lsn`) at the last write of each client, in the memory of
 * one process.
 */
import type { ReplicaPositions } from '../options/options.js'

/**
 * The highest position, which no replica reaches. It represents a write whose position is unknown.
 */
export const unknownPosition = 'FFFFFFFF/FFFFFFFF'

/**
 * Milliseconds after which a position becomes part of the floor, and for which an unknown position
 * is kept.
 */
export const settledAfter = 60_000

/**
 * Milliseconds for which the position of a client is kept. After that, the floor is at least as
 * high.
 */
export const keptFor = 3 * settledAfter

/** The maximum number of clients whose positions are kept. */
const maxClients = 10_000

interface Entry {
  readonly position: string | undefined
  /** When the position was last raised. */
  readonly at: number
  /** The time until which a write of the client may still be running. */
  readonly unknownUntil: number
}

/**
 * Positions of the clients of one process. Positions that are dropped, because they are old or
 * there are too many, remain in the floor, which all replicas must have reached.
 */
export class ProcessPositions implements ReplicaPositions {
  readonly #entries = new Map<string, Entry>()
  readonly #now: () => number
  readonly #maxClients: number
  /** The highest position of all. */
  #high: string | undefined
  /** The highest position at the time `#markedAt`. */
  #marked: string | undefined
  #markedAt: number
  #floor: string | undefined
  /** The time until which a write of a client whose entry was dropped may still be running. */
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

  /** A position below the floor comes from a restored database, whose log is a different one. */
  #advance(position: string): void {
    if (this.#floor !== undefined && compare(position, this.#floor) < 0) {
      this.#entries.clear()
      this.#floor = undefined
      this.#marked = position
      this.#high = position
    } else this.#high = higher(this.#high, position)
  }

  /** Raises the floor to a mark that is old enough. */
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

/** Compares as PostgreSQL does. Negative if the first one is lower. */
export function compare(one: string, other: string): number {
  const difference = numberOf(one) - numberOf(other)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** Two hexadecimal halves of 32 bits. */
function numberOf(position: string): bigint {
  const [high = '0', low = '0'] = position.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}
