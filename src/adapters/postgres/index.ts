/**
 * The entry point `express-rest-conventions/postgres`: serves resources from PostgreSQL tables.
 *
 * These are the folders. A folder imports only from folders that are listed before it.
 * - `connections`: drivers, time limits and failures.
 * - `sql`: builds SQL texts and their parameters.
 * - `options`: the adapter's options.
 * - `values`: column types.
 * - `transactions`: how the statements of a call are run.
 * - `table`: a resource's table as the database describes it.
 * - `links`: joins that read the targets of links.
 * - `reads` and `writes`: the statements that read and write records.
 * - `changes`: a write with its transaction, locks and refusals.
 * - `methods`: the methods of the adapter contract.
 * - `probe`: the checks of `ready()`.
 */
export { type PostgresAdapter, postgresAdapter, type UnboundPostgresAdapter } from './adapter.js'
export type { CustomClient, PostgresClient, SplitClient, SqlClient } from './connections/client.js'
export { tableDdl } from './ddl.js'
export type { TableDdlOptions } from './distributed-ddl.js'
export type {
  Applied,
  Change,
  CreateChange,
  MoveChange,
  RemoveChange,
  ReplaceChange,
} from './options/change-options.js'
export type {
  ColumnOptions,
  CountMode,
  IdempotencyOptions,
  JoinTable,
  PostgresAdapterOptions,
  ReplicaOptions,
  ReplicaPositions,
  SearchFunction,
  SoftDeleteColumn,
  TextSearch,
  VersionColumn,
  VersionExpression,
} from './options/options.js'
export { snakeCase } from './options/snake-case.js'
export type { RelationName } from './sql/sql.js'
export { idempotencyDdl } from './table/idempotency-table.js'
export { type RedisReplicaPositionsOptions, redisReplicaPositions } from './transactions/redis-positions.js'
