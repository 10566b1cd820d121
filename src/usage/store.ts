/** The contract of stores for counts, and a store in the process. */
import type { Awaitable } from '../adapters/contract.js'

/**
 * A write of one process. It has the current state of the process's own counts, not increments:
 * writing it twice has the same effect, so a write whose response was lost can be repeated.
 */
export interface UsageWrite {
  /** The name of the writing process. It is globally unique. */
  readonly writer: string
  /** Increases with each write of this process. */
  readonly sequence: number
  /** Milliseconds since this process started counting. */
  readonly age: number
  /**
   * For how many milliseconds until now counting was complete, for a store without contents: it is
   * new, or has lost its contents.
   */
  readonly complete: number
  /** Milliseconds between the writes of this process. */
  readonly interval: number
  /** True for the last write of a process that ends. */
  readonly closed: boolean
  /** Milliseconds for which the counts of this process are kept after its last write. */
  readonly keep: number
  /** Counts by name, as strings. */
  readonly fields: ReadonlyMap<string, string>
  /** Names of counts that no longer exist. */
  readonly removed: readonly string[]
}

/** The stored data of one process. Times are milliseconds since 1970, by the clock of the store. */
export interface StoredWriter {
  readonly writer: string
  /** When it started counting. */
  readonly started: number
  /** When it last wrote. */
  readonly seen: number
  readonly interval: number
  readonly closed: boolean
  /** Its counts; `undefined` if the store has lost them. */
  readonly fields: ReadonlyMap<string, string> | undefined
}

/** The contents of a store. */
export interface StoredUsage {
  /** The current time, by the clock of the store. */
  readonly now: number
  /**
   * From when on the store has the counts of every process that has written; `undefined` if none
   * has.
   */
  readonly since: number | undefined
  readonly writers: readonly StoredWriter[]
}

/** Stores the counts of all processes. Methods throw or reject on failure. */
export interface UsageStore {
  /**
   * Sets and removes fields of one process atomically, unless the store has a write of this process
   * with the same or a higher sequence. Resolves to the previous sequence of this process;
   * `undefined` if there is none.
   */
  write(write: UsageWrite): Awaitable<number | undefined>
  read(): Awaitable<StoredUsage>
}

interface Kept {
  readonly fields: Map<string, string>
  started: number
  seen: number
  interval: number
  closed: boolean
  sequence: number
  expires: number
}

/** Counts in this process. They are lost when it ends, and are not visible to other processes. */
export function memoryUsageStore(): UsageStore {
  const writers = new Map<string, Kept>()
  let since: number | undefined
  return {
    write({ writer, sequence, age, complete, interval, closed, keep, fields, removed }) {
      const now = Date.now()
      since ??= now - complete
      const known = writers.get(writer)
      if (known !== undefined && known.sequence >= sequence) return known.sequence
      const kept = known ?? {
        fields: new Map<string, string>(),
        started: now - age,
        seen: 0,
        interval,
        closed,
        sequence,
        expires: 0,
      }
      for (const name of removed) kept.fields.delete(name)
      for (const [name, value] of fields) kept.fields.set(name, value)
      const before = known?.sequence
      Object.assign(kept, { seen: now, interval, closed, sequence, expires: now + keep })
      writers.set(writer, kept)
      return before
    },
    read() {
      const now = Date.now()
      for (const [writer, { expires }] of writers) if (expires <= now) writers.delete(writer)
      const held = [...writers].map(([writer, { started, seen, interval, closed, fields }]) => ({
        writer,
        started,
        seen,
        interval,
        closed,
        fields: new Map(fields),
      }))
      return { now, since, writers: held }
    },
  }
}
