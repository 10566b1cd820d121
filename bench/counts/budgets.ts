/** What a request may take. `npm run bench:counts -- --paste --node <20>,<22>,<24>` prints the table anew. */
import type { CountedName } from './workloads.js'

/** A request's share. */
export interface Counts {
  /** Allocated on V8's heap, less what Node takes to write the same answer. */
  readonly bytes: number
  /** Calls of functions of the library. */
  readonly calls: number
  /** Characters of the library's compiled source that are run through. */
  readonly code: number
  readonly promises: number
  readonly timers: number
  /** Calls of the adapters. */
  readonly adapterCalls: number
  /** Listeners put on the request and the response. */
  readonly listeners: number
  /** Header fields of the answer. */
  readonly fields: number
  /** Writes to the connection: what is corked together is one. */
  readonly writes: number
  /** Looks at `performance.now()` and `Date.now()`. */
  readonly clock: number
  readonly uuids: number
}
