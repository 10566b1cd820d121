/**
 * Batches reads. Several requests may run the same statement in one turn of the event loop, for
 * example a read by key. The statement is then sent for all of them in one round trip on one
 * connection, with the values of each request. A round trip to the server costs the process about
 * 35 microseconds, most of them in the kernel. Ten reads by key in one round trip cost the process
 * 54 microseconds per request instead of 88, and cost the server less too. A read that no other
 * read joins within its turn is sent like an ordinary statement.
 */

import type { Cells, Wait } from './client.js'
import { failureKind } from './failures.js'
import { callAbandoned } from './waits.js'

/**
 * The maximum number of reads per round trip. The number is limited because the server executes the
 * reads one after the other.
 */
const maxReads = 25

/** Sends a statement once for each set of values. Returns the rows for each set. */
export type SendAll = (
  text: string,
  columns: readonly string[],
  sets: () => readonly (readonly (string | null)[])[],
  wait: Wait,
) => Promise<readonly (readonly Cells[])[]>

/** Sends a statement once. */
export type SendOne = (
  text: string,
  columns: readonly string[],
  values: readonly (string | null)[],
  wait: Wait,
) => Promise<readonly Cells[]>

interface Read {
  readonly values: readonly (string | null)[]
  readonly wait: Wait
  readonly resolve: (rows: readonly Cells[]) => void
  readonly reject: (error: unknown) => void
}

/** The reads of one statement that have not been sent yet. */
class Group implements Wait {
  readonly reads: Read[] = []
  readonly signal = undefined

  /**
   * The shortest remaining time among the reads. If the batch times out, each read whose time is
   * not up is sent again separately.
   */
  left(): number {
    return Math.min(...this.reads.map(({ wait }) => wait.left()))
  }

  get gone(): boolean {
    return this.reads.every(({ wait }) => wait.gone === true)
  }
}

export class SharedReads {
  readonly #open = new Map<string, Group>()
  readonly #sendAll: SendAll
  readonly #sendOne: SendOne

  constructor(sendAll: SendAll, sendOne: SendOne) {
    this.#sendAll = sendAll
    this.#sendOne = sendOne
  }

  /**
   * Runs a read-only statement. Until it is sent, other reads of the same statement may join its
   * batch.
   */
  read(
    text: string,
    columns: readonly string[],
    values: readonly (string | null)[],
    wait: Wait,
  ): Promise<readonly Cells[]> {
    return new Promise((resolve, reject) => {
      let group = this.#open.get(text)
      if (group === undefined || group.reads.length >= maxReads) {
        const made = new Group()
        group = made
        this.#open.set(text, made)
        // `setImmediate` calls back after the event loop has read the data that has arrived on
        // sockets. So requests that arrive at the same time share the batch.
        setImmediate(() => void this.#send(text, columns, made))
      }
      group.reads.push({ values, wait, resolve, reject })
    })
  }

  async #send(text: string, columns: readonly string[], group: Group): Promise<void> {
    const { reads } = group
    const [only] = reads
    if (only !== undefined && reads.length === 1) {
      this.#close(text, group)
      return this.#alone(text, columns, only)
    }
    try {
      const sets = (): readonly (readonly (string | null)[])[] => {
        this.#close(text, group)
        return reads.map(({ values }) => values)
      }
      const found = await this.#sendAll(text, columns, sets, group)
      for (const [i, read] of reads.entries()) read.resolve(found[i] ?? [])
    } catch (error) {
      this.#close(text, group)
      this.#failed(text, columns, reads, error)
    }
  }

  /**
   * Handles the failure of a batch. The failure may concern only one of the reads, or the
   * connection, so each read whose time is not up is sent again separately. If no connection was
   * available (`busy`), all reads fail.
   */
  #failed(text: string, columns: readonly string[], reads: readonly Read[], error: unknown): void {
    const busy = failureKind(error) === 'busy'
    for (const read of reads) {
      if (busy) read.reject(error)
      else if (read.wait.gone === true || read.wait.left() <= 0) read.reject(callAbandoned())
      else void this.#alone(text, columns, read)
    }
  }

  #alone(text: string, columns: readonly string[], { values, wait, resolve, reject }: Read): Promise<void> {
    return this.#sendOne(text, columns, values, wait).then(resolve, reject)
  }

  #close(text: string, group: Group): void {
    if (this.#open.get(text) === group) this.#open.delete(text)
  }
}
