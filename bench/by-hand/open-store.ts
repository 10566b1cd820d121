/** The data of a hand-written server: in PostgreSQL if there is an address, else in the process. */
import { contracts, pieces } from '../data/records.js'
import { postgresStore } from './postgres-store.js'
import { memoryStore, type Store } from './store.js'

export const openStore = (database: string | undefined): Store =>
  database === undefined ? memoryStore(pieces(), contracts()) : postgresStore(database)
