/** A resource's table, ready for statements: what the definition, the options and the database say, put together once. */
import type { ResourceDefinition } from '../../definition/resource.js'
import type { ConfigurationError } from '../../problem.js'
import type { AdapterCall, ListRequest, Stored } from '../contract.js'
import { type Aftermath, aftermathOf } from './aftermath.js'
import { type CatalogIndex, describe, type Relation } from './catalog.js'
import type { Cells, Wait } from './client.js'
import type { Member } from './columns.js'
import { scopeSql } from './conditions.js'
import type { Databases } from './database.js'
import { type JoinColumns, joinTablesOf } from './join-tables.js'
import { type KeptRecords, keptRecordsOf } from './kept-records.js'
import { Layout } from './layout.js'
import type { ListStatement } from './list.js'
import type { PostgresAdapterOptions } from './options.js'
import { labelFaultOf } from './places.js'
import { type Parameters, quote, quoteRelation, type RelationName, relationName, row } from './sql.js'
import { StatementTexts } from './statement-texts.js'
import { unfit } from './unfit.js'
import { type VersionSource, versionSource } from './versions.js'

export interface Table {
  readonly definition: ResourceDefinition
  readonly options: PostgresAdapterOptions
  readonly layout: Layout
  readonly version: VersionSource
  /** The select list of a record and its version. */
  readonly shown: string
  /** The names of its columns. */
  readonly shownNames: readonly string[]
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
  /** The condition that a row is not deleted, where deleted ones stay. */
  readonly alive: string | undefined
  /** The same in what is read: a view may leave deleted rows, and the column that marks them, out by itself. */
  readonly shownAlive: string | undefined
  /** Which writes are answered with the row as it is read again. */
  readonly aftermath: Aftermath
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

/** Asks the database and puts it together. Throws `ConfigurationError` with the mend where something is missing. */
export async function openTable(
  definition: ResourceDefinition,
  options: PostgresAdapterOptions,
  databases: Databases,
  wait: Wait,
): Promise<Table> {
  const name = relationName(options.table)
  const relation = await describe(databases.write, name, wait)
  if (relation === undefined) {
    throw unfit(
      `there is no table ${quoteRelation(name)}. Create it (tableDdl() prints one that fits), or check "table" and the search_path`,
    )
  }
  const separate = options.readFrom !== undefined
  const sourceRelation = separate
    ? await describeSource(options.readFrom as NonNullable<PostgresAdapterOptions['readFrom']>, databases, wait)
    : relation
  if (!relation.exactDoubles)
    throw unfit('the server rounds doubles: extra_float_digits is below 1. Set it to 1, for the role or the database')
  const layout = new Layout(definition, options, relation, sourceRelation, databases.write.embedded)
  const version = await versionSource(options, { table: relation, source: sourceRelation }, layout, databases.write, wait)
  const deletion = softDelete(options, relation)
  const keys = layout.key.map(({ column }) => column)
  const keyIndex = relation.indexes.find(
    ({ unique, partial, columns, keys: count }) =>
      unique &&
      (!partial || deletion !== undefined) &&
      count === keys.length &&
      keys.every((key) => columns.slice(0, count).includes(key as string)),
  )
  const counted = layout.key.filter(
    ({ name, content, hasDefault, storeGiven }) =>
      definition.assigned.has(name) &&
      !hasDefault &&
      !storeGiven &&
      !(content.kind === 'scalar' && content.type.holds.includes('string') && !content.type.counts),
  )
  if (counted.length > 1 || (counted.length === 1 && layout.key.length === 1)) {
    throw nothingAssigns(name, relation.kind, counted[0] as Member)
  }
  const unassigned = layout.key.find((member) => definition.assigned.has(member.name) && !counted.includes(member) && !isAssigned(member))
  if (unassigned !== undefined) {
    throw unfit(
      `nothing assigns "${unassigned.name}", and its column takes no UUID: ALTER TABLE ${quoteRelation(name)} ALTER COLUMN ${quote(unassigned.column ?? '')} SET DEFAULT ...; or take it out of "assigned"`,
    )
  }
  if (keyIndex === undefined && (relation.kind === 'r' || relation.kind === 'p')) {
    throw unfit(
      `nothing keeps two rows of ${quoteRelation(name)} from having one key. CREATE UNIQUE INDEX ON ${quoteRelation(name)} (${keys.map((key) => quote(key ?? '')).join(', ')})`,
    )
  }
  const shown = `${layout.selection}, ${version.shownSql} AS v`
  const target = `${quoteRelation(name)} AS ${row}`
  const joins = await joinTablesOf(definition, options, databases.write, wait)
  const source = separate ? `${sourceSql(options.readFrom as NonNullable<PostgresAdapterOptions['readFrom']>)} AS ${row}` : target
  return {
    definition,
    options,
    layout,
    version,
    shown,
    shownNames: [...layout.names, 'v'],
    reads: new StatementTexts(`SELECT ${shown} FROM ${source}`),
    updates: new StatementTexts(`UPDATE ${target} SET `, ` RETURNING ${separate ? `${version.sql} AS v` : shown}`),
    lists: new WeakMap(),
    target,
    source,
    separate,
    alive: deletion?.alive,
    shownAlive: deletion !== undefined && sourceRelation.columns.has(deletion.column) ? deletion.alive : undefined,
    deletion,
    aftermath: aftermathOf(relation, joins.values(), options),
    relation,
    sourceRelation,
    keyIndex,
    learnt: { total: relation.rows > 0 ? relation.rows : undefined },
    joins,
    kept: await keptRecordsOf(options, databases.write, wait),
  }
}

/** Whether `readFrom` is a query, and not a name. */
export const isQuery = (given: NonNullable<PostgresAdapterOptions['readFrom']>): given is string =>
  typeof given === 'string' && /^\s*(?:select|with|values)\s/i.test(given)

const queryOf = (given: string): string => given.replace(/[\s;]+$/, '')

const sourceSql = (given: NonNullable<PostgresAdapterOptions['readFrom']>): string =>
  isQuery(given) ? `(${queryOf(given)}\n)` : quoteRelation(relationName(given))

/** Describes a view by the catalog; a query by a temporary view that does not outlive the transaction. */
async function describeSource(given: NonNullable<PostgresAdapterOptions['readFrom']>, databases: Databases, wait: Wait): Promise<Relation> {
  if (!isQuery(given)) {
    const found = await describe(databases.read, relationName(given), wait)
    if (found === undefined) throw unfit(`there is no view ${quoteRelation(relationName(given))}. Check "readFrom" and the search_path`)
    return found
  }
  const undone = {}
  let found: Relation | undefined
  await databases.write
    .transaction(async (session) => {
      await session.query(`CREATE TEMPORARY VIEW rest_source AS ${queryOf(given)}`, [])
      found = await describe({ ...databases.write, query: (text, values) => session.query(text, values) }, { name: 'rest_source' }, wait)
      throw undone
    }, wait)
    .catch((error) => {
      if (error !== undone) throw error
    })
  if (found === undefined) throw unfit('the query in "readFrom" can not be described')
  return found
}

const anyUuid = '00000000-0000-4000-8000-000000000000'

/** Whether a member of the key gets a value where a client sends none: the store's own, or a random UUID. */
const isAssigned = ({ hasDefault, storeGiven, content }: Member): boolean =>
  hasDefault ||
  storeGiven ||
  (content.kind === 'scalar' && content.type.fault(anyUuid) === undefined && labelFaultOf(content, anyUuid) === undefined)

function softDelete(
  { softDelete: given }: PostgresAdapterOptions,
  relation: Relation,
): (NonNullable<Table['deletion']> & { readonly alive: string }) | undefined {
  if (given === undefined) return undefined
  const { column, deleted } = typeof given === 'string' ? { column: given, deleted: undefined } : given
  const found = relation.columns.get(column)
  if (found === undefined) throw unfit(`there is no column "${column}" to mark deleted rows by. Check "softDelete"`)
  const sql = `${row}.${quote(column)}`
  const { default: initial } = found
  const isBornDeleted = initial !== null && (found.type === 'boolean' ? initial === 'true' : !/^NULL\b/.test(initial))
  if (isBornDeleted && !relation.guarded)
    throw unfit(
      `each new row would be marked as deleted, by the default of "${column}", ${initial}. ALTER COLUMN ${quote(column)} DROP DEFAULT`,
    )
  if (found.type === 'boolean') return { column, sql: deleted ?? 'true', alive: found.notNull ? `NOT ${sql}` : `${sql} IS NOT TRUE` }
  if (deleted === undefined && !/^(?:timestamp|date)/.test(found.type)) {
    throw unfit(`"${column}" is a ${found.type}: say in softDelete.deleted what SQL marks a row as deleted`)
  }
  return { column, sql: deleted ?? 'clock_timestamp()', alive: `${sql} IS NULL` }
}

/** What every statement on behalf of a call is bound to: rows that are not deleted, in the caller's scope. */
export function visible(table: Table, call: AdapterCall, parameters: Parameters, alive = table.shownAlive): string[] {
  return [...(alive === undefined ? [] : [alive]), ...scopeSql(table.layout, call.scope, parameters)]
}

/** The record of a row of `shown`, and its version. */
export const storedOf = ({ layout, version }: Table, cells: Cells): Stored<Record<string, unknown>> => ({
  value: layout.record(cells),
  version: version.shown(cells[layout.names.length] ?? null),
})

/** A key that the store is to assign, in a column without a default. A trigger can't be seen to assign it. */
function nothingAssigns(name: RelationName, kind: string, { name: member, column = '' }: Member): ConfigurationError {
  const trigger = `columns: { ${member}: { column: '${column}', write: false } }`
  if (kind === 'v') {
    return unfit(`nothing assigns "${member}" of the view ${quoteRelation(name)}. Where its INSTEAD OF trigger does, say so: ${trigger}`)
  }
  return unfit(
    `nothing assigns "${member}": ALTER TABLE ${quoteRelation(name)} ALTER COLUMN ${quote(column)} ADD GENERATED BY DEFAULT AS IDENTITY. Where a trigger does, say so: ${trigger}`,
  )
}
