/** A resource's table as statements are made for it: compiled once (`open-table.ts`), and only read by requests. */
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
  /** What proves that rows of equal key and version are equal; `undefined` where they may differ. */
  readonly proof: RowProof | undefined
  /** Records of rows that have a proof. */
  readonly rows: KeptRows
  /** Finds changes of the schema that rows do not show. */
  readonly shownSchema: ShownSchema
  /** The select list of a record, its version, and what else tells its row from others, where the proof needs that. */
  readonly shown: string
  /** The names of its columns. */
  readonly shownNames: readonly string[]
  /** What `shown` has after the record: the version, and what else tells rows apart. */
  readonly besides: { readonly sql: string; readonly names: readonly string[] }
  /** The names of the columns that tell which row it is, in which version: those of the key and `besides`. */
  readonly slimNames: readonly string[]
  /** The shape of a row of `shown`. */
  readonly shape: RowShape
  /** The statement that reads the record of one key, for a call without a scope: its values are the texts of the key. */
  readonly one: string
  /** Statements that read records: the join and the condition vary. */
  readonly reads: StatementTexts
  /** Statements that change one: what is set and the condition vary. */
  readonly updates: StatementTexts
  /** The statements of requests that come again and can not change; of others, that they came once, or that theirs varies. */
  readonly lists: WeakMap<ListRequest, ListStatement | 'once' | 'varies'>
  /** The table with its alias, for writes. */
  readonly target: string
  /** What is read, with its alias. */
  readonly source: string
  /** Whether what is read is not the table itself. */
  readonly separate: boolean
  /** Whether another statement reads the row that a write has left: RETURNING can't show it. */
  readonly readsAgain: boolean
  /** The condition that a row is not deleted, where deleted ones stay. */
  readonly alive: string | undefined
  /** The same in what is read: a view may leave deleted rows, and the column that marks them, out by itself. */
  readonly shownAlive: string | undefined
  /** What a write sets beside its own columns: the next version. */
  readonly nextVersion: ((parameters: Parameters) => string) | undefined
  /** Whether a member of the record is the column of the version. */
  readonly showsVersion: boolean
  /** Which writes are answered with the row as it is read again. */
  readonly aftermath: Aftermath
  /** Which writes change nothing but their own row. */
  readonly confined: Confined
  /** Which writes compare something that another session may change while they wait for its lock. */
  readonly racing: Racing
  /** What marks a row as deleted. */
  readonly deletion: { readonly column: string; readonly sql: string } | undefined
  readonly relation: Relation
  readonly sourceRelation: Relation
  /** The unique index over the key and nothing else. */
  readonly keyIndex: CatalogIndex | undefined
  /** What was learnt on the way: how many rows there were when all were counted last. */
  readonly learnt: { total: number | undefined }
  /** The tables of associations that records do not store, by their segment. */
  readonly joins: ReadonlyMap<string, JoinColumns>
  /** The table of what may be repeated. */
  readonly kept: KeptRecords | undefined
}

/** Adds what every statement on behalf of a call is bound to: rows that are not deleted, in the caller's scope. */
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

/** The same of what is read, alone. */
export function visible(table: Table, call: AdapterCall, parameters: Parameters): string[] {
  const conditions: string[] = []
  addVisible(table, call, parameters, table.shownAlive, conditions)
  return conditions
}

/** Whether nothing limits what a call may see. */
export function isUnscoped({ scope }: AdapterCall): boolean {
  for (const _ in scope) return false
  return true
}

/** The record of a row of `shown`, and its version. */
export const storedOf = ({ shape }: Table, cells: Cells): Stored<Record<string, unknown>> => storedIn(shape, cells)

/** Whether the row that RETURNING of an UPDATE gives is the one that is committed. */
export const returnsCommitted = ({ aftermath, readsAgain }: Table): boolean => !aftermath.update && !readsAgain

interface EpochAsk {
  readonly keeps?: boolean
  readonly database?: Database | undefined
}

/** What `recordOf` has to be given of a statement: to be called before it is sent. -1: its rows are not kept. */
export function epochOf({ proof, rows, shownSchema }: Table, { keeps, database }: EpochAsk): number {
  if (keeps !== true || proof === undefined || !rows.caches.on) return -1
  return proof === 'content' || database === undefined ? 0 : shownSchema.epoch(database)
}

/** The same as `storedOf`: the object that was made when the row came before, where it is kept. */
export const recordOf = (table: Table, cells: Cells, epoch: number): Stored<Record<string, unknown>> =>
  epoch < 0 ? storedOf(table, cells) : table.rows.stored(table.shape, cells, epoch)

/** The version of a row of `shown`. */
export const versionOf = ({ layout, version }: Table, cells: Cells): string =>
  version.shown(cells[layout.names.length] ?? null)
