/** The contract of stores for counts, and a store in the memory of the process. */
import type { Awaitable } from '../adapters/contract.js'

/**
 * A write by one process. It contains the current values of the process's own counts, not
 * increments. Making the write twice has the same effect as making it once, so a write whose
 * response was lost can be retried.
 */
export interface UsageWrite {
  /** The name of the writing process. It is globally unique. */
  readonly writer: string
  /** Increases with each write of this process. */
  readonly sequence: number
  /** Milliseconds since this process started counting. */
  readonly age: number
  /**
   * The counts are complete for this many milliseconds before this write. Only an empty store uses
   * this number: a new store, or a store that has lost its contents.
   */
  readonly complete: number
  /** Milliseconds between the writes of this process. */
  readonly interval: number
  /** True for the last write of a process that ends. */
  readonly closed: boolean
  /** Milliseconds for which the counts of this process are kept after its last write. */
  readonly keep: number
  /** The counts to set, by name, as strings. */
  readonly fields: ReadonlyMap<string, string>
  /** The names of counts that no longer exist. */
  readonly removed: readonly string[]
}

/** The stored data of one process. Times are milliseconds since 1970, by the clock of the store. */
export interface StoredWriter {
  readonly writer: string
  /** When the process started counting. */
  readonly started: number
  /** When the process last wrote. */
  readonly seen: number
  readonly interval: number
  readonly closed: boolean
  /** The counts of the process; `undefined` if the store has lost them. */
  readonly fields: ReadonlyMap<string, string> | undefined
}

/** The contents of a store. */
export interface StoredUsage {
  /** The current time, by the clock of the store. */
  readonly now: number
  /**
   * The beginning of the counts: what happened earlier is unknown. `undefined` if no process has
   * written.
   */
  readonly since: number | undefined
  readonly writers: readonly StoredWriter[]
}

/** Stores the counts of all processes. Methods throw or reject on failure. */
export interface UsageStore {
  /**
   * Sets and removes counts of one process atomically. Changes nothing if the store already has a
   * write of this process with the same or a higher sequence. Returns, or resolves to, the sequence
   * of the last write of this process that the store already had; `undefined` if it had none.
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

/**
 * Keeps the counts in this process. They are lost when the process ends, and are not visible to
 * other processes.
 */
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
