/**
 * `express-rest-conventions/memory`: an adapter that keeps its records in the process, indexed. It
 * is also the reference for other adapters.
 */
export { memoryAdapter } from './adapter.js'
export type { MemoryIdempotencyOptions } from './kept-records.js'
export type { MemoryAdapter, MemoryAdapterOptions } from './options.js'
