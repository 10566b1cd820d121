/** Asks the database for a resource's table, and compiles what statements are made of. */
import type { ResourceDefinition } from '../../../definition/resource.js'
import type { Wait } from '../connections/client.js'
import type { Databases } from '../connections/database.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import { every, Parameters, quote, quoteRelation, relationName, row } from '../sql/sql.js'
import { StatementTexts } from '../sql/statement-texts.js'
import { unfit } from '../unfit.js'
import { aftermathOf } from './aftermath.js'
import { describe, type Relation } from './catalog.js'
import { keySql } from './conditions.js'
import { joinTablesOf } from './join-tables.js'
import { keptRecordsOf } from './kept-table.js'
import { checkAssigned, checkKeyIndex, keyIndexOf } from './key-checks.js'
import { Layout } from './layout.js'
import { racingOf } from './racing.js'
import { describeSource, sourceSql } from './read-source.js'
import { confinedOf } from './side-effects.js'
import { deletionOf } from './soft-delete.js'
import type { Table } from './table.js'
import { type VersionSource, versionSource } from './versions.js'

/** Asks the database and puts it together. Throws `ConfigurationError` with the fix where something is missing. */
export async function openTable(
  definition: ResourceDefinition,
  options: PostgresAdapterOptions,
  databases: Databases,
  wait: Wait,
): Promise<Table> {
  const name = relationName(options.table)
  const relation = await describedTable(options, databases, wait)
  const { readFrom } = options
  const sourceRelation = readFrom === undefined ? relation : await describeSource(readFrom, databases, wait)
  if (!relation.exactDoubles)
    throw unfit('the server rounds doubles: extra_float_digits is below 1. Set it to 1, for the role or the database')
  const layout = new Layout(definition, options, relation, sourceRelation, databases.write.embedded)
  const version = await versionSource(options, { table: relation, source: sourceRelation }, layout, databases.write, wait)
  const deletion = deletionOf(options, relation)
  const keyIndex = keyIndexOf(relation, layout, deletion !== undefined)
  checkAssigned(definition, name, relation, layout)
  checkKeyIndex(keyIndex, name, relation, layout)
  const joins = await joinTablesOf(definition, options, databases.write, wait)
  const shownAlive = deletion !== undefined && sourceRelation.columns.has(deletion.column) ? deletion.alive : undefined
  const { assignment } = version
  const aftermath = aftermathOf(relation, joins.values(), options)
  return {
    definition,
    options,
    layout,
    version,
    deletion,
    relation,
    sourceRelation,
    keyIndex,
    joins,
    alive: deletion?.alive,
    shownAlive,
    nextVersion: assignment && `${quote(assignment.column)} = ${assignment.sql}`,
    showsVersion: layout.members.some(({ column }) => column !== undefined && column === assignment?.column),
    aftermath,
    confined: confinedOf(relation, aftermath, options),
    racing: await racingOf(options, { relation, joins, deletion }, databases.write, wait),
    learnt: { total: relation.rows > 0 ? relation.rows : undefined },
    kept: await keptRecordsOf(options, databases.write, wait),
    ...statementsOf(options, layout, version, shownAlive),
  }
}

async function describedTable({ table }: PostgresAdapterOptions, { write }: Databases, wait: Wait): Promise<Relation> {
  const name = relationName(table)
  const found = await describe(write, name, wait)
  if (found !== undefined) return found
  throw unfit(`there is no table ${quoteRelation(name)}. Create it (tableDdl() prints one that fits), or check "table" and the search_path`)
}

type Statements = Pick<Table, 'shown' | 'shownNames' | 'one' | 'reads' | 'updates' | 'lists' | 'target' | 'source' | 'separate'>

/** `alive` is the condition of what is read that a row is not deleted. */
function statementsOf(
  { table, readFrom }: PostgresAdapterOptions,
  layout: Layout,
  version: VersionSource,
  alive: string | undefined,
): Statements {
  const shown = `${layout.selection}, ${version.shownSql} AS v`
  const target = `${quoteRelation(relationName(table))} AS ${row}`
  const source = readFrom === undefined ? target : `${sourceSql(readFrom)} AS ${row}`
  const separate = readFrom !== undefined
  const parameters = new Parameters()
  const oneKey = keySql(
    layout,
    layout.key.map(() => ''),
    parameters,
  )
  return {
    shown,
    shownNames: [...layout.names, 'v'],
    one: `SELECT ${shown} FROM ${source} WHERE ${every(alive === undefined ? oneKey : [...oneKey, alive])}`,
    reads: new StatementTexts(`SELECT ${shown} FROM ${source}`),
    updates: new StatementTexts(`UPDATE ${target} SET `, ` RETURNING ${separate ? `${version.sql} AS v` : shown}`),
    lists: new WeakMap(),
    target,
    source,
    separate,
  }
}
