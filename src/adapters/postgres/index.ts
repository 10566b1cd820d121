/** `express-rest-conventions/postgres`: resources over tables of PostgreSQL. */
export { type PostgresAdapter, postgresAdapter, type UnboundPostgresAdapter } from './adapter.js'
export type { CustomClient, PostgresClient, SplitClient, SqlClient } from './connections/client.js'
export { tableDdl } from './ddl.js'
export type { Applied, Change, CreateChange, MoveChange, RemoveChange, ReplaceChange } from './options/change-options.js'
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
} from './options/options.js'
export { snakeCase } from './options/snake-case.js'
export type { RelationName } from './sql/sql.js'
export { idempotencyDdl } from './table/kept-table.js'
