/** Selects the driver for a team's client. */

import { invalidOption } from '../../../options/check.js'
import type { AdapterCall } from '../../contract.js'
import { noTransaction } from '../unfit.js'
import type { Database, PostgresClient, SplitClient, SqlClient } from './client.js'
import { customDatabase } from './custom-driver.js'
import { isPgClient, isPgPool } from './pg-client.js'
import { clientDatabase, type PgOptions, poolDatabase } from './pg-driver.js'
import { isPglite, isPgliteTransaction, pgliteDatabase, pgliteTransaction } from './pglite-driver.js'

/** The databases for reads and for writes. */
export interface Databases {
  readonly read: Database
  readonly write: Database
  /** The team's clients for both. */
  readonly clients: readonly [read: SqlClient, write: SqlClient]
  /** The rules for reads from a replica. Absent: `read` and `write` are one database. */
  readonly replica?: ReplicaUse
  /** The team's client of the primary, also where a write is in a transaction of the caller's. */
  readonly primary: SqlClient
  /** The client was passed to `within()`: writes need a transaction of the caller's. */
  readonly callers?: boolean
}

/** Rules for reads from a replica. */
export interface ReplicaUse {
  /**
   * `true` if the read must use the primary, otherwise the position that the replica must have
   * reached for this client.
   */
  needs(call: AdapterCall): Promise<'primary' | string | undefined> | 'primary' | undefined
  /** The position that the replica must have reached for any client. */
  floor(): string | undefined
  /** Whether a record that the replica does not have is read from the primary. */
  readonly verified: boolean
}

/**
 * The databases of a client. Without `replica`, reads use the database of the writes. Throws
 * `ConfigurationError` if the client has an unknown type.
 */
export function databasesOf(client: PostgresClient, options: PgOptions, replica?: ReplicaUse): Databases {
  if (isSplit(client)) {
    const { read, write } = client
    const to = databaseOf(write, options)
    if (replica === undefined || read === write) return { read: to, write: to, clients: [write, write], primary: write }
    return { read: replicaOf(read, options, replica), write: to, clients: [read, write], replica, primary: write }
  }
  const database = databaseOf(client, options)
  return { read: database, write: database, clients: [client, client], primary: client }
}

/**
 * The databases of a client that must be in a transaction of the caller's. Throws
 * `ConfigurationError` if it can't be.
 */
export function callersDatabases(
  client: PostgresClient,
  options: PgOptions,
  primary: SqlClient,
  replica?: ReplicaUse,
): Databases {
  const { read, write } = isSplit(client) ? client : { read: client, write: client }
  const database = databaseOf(write, options, true)
  // A Pool and a PGlite begin a new transaction for each write.
  if (!database.nested) throw noTransaction()
  const own = { write: database, callers: true, primary, ...(replica === undefined ? {} : { replica }) } as const
  if (read === write || replica === undefined) return { ...own, read: database, clients: [write, write] }
  return { ...own, read: replicaOf(read, options, replica), clients: [read, write] }
}

const replicaOf = (client: SqlClient, options: PgOptions, { floor }: ReplicaUse): Database =>
  databaseOf(client, { ...options, floor })

export const isSplit = (client: PostgresClient): client is SplitClient =>
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
    'postgresAdapter() needs a client as its first argument: a Pool or Client of "pg", a PGlite, a transaction ' +
      'of either, { read, write } of two, or an object with query(text, values).',
  )
}
