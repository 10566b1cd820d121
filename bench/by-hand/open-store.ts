/**
 * Opens the store of a hand-written server. The store is in PostgreSQL if a URL is given, and in
 * memory otherwise.
 */
import { contracts, pieces } from '../data/records.js'
import { postgresStore } from './postgres-store.js'
import { memoryStore, type Store } from './store.js'

export const openStore = (database: string | undefined): Store =>
  database === undefined ? memoryStore(pieces(), contracts()) : postgresStore(database)
