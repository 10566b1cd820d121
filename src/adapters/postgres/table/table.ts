/**
 * A resource's table in the form that statements need. Compiled once (`open-table.ts`), and only
 * read by requests.
 */
import type { ResourceDefinition } from '../../../definition/resource.js'
import type { AdapterCall, ListRequest, Stored } from '../../contract.js'
import type { Cells, Database } from '../connections/client.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import type { Parameters } from '../sql/sql.js'
import type { StatementTexts } from '../sql/statement-texts.js'
import type { Aftermath } from './aftermath.js'
import type { CatalogIndex, Relation } from './catalog.js'
import { addScopeSql } from './conditions.js'
import type { JoinColumns } from './join-tables.js'
import { type KeptRows, type RowShape, storedIn } from './kept-rows.js'
import type { KeptRecords } from './kept-table.js'
import type { Layout } from './layout.js'
import type { ListStatement } from './list-statement.js'
import type { Racing } from './racing.js'
import type { RowProof } from './row-proof.js'
import type { ShownSchema } from './shown-schema.js'
import type { Confined } from './side-effects.js'
import type { VersionSource } from './versions.js'

export interface Table {
  readonly definition: ResourceDefinition
  readonly options: PostgresAdapterOptions
  readonly layout: Layout
  readonly version: VersionSource
  /** The proof that rows with equal key and version are equal; `undefined` if they may differ. */
  readonly proof: RowProof | undefined
  /** The cache of records, for tables with a proof. */
  readonly rows: KeptRows
  /** Detects schema changes that rows do not show. */
  readonly shownSchema: ShownSchema
  /** The select list of a record with its version, and with the stamp if the proof needs it. */
  readonly shown: string
  /** The column names of `shown`. */
  readonly shownNames: readonly string[]
  /** The columns of `shown` after the record: the version, and the stamp if there is one. */
  readonly besides: { readonly sql: string; readonly names: readonly string[] }
  /** The column names that identify a row and its version: those of the key and of `besides`. */
  readonly slimNames: readonly string[]
  /** The shape of a row of `shown`. */
  readonly shape: RowShape
  /**
   * The statement that reads one record by key, for a call without a scope. Its values are the
   * texts of the key.
   */
  readonly one: string
  /** Statements that read records, by join and condition. */
  readonly reads: StatementTexts
  /** Statements that update one record, by assignments and condition. */
  readonly updates: StatementTexts
  /**
   * The statements of repeated, immutable requests. For other requests: `once` after the first use,
   * or `varies` if the statement depends on more.
   */
  readonly lists: WeakMap<ListRequest, ListStatement | 'once' | 'varies'>
  /** The table with its alias, for writes. */
  readonly target: string
  /** The source of reads, with its alias. */
  readonly source: string
  /** Whether the source of reads is not the table itself. */
  readonly separate: boolean
  /** Whether another statement reads the row after a write, because RETURNING can't show it. */
  readonly readsAgain: boolean
  /** The condition that a row is not deleted, for soft deletes. */
  readonly alive: string | undefined
  /**
   * The same condition on the source of reads. Absent if a view leaves out deleted rows, or the
   * column that marks them.
   */
  readonly shownAlive: string | undefined
  /** The assignment of the next version, for writes. */
  readonly nextVersion: ((parameters: Parameters) => string) | undefined
  /** Whether a member of the record is the column of the version. */
  readonly showsVersion: boolean
  /** Which writes return a row that is read again. */
  readonly aftermath: Aftermath
  /** Which writes change only their own row. */
  readonly confined: Confined
  /**
   * Which writes compare something that another session may change while they wait for its lock.
   */
  readonly racing: Racing
  /** The assignment that marks a row as deleted. */
  readonly deletion: { readonly column: string; readonly sql: string } | undefined
  readonly relation: Relation
  readonly sourceRelation: Relation
  /** The unique index over exactly the key. */
  readonly keyIndex: CatalogIndex | undefined
  /** The number of rows at the last count of all rows. */
  readonly statistics: { total: number | undefined }
  /** The join tables of associations, by path segment. */
  readonly joins: ReadonlyMap<string, JoinColumns>
  /** The table of records that are kept for repeats. */
  readonly kept: KeptRecords | undefined
}

/**
 * Adds the conditions that apply to every statement of a call: rows that are not deleted, and in
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

/** The conditions of visible rows, for the source of reads. */
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

/** Decodes the record of a row of `shown`, and its version. */
export const storedOf = ({ shape }: Table, cells: Cells): Stored<Record<string, unknown>> => storedIn(shape, cells)

/** Whether the row that RETURNING of an UPDATE returns is the committed one. */
export const returnsCommitted = ({ aftermath, readsAgain }: Table): boolean => !aftermath.update && !readsAgain

interface EpochAsk {
  readonly keeps?: boolean
  readonly database?: Database | undefined
}

/**
 * The epoch to pass to `recordOf`. Must be called before the statement is sent. -1: its rows are
 * not kept.
 */
export function epochOf({ proof, rows, shownSchema }: Table, { keeps, database }: EpochAsk): number {
  if (keeps !== true || proof === undefined || !rows.caches.on) return -1
  return proof === 'content' || database === undefined ? 0 : shownSchema.epoch(database)
}

/** Like `storedOf`, but returns the existing object if the row is kept. */
export const recordOf = (table: Table, cells: Cells, epoch: number): Stored<Record<string, unknown>> =>
  epoch < 0 ? storedOf(table, cells) : table.rows.stored(table.shape, cells, epoch)

/** The version of a row of `shown`. */
export const versionOf = ({ layout, version }: Table, cells: Cells): string =>
  version.shown(cells[layout.names.length] ?? null)
