/**
 * `express-rest-conventions/memory`: an adapter that keeps its records in the process, with
 * indexes. It is also the reference for authors of other adapters.
 */
export { memoryAdapter } from './adapter.js'
export type { MemoryIdempotencyOptions } from './kept-records.js'
export type { MemoryAdapter, MemoryAdapterOptions } from './options.js'
