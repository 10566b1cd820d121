/** Where counts are kept: what a store must do, and the one in the process. */
import type { Awaitable } from '../adapters/contract.js'

/**
 * What one process writes. It is the state of its own counts, not what was added to them: writing the same twice changes
 * nothing, so a write whose answer was lost can be repeated.
 */
export interface UsageWrite {
  /** The name of the writing process. It is globally unique. */
  readonly writer: string
  /** Grows with each write of this process. */
  readonly sequence: number
  /** Milliseconds since this process began to count. */
  readonly age: number
  /**
   * Milliseconds back from now for which counting was complete, where the store holds nothing of any
   * process: it is new, or it has lost what it held.
   */
  readonly complete: number
  /** Milliseconds between its writes. */
  readonly interval: number
  /** True of the last write of a process that ends. */
  readonly closed: boolean
  /** Milliseconds for which the counts of this process are kept after its last write. */
  readonly keep: number
  /** Counts by name, as texts. */
  readonly fields: ReadonlyMap<string, string>
  /** Names of counts that are no more. */
  readonly removed: readonly string[]
}

/** What a store holds of one process. Times are milliseconds since 1970, by the clock of the store. */
export interface StoredWriter {
  readonly writer: string
  /** When it began to count. */
  readonly started: number
  /** When it last wrote. */
  readonly seen: number
  readonly interval: number
  readonly closed: boolean
  /** Its counts; `undefined` where the store has lost them. */
  readonly fields: ReadonlyMap<string, string> | undefined
}

/** All that a store holds. */
export interface StoredUsage {
  /** Now, by the clock of the store. */
  readonly now: number
  /** From when on it holds the counts of every process that has written; `undefined` where none has. */
  readonly since: number | undefined
  readonly writers: readonly StoredWriter[]
}

/** Keeps the counts of all processes. Methods throw or reject on failure. */
export interface UsageStore {
  /**
   * Sets and removes fields of one process, all or none, unless it holds a write of this process
   * with the same sequence or a higher one. Resolves to the sequence that it held before;
   * `undefined` where it held nothing of this process.
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

/** Counts in this process: they end with it, and other processes don't see them. */
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
