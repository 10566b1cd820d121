/** `express-rest-conventions/postgres`: resources over tables of PostgreSQL. */
export { type PostgresAdapter, postgresAdapter, type UnboundPostgresAdapter } from './adapter.js'
export type { CustomClient, PostgresClient, SplitClient, SqlClient } from './client.js'
export { tableDdl } from './ddl.js'
export { idempotencyDdl } from './kept-records.js'
export {
  type Applied,
  type Change,
  type ColumnOptions,
  type CountMode,
  type CreateChange,
  type IdempotencyOptions,
  type JoinTable,
  type MoveChange,
  type PostgresAdapterOptions,
  type RemoveChange,
  type ReplaceChange,
  type SearchFunction,
  type SoftDeleteColumn,
  snakeCase,
  type TextSearch,
  type VersionColumn,
  type VersionExpression,
} from './options.js'
export type { RelationName } from './sql.js'
