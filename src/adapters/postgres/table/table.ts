/**
 * A resource's table, with everything that its SQL statements need. Compiled from the description
 * in the catalog (`open-table.ts`). Requests update only its caches and statistics.
 */
import type { ResourceDefinition } from '../../../definition/resource.js'
import type { AdapterCall, ListRequest, Stored } from '../../contract.js'
import type { Cells, Database } from '../connections/client.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import type { Parameters } from '../sql/sql.js'
import type { StatementTexts } from '../sql/statement-texts.js'
import type { Aftermath } from './aftermath.js'
import { type CachedRows, type RowShape, storedIn } from './cached-rows.js'
import type { CatalogIndex, Relation } from './catalog.js'
import { addScopeSql } from './conditions.js'
import type { IdempotencyTable } from './idempotency-table.js'
import type { DescribedJoinTable } from './join-tables.js'
import type { Layout } from './layout.js'
import type { ListStatement } from './list-statement.js'
import type { Racing } from './racing.js'
import type { RowProof } from './row-proof.js'
import type { ShownSchema } from './shown-schema.js'
import type { OwnRowOnly } from './side-effects.js'
import type { VersionSource } from './versions.js'

export interface Table {
  readonly definition: ResourceDefinition
  readonly options: PostgresAdapterOptions
  readonly layout: Layout
  readonly version: VersionSource
  /**
   * What proves that two rows with equal key and version are equal (`row-proof.ts`). `undefined` if
   * nothing proves this.
   */
  readonly proof: RowProof | undefined
  /** The cache of records. Used only if there is a proof. */
  readonly rows: CachedRows
  /** Detects schema changes that leave no trace in the rows. */
  readonly shownSchema: ShownSchema
  /**
   * The select list of a record and its version. If the proof needs the stamp of the row
   * (`stampSql`), the list ends with the stamp.
   */
  readonly shown: string
  /** The column names in `shown`. */
  readonly shownNames: readonly string[]
  /** The columns of `shown` after the record: the version, and the stamp if there is one. */
  readonly besides: { readonly sql: string; readonly names: readonly string[] }
  /**
   * The names of the columns that identify a row and its version: the columns of the key, the
   * version, and the stamp if there is one.
   */
  readonly slimNames: readonly string[]
  /** The shape of a row of `shown`. */
  readonly shape: RowShape
  /**
   * The statement that reads one record by key, for a call without a scope. Its parameter values
   * are the parts of the key, as strings.
   */
  readonly one: string
  /** Builds the statements that read records, from a join and a condition. */
  readonly reads: StatementTexts
  /** Builds the statements that update one record, from assignments and a condition. */
  readonly updates: StatementTexts
  /**
   * The statements for lists, by request object. Contains only frozen request objects. `once`: the
   * request object was used only once, so its statement is not kept yet. `varies`: the statement
   * can't be reused.
   */
  readonly lists: WeakMap<ListRequest, ListStatement | 'once' | 'varies'>
  /** The table with its alias, for writes. */
  readonly target: string
  /**
   * The SQL of the source, with its alias. The source is the relation from which records are read:
   * the table itself, or the view or query in the option `readFrom`.
   */
  readonly source: string
  /** Whether the source is not the table itself. */
  readonly separate: boolean
  /**
   * Whether a separate statement must read the row after a write, because RETURNING can't return
   * the record.
   */
  readonly readsSeparately: boolean
  /** The SQL condition for rows that are not deleted. `undefined` without soft deletes. */
  readonly alive: string | undefined
  /**
   * The SQL condition for rows of the source that are not deleted. `undefined` without soft
   * deletes, or if the source does not show the column that marks deleted rows.
   */
  readonly shownAlive: string | undefined
  /** The SQL assignment of the next version, for writes. `undefined` if writes do not assign it. */
  readonly nextVersion: ((parameters: Parameters) => string) | undefined
  /** Whether the version column is also a member of the record. */
  readonly showsVersion: boolean
  /** The kinds of writes after which the committed row can differ from the row in RETURNING. */
  readonly aftermath: Aftermath
  /** Which writes change only their own row. */
  readonly ownRowOnly: OwnRowOnly
  /**
   * Which writes would miss a change that another session commits while the write waits for the
   * lock of the row.
   */
  readonly racing: Racing
  /**
   * The column that marks a row as deleted, and the SQL of the mark. `undefined` without soft
   * deletes.
   */
  readonly deletion: { readonly column: string; readonly sql: string } | undefined
  readonly relation: Relation
  readonly sourceRelation: Relation
  /** The unique index over exactly the columns of the key. */
  readonly keyIndex: CatalogIndex | undefined
  /**
   * The number of rows at the last count of all rows. At first, this is the estimate in the
   * catalog, if there is one.
   */
  readonly statistics: { total: number | undefined }
  /** The join tables of associations, by the path segment of the association. */
  readonly joins: ReadonlyMap<string, DescribedJoinTable>
  /** The table that stores created records for retries of requests with an idempotency key. */
  readonly idempotencyTable: IdempotencyTable | undefined
}

/**
 * Adds the conditions that apply to every statement of a call: the row is not deleted, and it is in
 * the caller's scope.
 */
export function addVisible(
  { layout }: Table,
  call: AdapterCall,
  parameters: Parameters,
  alive: string | undefined,
  conditions: string[],
): void {
  if (alive !== undefined) conditions.push(alive)
  addScopeSql(layout, call.scope, parameters, conditions)
}

/** The conditions that apply to every read of a call. */
export function visible(table: Table, call: AdapterCall, parameters: Parameters): string[] {
  const conditions: string[] = []
  addVisible(table, call, parameters, table.shownAlive, conditions)
  return conditions
}

/** Whether the call has an empty scope. */
export function isUnscoped({ scope }: AdapterCall): boolean {
  for (const _ in scope) return false
  return true
}

/** Decodes the record and the version of a row with the columns `shown`. */
export const storedOf = ({ shape }: Table, cells: Cells): Stored<Record<string, unknown>> => storedIn(shape, cells)

/** Whether the row that an UPDATE with RETURNING returns is the row that will be committed. */
export const returnsCommitted = ({ aftermath, readsSeparately }: Table): boolean =>
  !aftermath.update && !readsSeparately

interface EpochAsk {
  readonly keeps?: boolean
  readonly database?: Database | undefined
}

/**
 * Returns the epoch for a statement: a number that changes with each detected change of the table's
 * schema (`shown-schema.ts`). With the proof `content`, the epoch is 0, because the version detects
 * such changes. If the rows of the statement must not be cached, the epoch is -1. Call this
 * function before the statement is sent, and pass the result to `recordOf`.
 */
export function epochOf({ proof, rows, shownSchema }: Table, { keeps, database }: EpochAsk): number {
  if (keeps !== true || proof === undefined || !rows.caches.on) return -1
  return proof === 'content' || database === undefined ? 0 : shownSchema.epoch(database)
}

/** Like `storedOf`, but returns the existing object if the row is in the cache. */
export const recordOf = (table: Table, cells: Cells, epoch: number): Stored<Record<string, unknown>> =>
  epoch < 0 ? storedOf(table, cells) : table.rows.stored(table.shape, cells, epoch)

/** The version of a row with the columns `shown`. */
export const versionOf = ({ layout, version }: Table, cells: Cells): string =>
  version.shown(cells[layout.names.length] ?? null)
