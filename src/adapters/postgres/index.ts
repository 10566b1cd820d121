/** `express-rest-conventions/postgres`: resources over tables of PostgreSQL. */
export { type PostgresAdapter, postgresAdapter, type UnboundPostgresAdapter } from './adapter.js'
export type { Applied, Change, CreateChange, MoveChange, RemoveChange, ReplaceChange } from './change-options.js'
export type { CustomClient, PostgresClient, SplitClient, SqlClient } from './client.js'
export { tableDdl } from './ddl.js'
export { idempotencyDdl } from './kept-table.js'
export type {
  ColumnOptions,
  CountMode,
  IdempotencyOptions,
  JoinTable,
  PostgresAdapterOptions,
  SearchFunction,
  SoftDeleteColumn,
  TextSearch,
  VersionColumn,
  VersionExpression,
} from './options.js'
export { snakeCase } from './snake-case.js'
export type { RelationName } from './sql.js'
