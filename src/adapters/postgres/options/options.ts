/** The options of `postgresAdapter`. */
import type { ResourceDefinition } from '../../../definition/resource.js'
import type { MemberName, MemberPath } from '../../../definition/schema-types.js'
import type { AdapterCall, ListRequest } from '../../contract.js'
import type { SqlClient } from '../connections/client.js'
import type { RelationName } from '../sql/sql.js'
import type { Change } from './change-options.js'

/** The column of a member, if its name can't be derived from the member's. */
export interface ColumnOptions {
  /** The name of the column. Default: by `naming`. */
  readonly column?: string
  /** False if only the database writes it, by a trigger or as a generated column. Default true. */
  readonly write?: boolean
  /**
   * SQL over the columns of the row that computes the member. The member can be shown, filtered and
   * sorted by, and is never written.
   */
  readonly expression?: string
}

/**
 * A version in a column. The column's default, or `next`, must give each write a value that no
 * other write of the same key has had.
 */
export interface VersionColumn {
  readonly column: string
  /**
   * SQL for the next version. Default: the column's own DEFAULT, which must never repeat.
   * `gen_random_uuid()` and `nextval(...)` do not.
   */
  readonly next?: string
  /**
   * True if only this adapter changes the rows. Default false: then `ready()` checks whether the
   * database changes the column on updates by others (with a trigger, or as a generated column). If
   * not, the version also includes a digest of the row.
   */
  readonly soleWriter?: boolean
}

/**
 * A version computed from the row, for tables whose other columns are changed by others without
 * notice. Equal content has equal versions.
 */
export interface VersionExpression {
  readonly expression: string
}

/** A column that marks deleted rows, which are treated as absent. */
export interface SoftDeleteColumn {
  readonly column: string
  /**
   * SQL of the value that marks a row as deleted. Default: `true` for a boolean, otherwise the
   * current time.
   */
  readonly deleted?: string
}

/** The join table of an association that the record itself does not store. */
export interface JoinTable {
  readonly table: string | RelationName
  /** The columns that hold the parent's key, in the order of its parts. */
  readonly parent: string | readonly string[]
  /** The columns that hold the record's key, in the order of its parts. */
  readonly key: string | readonly string[]
}

/** Full-text search of PostgreSQL: `q` goes through `websearch_to_tsquery`. */
export interface TextSearch<T = unknown> {
  /** The text search configuration. Default `simple`: no stemming, for any language. */
  readonly config?: string
  /** The members to search. Default: those in `search` of the definition. */
  readonly members?: readonly MemberPath<T>[]
  /**
   * A `tsvector` column of the table, if there is one. Default: computed from the members' texts;
   * an index on the same expression supports it (see `tableDdl`).
   */
  readonly vector?: string
}

/**
 * A search engine of the team's own. Gets the unmodified `q`, and returns keys, best first. The
 * database still applies filters, scope and paging.
 */
export type SearchFunction<K = unknown> = (
  q: string,
  request: ListRequest,
  call: AdapterCall,
) => Promise<readonly K[]> | readonly K[]

/**
 * How the total is determined: counted, counted up to a bound, estimated by the planner, or
 * omitted.
 */
export type CountMode = 'exact' | 'bounded' | 'estimated' | 'none'

/** The table that keeps created records for repeated requests. */
export interface IdempotencyOptions {
  /**
   * The table, in the database that is written to. `idempotencyDdl` prints its DDL. Several
   * resources may share one.
   */
  readonly table: string | RelationName
  /** Seconds for which a repeat is recognized. Default 86,400 (a day). */
  readonly ttl?: number
  /**
   * False if the store has no advisory locks and raises an error for them. Then an equal create
   * waits for the one in progress, and is not answered with 503. Default true.
   */
  readonly lock?: boolean
}

/**
 * The position of the primary's log at the last write of each client, for reads from replicas.
 * Processes that serve the same clients must share a store: `redisReplicaPositions()`. Positions
 * are texts such as `16/B374D848` (`pg_lsn`).
 */
export interface ReplicaPositions {
  /**
   * The position of a client; `undefined` if none is kept. If it rejects, reads use the primary.
   */
  get(client: string): Promise<string | undefined> | string | undefined
  /**
   * Raises the position of a client. A lower position changes nothing. `FFFFFFFF/FFFFFFFF`
   * represents a write that may still be committed: `get` returns it for the next minute.
   */
  raise(client: string, position: string): Promise<void> | void
  /**
   * The highest position that has been dropped, as of the last `get` or later. Replicas that have
   * not reached it are not read. Absent: the store keeps all positions.
   */
  floor?(): string | undefined
}

/** How reads use the replica of a client `{ read, write }`. */
export interface ReplicaOptions {
  /**
   * True: a client that has written reads from the primary until the replica has its write. This
   * costs one statement after each write, and a transaction around each read of a client that has
   * written within the last three minutes. False: a client may read the state before its write.
   * Default true.
   */
  readonly ownWrites?: boolean
  /**
   * True: conditional requests, and records that the replica does not have, use the primary. False:
   * 304, 412 and 404 responses to reads may be outdated. Default true.
   */
  readonly verified?: boolean
  /**
   * The store of positions, such as Redis (`redisReplicaPositions()`). Default: the memory of this
   * process, which other processes do not see.
   */
  readonly positions?: ReplicaPositions
}

/** The options of `postgresAdapter`. */
export interface PostgresAdapterOptions<T = unknown, K = unknown> {
  /**
   * The resource, if the adapter is used without or before a mount. Default: the resource that it
   * is mounted for.
   */
  readonly resource?: ResourceDefinition<T, K>
  /** The table that is written to: `pieces`, `courier.pieces`, or `{ schema, name }`. */
  readonly table: string | RelationName
  /**
   * A view, or a query (`SELECT ...`), that lists and reads use. It must include the columns of the
   * key and the version. Default: the table.
   */
  readonly readFrom?: string | RelationName
  /**
   * Members whose column has another name, is not written, or is computed. Also names columns
   * outside of the schema, for `onCreate` and `onUpdate`.
   */
  readonly columns?: { readonly [Name in MemberName<T>]?: string | ColumnOptions } & {
    readonly [other: string]: string | ColumnOptions | undefined
  }
  /**
   * How column names are derived from members. Default `snake_case`: `fechaDeEntrada` is in
   * `fecha_de_entrada`.
   */
  readonly naming?: 'snake_case' | 'same' | ((member: string) => string)
  /** A `jsonb` column for the members without their own column. */
  readonly rest?: string
  /**
   * The source of versions. Default `xmin`, the id of the row's last transaction, which needs no
   * change to an ordinary table.
   */
  readonly version?: 'xmin' | VersionColumn | VersionExpression
  /**
   * Distinguishes this database from others that could have the same `xmin` for a row. Default: the
   * server's system identifier.
   */
  readonly epoch?: string
  /**
   * The column that marks removed rows, which then stay in the table. Default: rows are deleted.
   */
  readonly softDelete?: string | SoftDeleteColumn
  /**
   * Returns the record to store for a create, or a promise of it, for members that only the store
   * sets.
   */
  readonly onCreate?: (value: T, call: AdapterCall) => T | Promise<T>
  /** Returns the record to store for each change of a record. Costs one more read. */
  readonly onUpdate?: (value: T, current: T, call: AdapterCall) => T | Promise<T>
  /**
   * Runs the team's own statements in the transaction of each write: an outbox row, a second table,
   * or `SET LOCAL` for row-level security. May run more than once, if the database requires another
   * attempt; only the changes of the last run remain. If it throws, everything is rolled back.
   */
  readonly write?: (tx: SqlClient, change: Change<T, K>, call: AdapterCall) => Promise<void>
  /**
   * True: `change.before` of the `write` function is always the record that is replaced, moved or
   * removed. Costs one more statement for each such write, which locks the row. If there is no such
   * record, or its version is not the expected one, the function is not called. Default false.
   */
  readonly readBefore?: boolean
  /**
   * Runs statements at the start of the transaction of each read and write, for example `SET LOCAL`
   * for row-level security. With it, reads also use a transaction.
   */
  readonly session?: (tx: SqlClient, call: AdapterCall) => Promise<void>
  /**
   * The join tables of the associations that the record itself does not store, by path segment
   * (`attachedTo.as`).
   */
  readonly attached?: Readonly<Record<string, JoinTable>>
  /**
   * Keeps the records that POSTs with an `Idempotency-Key` created, in the transaction of the
   * create, so that repeats create nothing (VERB-12). Default: idempotency keys are ignored.
   */
  readonly idempotency?: IdempotencyOptions
  /** How `q` is searched. Default: full-text search over the members that the definition names. */
  readonly search?: TextSearch<T> | SearchFunction<K>
  /** How totals are determined. Default `exact`. */
  readonly count?: CountMode
  /**
   * The number of items up to which `bounded` counts, and above which `estimated` estimates.
   * Default 10,000.
   */
  readonly countBound?: number
  /**
   * How `ready()` checks that requests can succeed. Each level includes those before it:
   * - `catalog`: checks tables, columns, privileges and policies in the catalog;
   * - `explain`: the database also plans every statement that requests send, without running it;
   * - `execute`: also updates, deletes and inserts existing rows in a transaction that is always
   * rolled back. This finds triggers that refuse every write. It fires triggers and consumes
   * numbers of sequences.
   *
   * Default `explain`. Throws `ConfigurationError` for any other value.
   */
  readonly probe?: 'catalog' | 'explain' | 'execute'
  /**
   * The maximum size of kept records, in characters. A kept row is not decoded again while its
   * version stays the same. Rows are only kept if the catalog proves that equal versions mean equal
   * rows. False keeps none. Default: all resources over one client share 33,554,432.
   */
  readonly keepRows?: number | false
  /**
   * With a client `{ read, write }`: true if GET reads from `read`, a streaming replica of `write`,
   * according to the given options. Default false: all reads use `write`.
   */
  readonly replica?: boolean | ReplicaOptions
  /**
   * Whether statements are named, so that the server keeps them prepared. Set it to false behind a
   * pooler that does not support that. Only with `pg`. Default true.
   */
  readonly prepare?: boolean
  /**
   * Milliseconds to wait for a connection of the pool. Default 5,000. Never longer than the
   * request's own time limit.
   */
  readonly acquireTimeout?: number
  /**
   * Milliseconds after which a statement is cancelled. Default: nine tenths of the request's
   * remaining time.
   */
  readonly statementTimeout?: number
  /**
   * Receives warnings for operators, such as a lost idle connection or a slow count. Default
   * `process.emitWarning`.
   */
  readonly onWarning?: (message: string) => void
}
