/** Which driver speaks to a team's client. */
import { ConfigurationError } from '../../problem.js'
import type { Database, PostgresClient, SplitClient, SqlClient } from './client.js'
import { customDatabase } from './custom-driver.js'
import { isPgClient, isPgPool } from './pg-client.js'
import { clientDatabase, type PgOptions, poolDatabase } from './pg-driver.js'
import { isPglite, isPgliteTransaction, pgliteDatabase, pgliteTransaction } from './pglite-driver.js'

/** Where to read and where to write. */
export interface Databases {
  readonly read: Database
  readonly write: Database
}

/** Throws `ConfigurationError` where the client is none. */
export function databasesOf(client: PostgresClient, options: PgOptions): Databases {
  if (isSplit(client)) return { read: databaseOf(client.read, options), write: databaseOf(client.write, options) }
  const database = databaseOf(client, options)
  return { read: database, write: database }
}

const isSplit = (client: PostgresClient): client is SplitClient =>
  typeof client === 'object' && client !== null && 'read' in client && 'write' in client && !('query' in client)

function databaseOf(client: SqlClient, options: PgOptions): Database {
  if (typeof client === 'object' && client !== null) {
    if (isPgPool(client)) return poolDatabase(client, options)
    if (isPgClient(client)) return clientDatabase(client, options)
    if (isPglite(client)) return pgliteDatabase(client)
    if (isPgliteTransaction(client)) return pgliteTransaction(client)
    if (typeof client.query === 'function') return customDatabase(client)
  }
  throw new ConfigurationError(
    'invalid-option',
    'postgresAdapter() needs a client first: a Pool or Client of "pg", a PGlite, a transaction of either, { read, write } of two, or an object with query(text, values).',
  )
}
