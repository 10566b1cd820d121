/** Selects the driver for the database client that the service passes. */

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
  /** The service's database clients for reads and for writes. */
  readonly clients: readonly [read: SqlClient, write: SqlClient]
  /** The rules for reads from a replica. Absent if the adapter has no replica. */
  readonly replica?: ReplicaUse
  /**
   * The client of the primary, as passed to `postgresAdapter`. It stays the same in an adapter from
   * `within()`.
   */
  readonly primary: SqlClient
  /** Whether the client was passed to `within()`. Writes then need the caller's own transaction. */
  readonly inCallersTransaction?: boolean
}

/** Rules for reads from a replica. */
export interface ReplicaUse {
  /**
   * Returns `'primary'` if the read must use the primary. Otherwise returns the position that the
   * replica must have reached before it serves this caller, or `undefined` if only the `floor`
   * applies to this caller.
   */
  needs(call: AdapterCall): Promise<'primary' | string | undefined> | 'primary' | undefined
  /** Returns the position that the replica must have reached before it serves any caller. */
  floor(): string | undefined
  /**
   * Whether the primary serves conditional requests, as well as reads of records that the replica
   * does not have.
   */
  readonly verified: boolean
}

/**
 * Returns the databases of a client. Without `replica`, reads use the database for writes. Throws
 * `ConfigurationError` if the type of the client is unknown.
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
 * Returns the databases of a client that must be in the caller's own transaction. Throws
 * `ConfigurationError` if the client can't be in a transaction.
 */
export function callersDatabases(
  client: PostgresClient,
  options: PgOptions,
  primary: SqlClient,
  replica?: ReplicaUse,
): Databases {
  const { read, write } = isSplit(client) ? client : { read: client, write: client }
  const database = databaseOf(write, options, true)
  // A Pool and a PGlite begin a new transaction for each write, so neither can be in the caller's
  // own transaction.
  if (!database.mayBeNested) throw noTransaction()
  const own = {
    write: database,
    inCallersTransaction: true,
    primary,
    ...(replica === undefined ? {} : { replica }),
  } as const
  if (read === write || replica === undefined) return { ...own, read: database, clients: [write, write] }
  return { ...own, read: replicaOf(read, options, replica), clients: [read, write] }
}

const replicaOf = (client: SqlClient, options: PgOptions, { floor }: ReplicaUse): Database =>
  databaseOf(client, { ...options, floor })

export const isSplit = (client: PostgresClient): client is SplitClient =>
  typeof client === 'object' && client !== null && 'read' in client && 'write' in client && !('query' in client)

function databaseOf(client: SqlClient, options: PgOptions, inCallersTransaction = false): Database {
  if (typeof client === 'object' && client !== null) {
    if (isPgPool(client)) return poolDatabase(client, options)
    if (isPgClient(client)) return clientDatabase(client, options)
    if (isPglite(client)) return pgliteDatabase(client)
    if (isPgliteTransaction(client)) return pgliteTransaction(client)
    if (typeof client.query === 'function') return customDatabase(client, inCallersTransaction)
  }
  throw invalidOption(
    'postgresAdapter() needs a client as its first argument: a Pool or Client of "pg", a PGlite, a transaction of ' +
      'a PGlite, an object with query(text, values), or { read, write } with two of these.',
  )
}
