/** Which driver speaks to a team's client. */
import { invalidOption } from '../../../options/check.js'
import { noTransaction } from '../unfit.js'
import type { Database, PostgresClient, SplitClient, SqlClient } from './client.js'
import { customDatabase } from './custom-driver.js'
import { isPgClient, isPgPool } from './pg-client.js'
import { clientDatabase, type PgOptions, poolDatabase } from './pg-driver.js'
import { isPglite, isPgliteTransaction, pgliteDatabase, pgliteTransaction } from './pglite-driver.js'

/** Where to read and where to write. */
export interface Databases {
  readonly read: Database
  readonly write: Database
  /** The team's clients of both. */
  readonly clients: readonly [read: SqlClient, write: SqlClient]
  /** The client came by `within()`: writes need a transaction of the caller's. */
  readonly callers?: boolean
}

/** Throws `ConfigurationError` where the client is none. */
export function databasesOf(client: PostgresClient, options: PgOptions): Databases {
  if (isSplit(client)) {
    const { read, write } = client
    return { read: databaseOf(read, options), write: databaseOf(write, options), clients: [read, write] }
  }
  const database = databaseOf(client, options)
  return { read: database, write: database, clients: [client, client] }
}

/**
 * The same of a client that is to be in a transaction of the caller's. Throws `ConfigurationError`
 * where it can be in none.
 */
export function callersDatabases(client: PostgresClient, options: PgOptions): Databases {
  const { read, write } = isSplit(client) ? client : { read: client, write: client }
  const database = databaseOf(write, options, true)
  // These two begin a transaction of their own for each write.
  if (!database.nested) throw noTransaction()
  return { read: read === write ? database : databaseOf(read, options), write: database, clients: [read, write], callers: true }
}

const isSplit = (client: PostgresClient): client is SplitClient =>
  typeof client === 'object' && client !== null && 'read' in client && 'write' in client && !('query' in client)

function databaseOf(client: SqlClient, options: PgOptions, callers = false): Database {
  if (typeof client === 'object' && client !== null) {
    if (isPgPool(client)) return poolDatabase(client, options)
    if (isPgClient(client)) return clientDatabase(client, options)
    if (isPglite(client)) return pgliteDatabase(client)
    if (isPgliteTransaction(client)) return pgliteTransaction(client)
    if (typeof client.query === 'function') return customDatabase(client, callers)
  }
  throw invalidOption(
    'postgresAdapter() needs a client first: a Pool or Client of "pg", a PGlite, a transaction of either, { read, write } of two, or an object with query(text, values).',
  )
}
