/** What a team tells the adapter of its table. */
import type { ResourceDefinition } from '../../../definition/resource.js'
import type { MemberName, MemberPath } from '../../../definition/schema-types.js'
import type { AdapterCall, ListRequest } from '../../contract.js'
import type { SqlClient } from '../connections/client.js'
import type { RelationName } from '../sql/sql.js'
import type { Change } from './change-options.js'

/** Where a member lives, when its column's name does not follow from its own. */
export interface ColumnOptions {
  /** The column's name. Default: by `naming`. */
  readonly column?: string
  /** False where only the database writes it: a trigger, a generated column. Default true. */
  readonly write?: boolean
  /** SQL over the columns of the row that computes the member. It can be listed, filtered and sorted by, and is never written. */
  readonly expression?: string
}

/** A version in a column. The default of the column, or `next`, gives each write a value that no other write of the same key ever had. */
export interface VersionColumn {
  readonly column: string
  /** SQL for the next version. Default: the column's own DEFAULT, which must never repeat, as `gen_random_uuid()` and `nextval(...)` don't. */
  readonly next?: string
  /**
   * True where nothing but this adapter's writes changes the rows. Default false: then `ready()` looks
   * for what moves the column on updates of others (a trigger, a generated column). Where nothing
   * does, a version also has a digest of the row.
   */
  readonly soleWriter?: boolean
}

/** A version computed from the row: for tables whose other columns change behind the resource's back. The same content has the same version. */
export interface VersionExpression {
  readonly expression: string
}

/** A column that marks deleted rows. They read as absent. */
export interface SoftDeleteColumn {
  readonly column: string
  /** SQL that the column is set to. Default: `true` for a boolean, else the time. */
  readonly deleted?: string
}

/** The table of an association that the record does not store itself. */
export interface JoinTable {
  readonly table: string | RelationName
  /** The columns that hold the parent's key, in the order of its parts. */
  readonly parent: string | readonly string[]
  /** The columns that hold the record's key, in the order of its parts. */
  readonly key: string | readonly string[]
}

/** Full-text search of PostgreSQL: `q` goes through `websearch_to_tsquery`. */
export interface TextSearch<T = unknown> {
  /** The text search configuration. Default `simple`: words as they are, whatever the language. */
  readonly config?: string
  /** The members that are searched. Default: those that the definition's `search` names. */
  readonly members?: readonly MemberPath<T>[]
  /** A `tsvector` column of the table, where there is one. Default: the members' words, computed; an index on the same expression serves it (see `tableDdl`). */
  readonly vector?: string
}

/** A search engine of the team's own: it gets `q` as it came and gives keys, best first. Filters, scope and paging stay with the database. */
export type SearchFunction<K = unknown> = (
  q: string,
  request: ListRequest,
  call: AdapterCall,
) => Promise<readonly K[]> | readonly K[]

/** How many items match: counted, counted up to a bound, estimated by the planner, or not told. */
export type CountMode = 'exact' | 'bounded' | 'estimated' | 'none'

/** Where creates are kept that clients may repeat. */
export interface IdempotencyOptions {
  /** The table, in the database that is written: `idempotencyDdl` prints it. Resources may share one. */
  readonly table: string | RelationName
  /** Seconds for which a repeat is known. Default 86,400: a day. */
  readonly ttl?: number
  /**
   * False where the store has no advisory locks, and says so by an error: then an equal create waits for the one that is under way, in place of being told that it is.
   * Default true.
   */
  readonly lock?: boolean
}

/**
 * Where the log of the primary was when a client last wrote, for reads from replicas. Processes that
 * serve the same clients share one: `redisReplicaPositions()`. Positions are texts such as
 * `16/B374D848` (`pg_lsn`).
 */
export interface ReplicaPositions {
  /** The position of a client; `undefined` where none is kept. If it rejects, the primary is read. */
  get(client: string): Promise<string | undefined> | string | undefined
  /**
   * Raises the position of a client: a lower one than it has changes nothing. `FFFFFFFF/FFFFFFFF`
   * stands for a write that may still be committed: `get` returns it for the next minute.
   */
  raise(client: string, position: string): Promise<void> | void
  /**
   * The highest position that is no longer kept of a client, as of the last `get` or later. Replicas
   * that have not reached it are not read. Absent: a store that keeps all positions.
   */
  floor?(): string | undefined
}

/** How reads use the replica of a client `{ read, write }`. */
export interface ReplicaOptions {
  /**
   * A client that has written reads the primary until the replica has its write. It costs one
   * statement after each write, and a transaction around each read of a client that has written
   * within the last three minutes. False: it may read the state before its write. Default true.
   */
  readonly ownWrites?: boolean
  /**
   * Conditional requests, and records that the replica does not have, are asked of the primary.
   * False: 304, 412 and 404 of reads may say what was true a while ago. Default true.
   */
  readonly verified?: boolean
  /** Where positions are kept, such as in a Redis (`redisReplicaPositions()`). Default: in the process, which other processes do not see. */
  readonly positions?: ReplicaPositions
}

/** The tables, columns and habits behind a resource. */
export interface PostgresAdapterOptions<T = unknown, K = unknown> {
  /** The resource, where the adapter is used before or beside a mount. Default: the one it is mounted for. */
  readonly resource?: ResourceDefinition<T, K>
  /** The table that is written: `pieces`, `courier.pieces`, or `{ schema, name }`. */
  readonly table: string | RelationName
  /** A view, or a query (`SELECT ...`), that lists and reads come from. It has the key's and the version's columns too. Default: the table. */
  readonly readFrom?: string | RelationName
  /** Members whose column has a name of its own, is not written, or is computed. Columns beside the schema, for `onCreate` and `onUpdate`, are named here too. */
  readonly columns?: { readonly [Name in MemberName<T>]?: string | ColumnOptions } & {
    readonly [other: string]: string | ColumnOptions | undefined
  }
  /** How a column is called after its member. Default `snake_case`: `fechaDeEntrada` is in `fecha_de_entrada`. */
  readonly naming?: 'snake_case' | 'same' | ((member: string) => string)
  /** A `jsonb` column for the members that have no column. */
  readonly rest?: string
  /** Where versions come from. Default `xmin`, the row's transaction: it needs no change to an ordinary table. */
  readonly version?: 'xmin' | VersionColumn | VersionExpression
  /** What tells this database from another that could give the same `xmin`. Default: the server's system identifier. */
  readonly epoch?: string
  /** Removed rows stay, marked by this column. Default: they are deleted. */
  readonly softDelete?: string | SoftDeleteColumn
  /** Makes what is stored of what a create brings: for members that only the store sets. It gives back a new value, or a promise of it. */
  readonly onCreate?: (value: T, call: AdapterCall) => T | Promise<T>
  /** The same for each change of a record. It costs one more read. */
  readonly onUpdate?: (value: T, current: T, call: AdapterCall) => T | Promise<T>
  /**
   * A team's own statements in the transaction of each write: an outbox row, a second table, `SET LOCAL` for row-level security. It may run more than once when the
   * database asks for another attempt; only what the last one did remains. Where it throws, everything is rolled back.
   */
  readonly write?: (tx: SqlClient, change: Change<T, K>, call: AdapterCall) => Promise<void>
  /**
   * True: `change.before` of the `write` function is always the record that is replaced, moved or
   * removed. It costs one statement of each such write, which locks the row. Where there is no such
   * record, or not in the version that the write expects, the function is not called. Default false.
   */
  readonly readBefore?: boolean
  /** Statements at the start of the transaction of each read and write, which reads then have too: `SET LOCAL` for row-level security. */
  readonly session?: (tx: SqlClient, call: AdapterCall) => Promise<void>
  /** The tables of the associations that the record does not store, by their segment under the parent (`attachedTo.as`). */
  readonly attached?: Readonly<Record<string, JoinTable>>
  /**
   * Keeps what POSTs with an `Idempotency-Key` created, in the transaction of the create, so that
   * repeats create nothing (VERB-12). Default: keys are ignored.
   */
  readonly idempotency?: IdempotencyOptions
  /** What `q` goes to. Default: full-text search over the members that the definition names. */
  readonly search?: TextSearch<T> | SearchFunction<K>
  /** Default `exact`. */
  readonly count?: CountMode
  /** Up to how many items `bounded` counts, and from where on `estimated` estimates. Default 10,000. */
  readonly countBound?: number
  /**
   * How `ready()` checks that requests can succeed, each level with those before it:
   * - `catalog`: by what the catalog says of tables, columns, privileges and policies;
   * - `explain`: the database plans every statement that requests send, and runs none;
   * - `execute`: it also updates, deletes and inserts existing rows in a transaction that is
   *   always rolled back. That finds triggers that refuse every write. It fires triggers and uses
   *   up numbers of sequences.
   *
   * Default `explain`. Throws `ConfigurationError` where it is something else.
   */
  readonly probe?: 'catalog' | 'explain' | 'execute'
  /**
   * Characters of records that are kept at most, so that a row that comes again in the same version
   * is not decoded again. They are kept only where the catalog proves that such a row is the same
   * one. False keeps none. Default: all resources over one client share 33,554,432.
   */
  readonly keepRows?: number | false
  /**
   * With a client `{ read, write }`: true where GET reads from `read`, a streaming replica of
   * `write`, as far as the options below say. Default false: everything is read from `write`.
   */
  readonly replica?: boolean | ReplicaOptions
  /** Names statements, so that the server keeps them prepared; false behind a pooler that can't. Only with `pg`. Default true. */
  readonly prepare?: boolean
  /** Milliseconds to wait for a connection of the pool. Default 5,000, and never longer than the request does. */
  readonly acquireTimeout?: number
  /** Milliseconds a statement may take before it is cancelled. Default: nine tenths of what the request has left. */
  readonly statementTimeout?: number
  /** Hears of what an operator should know: a lost idle connection, a count that will be slow. Default `process.emitWarning`. */
  readonly onWarning?: (message: string) => void
}
