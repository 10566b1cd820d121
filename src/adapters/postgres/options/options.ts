/** The options of `postgresAdapter`. */
import type { ResourceDefinition } from '../../../definition/resource.js'
import type { MemberName, MemberPath } from '../../../definition/schema-types.js'
import type { AdapterCall, ListRequest } from '../../contract.js'
import type { SqlClient } from '../connections/client.js'
import type { RelationName } from '../sql/sql.js'
import type { Change } from './change-options.js'

/**
 * Describes a member's column if the defaults do not apply: the column does not have the default
 * name, only the database writes it, or SQL computes the member.
 */
export interface ColumnOptions {
  /**
   * The name of the column. Default: derived from the member's name, according to the option
   * `naming`.
   */
  readonly column?: string
  /**
   * False if only the database sets the column, for example by a trigger or as a generated column.
   * Default true.
   */
  readonly write?: boolean
  /**
   * SQL that computes the member from the columns of the row. Responses can show the member, and
   * list requests can filter and sort by it. The member is never written.
   */
  readonly expression?: string
}

/**
 * A version that is stored in a column. Each write must give the row a version that no row with the
 * same key has had before. The adapter's writes set the column to its DEFAULT, or to `next`. They
 * do not set a generated column.
 */
export interface VersionColumn {
  readonly column: string
  /**
   * SQL that computes the next version. Default: the column's own DEFAULT, which must never yield
   * the same value twice. Suitable defaults are `gen_random_uuid()` and `nextval(...)`.
   */
  readonly next?: string
  /**
   * True if only this adapter changes the rows. Default false: the adapter then checks in the
   * catalog whether a trigger sets a new version on each update of a row. Without such a trigger,
   * the version also includes a digest of the row.
   */
  readonly soleWriter?: boolean
}

/**
 * A version that SQL computes from the row. Use it for a table that other programs change without
 * changing a version column. Rows with equal content have equal versions.
 */
export interface VersionExpression {
  readonly expression: string
}

/** A column that marks rows as deleted. Marked rows are treated as absent. */
export interface SoftDeleteColumn {
  readonly column: string
  /**
   * The SQL of the value that marks a row as deleted. For a boolean column: `'true'` (the default),
   * or `'false'` if false marks deleted rows, as in a column `active`. For other columns, an SQL
   * expression, by default the current time. Such a column is NULL in all rows that are not
   * deleted.
   */
  readonly deleted?: string
}

/** The join table that stores an association, if the record's own columns do not store it. */
export interface JoinTable {
  readonly table: string | RelationName
  /** The columns that hold the parent's key, in the order of the key's parts. */
  readonly parent: string | readonly string[]
  /** The columns that hold the record's key, in the order of the key's parts. */
  readonly key: string | readonly string[]
}

/**
 * Options of PostgreSQL's full-text search. The function `websearch_to_tsquery` parses the query
 * parameter `q`.
 */
export interface TextSearch<T = unknown> {
  /**
   * The text search configuration. Default `simple`, which suits every language because it does no
   * stemming.
   */
  readonly config?: string
  /** The members to search. Default: the members in `search` of the definition. */
  readonly members?: readonly MemberPath<T>[]
  /**
   * The `tsvector` column to search, if the table has one. By default, the adapter computes the
   * vector from the members. An index on the same expression makes the search fast. `tableDdl`
   * returns the DDL of this index.
   */
  readonly vector?: string
}

/**
 * Your own search function, for example for a separate search engine. It receives the unmodified
 * `q`, and returns the keys of the records that match, the best match first. The database still
 * applies filters, scope and paging.
 */
export type SearchFunction<K = unknown> = (
  q: string,
  request: ListRequest,
  call: AdapterCall,
) => Promise<readonly K[]> | readonly K[]

/**
 * How the total of a list is determined. `exact` counts all matching items. `bounded` counts up to
 * `countBound`. `estimated` uses the planner's estimate if there are more than `countBound` items.
 * `none` omits the total.
 */
export type CountMode = 'exact' | 'bounded' | 'estimated' | 'none'

/**
 * The table that stores created records by idempotency key, so that a retry of the request does not
 * create a second record.
 */
export interface IdempotencyOptions {
  /**
   * The table, which must be in the database for writes. `idempotencyDdl` returns its DDL. Several
   * resources can share one table.
   */
  readonly table: string | RelationName
  /** How long a retry of a request is recognized, in seconds. Default 86,400 (a day). */
  readonly ttl?: number
  /**
   * Whether to use advisory locks. Default true: if a create with the same idempotency key is still
   * in progress, the response is 503 at once. Set this option to false if the database has no
   * advisory locks and raises an error for them. A create then waits until the create in progress
   * has ended.
   */
  readonly lock?: boolean
}

/**
 * A store with one position for each client: how far the primary's write-ahead log had advanced at
 * the client's last write. Reads from replicas use these positions. Processes that serve the same
 * clients must share one store, such as `redisReplicaPositions()`. A position is a string such as
 * `16/B374D848` (the type `pg_lsn` of PostgreSQL).
 */
export interface ReplicaPositions {
  /**
   * Returns the position of a client, or `undefined` if the store has none. If this method fails,
   * the read uses the primary.
   */
  get(client: string): Promise<string | undefined> | string | undefined
  /**
   * Raises the position of a client. A position that is lower than the stored one changes nothing.
   * The position `FFFFFFFF/FFFFFFFF` stands for a write that might still be committed. After a
   * client's position has been raised to this value, `get` must return the value for one minute.
   */
  raise(client: string, position: string): Promise<void> | void
  /**
   * Returns a position that is at least as high as every position that the store evicted before the
   * last call of `get`. A replica that has not reached this position is not used. Absent if the
   * store keeps all positions.
   */
  floor?(): string | undefined
}

/** How reads use the replica `read` of a client `{ read, write }`. */
export interface ReplicaOptions {
  /**
   * True: after a write, the client reads from the primary until the replica has replayed the
   * write. This costs one statement after each write, and a transaction around each read of a
   * client that has written within the last three minutes. False: a client might read the state
   * before its own write. Default true.
   */
  readonly ownWrites?: boolean
  /**
   * True: the primary serves conditional requests, and the records that the replica does not have.
   * False: the response to a read might be an outdated 304, 412 or 404. Default true.
   */
  readonly verified?: boolean
  /**
   * The store of positions, such as Redis (`redisReplicaPositions()`). Default: the memory of this
   * process, which is not shared with other processes.
   */
  readonly positions?: ReplicaPositions
}

/** The options of `postgresAdapter`. */
export interface PostgresAdapterOptions<T = unknown, K = unknown> {
  /**
   * The resource. It is needed only if the adapter is used before it is mounted, or without being
   * mounted. Default: the resource that the adapter is mounted for.
   */
  readonly resource?: ResourceDefinition<T, K>
  /** The table to which the adapter writes: `pieces`, `courier.pieces`, or `{ schema, name }`. */
  readonly table: string | RelationName
  /**
   * A view, or a query (`SELECT ...`). The adapter reads items and lists from it instead of from
   * the table. It must include the columns of the key and the version. Default: the table.
   */
  readonly readFrom?: string | RelationName
  /**
   * The members whose column is not written or has a different name than `naming` derives, and the
   * members that SQL computes. Columns that are not in the schema can also be named here, so that
   * `onCreate` and `onUpdate` can set them.
   */
  readonly columns?: { readonly [Name in MemberName<T>]?: string | ColumnOptions } & {
    readonly [other: string]: string | ColumnOptions | undefined
  }
  /**
   * How the name of a column is derived from the name of its member. Default `snake_case`: the
   * member `fechaDeEntrada` is stored in the column `fecha_de_entrada`. With `same`, both names are
   * equal.
   */
  readonly naming?: 'snake_case' | 'same' | ((member: string) => string)
  /** The `jsonb` column that stores all members that have no column of their own. */
  readonly rest?: string
  /**
   * The source of a row's version. Default `xmin`: the id of the transaction that last changed the
   * row. An ordinary table needs no additional column for `xmin`.
   */
  readonly version?: 'xmin' | VersionColumn | VersionExpression
  /**
   * A string that becomes part of the version. It distinguishes this database from copies and other
   * databases, because their rows could have the same `xmin`. Default: the server's system
   * identifier.
   */
  readonly epoch?: string
  /**
   * The column that marks a row as removed. Removed rows then stay in the table. Default: removed
   * rows are deleted.
   */
  readonly softDelete?: string | SoftDeleteColumn
  /**
   * Returns the record that a create stores, or a promise of it. Use it for members that your
   * service sets instead of the client.
   */
  readonly onCreate?: (value: T, call: AdapterCall) => T | Promise<T>
  /**
   * Returns the record that a change of an existing record stores, or a promise of it. This option
   * costs one more read for each change.
   */
  readonly onUpdate?: (value: T, current: T, call: AdapterCall) => T | Promise<T>
  /**
   * Runs your own statements in the transaction of each write. Examples: insert an outbox row,
   * write to a second table, or send `SET LOCAL` for row-level security. If the database requires
   * another attempt, the function runs again. Only the changes of the last run remain. If the
   * function throws, the whole write is rolled back.
   */
  readonly write?: (tx: SqlClient, change: Change<T, K>, call: AdapterCall) => Promise<void>
  /**
   * True: in the `write` function, `change.before` is always set to the record that is about to be
   * replaced, patched, attached, detached or removed. This costs one more statement for each such
   * write. That statement also locks the row. If the record does not exist, or does not have the
   * expected version, the function is not called. A detach is an exception: its version is compared
   * later. Default false.
   */
  readonly readBefore?: boolean
  /**
   * Runs statements at the start of the transaction of each read and write, for example `SET LOCAL`
   * for row-level security. With this option, reads also run in a transaction.
   */
  readonly session?: (tx: SqlClient, call: AdapterCall) => Promise<void>
  /**
   * The join tables of the associations that the record's own columns do not store. Each join table
   * is listed under the path segment of its association (`attachedTo.as` of the definition).
   */
  readonly attached?: Readonly<Record<string, JoinTable>>
  /**
   * Stores each record that a POST with an `Idempotency-Key` creates, in the transaction of the
   * create. A retry of the request then creates nothing (VERB-12). Default: idempotency keys are
   * ignored.
   */
  readonly idempotency?: IdempotencyOptions
  /**
   * How the query parameter `q` is searched. Default: full-text search over the members that the
   * definition names in `search`.
   */
  readonly search?: TextSearch<T> | SearchFunction<K>
  /** How the total of a list is determined. Default `exact`. */
  readonly count?: CountMode
  /**
   * The number of items up to which `bounded` counts, and above which `estimated` estimates.
   * Default 10,000.
   */
  readonly countBound?: number
  /**
   * How `ready()` checks that requests can succeed. Each level includes the levels before it:
   * - `catalog`: checks tables, columns, privileges and policies in the catalog.
   * - `explain`: the database also plans the statements that requests send, without running them.
   * - `execute`: also updates existing rows, deletes them and inserts them again, in a transaction
   *   that is always rolled back. This detects triggers that refuse every write. This level fires
   *   triggers and advances sequences.
   *
   * Default `explain`. Any other value throws `ConfigurationError`.
   */
  readonly probe?: 'catalog' | 'explain' | 'execute'
  /**
   * The maximum size, in characters, of the rows that the adapter keeps in memory. A kept row is
   * not decoded again while its version stays the same. Rows are kept only if the catalog proves
   * that rows with equal keys and versions are equal. False: no rows are kept. Default: all
   * resources that use the same database client share 33,554,432 characters.
   */
  readonly keepRows?: number | false
  /**
   * Only for a client `{ read, write }`. With true, or with an object of options, GET requests use
   * `read`, which must be a streaming replica of `write`. Default false: all reads use `write`.
   */
  readonly replica?: boolean | ReplicaOptions
  /**
   * Whether repeated statements get a name, so that the server keeps them prepared. Set it to false
   * behind a connection pooler that does not support named statements. It has an effect only with
   * `pg`. Default true.
   */
  readonly prepare?: boolean
  /**
   * Milliseconds to wait for a connection of the pool, but never longer than the request's own time
   * limit. Default 5,000.
   */
  readonly acquireTimeout?: number
  /**
   * Milliseconds after which a statement is cancelled, but never longer than nine tenths of the
   * request's remaining time. Default: nine tenths of the request's remaining time.
   */
  readonly statementTimeout?: number
  /**
   * Receives warnings for operators, for example about a lost idle connection or a slow count.
   * Default `process.emitWarning`.
   */
  readonly onWarning?: (message: string) => void
}
