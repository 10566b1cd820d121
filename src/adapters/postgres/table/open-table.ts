/**
 * Reads the description of a resource's table from the database, and prepares the parts of its SQL
 * statements.
 */
import type { ResourceDefinition } from '../../../definition/resource.js'
import type { Wait } from '../connections/client.js'
import type { Databases } from '../connections/database.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import { allOf, Parameters, quote, quoteRelation, relationName, rowAlias } from '../sql/sql.js'
import { StatementTexts } from '../sql/statement-texts.js'
import { unfit } from '../unfit.js'
import { aftermathOf } from './aftermath.js'
import type { CachedRows } from './cached-rows.js'
import { describe, type Relation } from './catalog.js'
import { keySql } from './conditions.js'
import { isReadSeparately } from './distribution.js'
import { expressionTypesOf } from './expression-types.js'
import { idempotencyTableOf } from './idempotency-table.js'
import { joinTablesOf } from './join-tables.js'
import { checkAssigned, checkKeyIndex, checkOneServer, keyIndexOf } from './key-checks.js'
import { Layout } from './layout.js'
import { racingOf } from './racing.js'
import { describeSource, sourceSql } from './read-source.js'
import { type RowProof, rowProofOf, stampSql } from './row-proof.js'
import { ShownSchema } from './shown-schema.js'
import { ownRowOnlyOf } from './side-effects.js'
import { deletionOf } from './soft-delete.js'
import type { Table } from './table.js'
import { type VersionSource, versionSource } from './versions.js'

/**
 * Describes the table of a resource and compiles its statements. If the table is missing or
 * unsuitable, throws a `ConfigurationError` that says how to fix it.
 */
export async function openTable(
  definition: ResourceDefinition,
  options: PostgresAdapterOptions,
  databases: Databases,
  wait: Wait,
  rows: CachedRows,
): Promise<Table> {
  const name = relationName(options.table)
  const relation = await describedTable(options, databases, wait)
  const { readFrom } = options
  const sourceRelation = readFrom === undefined ? relation : await describeSource(readFrom, databases, wait)
  if (!relation.exactDoubles)
    throw unfit('the server rounds doubles: extra_float_digits is below 1. Set it to 1, for the role or the database')
  const source = readFrom === undefined ? quoteRelation(name) : sourceSql(readFrom)
  const layout = new Layout(definition, options, relation, sourceRelation, {
    embedded: databases.write.embedded,
    expressions: await expressionTypesOf(definition, options, source, databases, wait),
  })
  const version = await versionSource(
    options,
    { table: relation, source: sourceRelation },
    layout,
    databases.write,
    wait,
  )
  const deletion = deletionOf(options, relation)
  const keyIndex = keyIndexOf(relation, layout, deletion !== undefined)
  checkOneServer(name, relation)
  checkAssigned(definition, name, relation, layout)
  checkKeyIndex(keyIndex, name, relation, layout)
  const joins = await joinTablesOf(definition, options, databases.write, wait)
  const shownAlive = deletion !== undefined && sourceRelation.columns.has(deletion.column) ? deletion.alive : undefined
  const { assignment } = version
  const proof = rowProofOf(options, { layout, relation, version })
  const aftermath = aftermathOf(relation, joins.values(), options)
  return {
    definition,
    options,
    layout,
    version,
    proof,
    rows,
    shownSchema: new ShownSchema(quoteRelation(name)),
    deletion,
    relation,
    sourceRelation,
    keyIndex,
    joins,
    alive: deletion?.alive,
    shownAlive,
    nextVersion: assignment && ((parameters) => `${quote(assignment.column)} = ${assignment.sql(parameters)}`),
    showsVersion: layout.members.some(({ column }) => column !== undefined && column === assignment?.column),
    aftermath,
    ownRowOnly: ownRowOnlyOf(relation, aftermath, options),
    racing: await racingOf(options, { relation, joins, deletion }, databases.write, wait),
    statistics: { total: relation.rows > 0 ? relation.rows : undefined },
    idempotencyTable: await idempotencyTableOf(options, databases.write, wait),
    ...statementsOf(options, layout, {
      version,
      proof,
      alive: shownAlive,
      readsSeparately: readFrom !== undefined || isReadSeparately(relation, layout),
    }),
  }
}

async function describedTable({ table }: PostgresAdapterOptions, { write }: Databases, wait: Wait): Promise<Relation> {
  const name = relationName(table)
  const found = await describe(write, name, wait)
  if (found !== undefined) return found
  throw unfit(
    `there is no table ${quoteRelation(name)}. Create it (tableDdl() returns its DDL), or check "table" ` +
      'and the search_path',
  )
}

type Statements = Pick<
  Table,
  | 'shown'
  | 'shownNames'
  | 'besides'
  | 'slimNames'
  | 'shape'
  | 'one'
  | 'reads'
  | 'updates'
  | 'lists'
  | 'target'
  | 'source'
  | 'separate'
  | 'readsSeparately'
>

interface Rows {
  readonly version: VersionSource
  readonly proof: RowProof | undefined
  /**
   * The SQL condition for rows that are not deleted, in the relation from which records are read.
   */
  readonly alive: string | undefined
  readonly readsSeparately: boolean
}

function statementsOf(
  { table, readFrom }: PostgresAdapterOptions,
  layout: Layout,
  { version, proof, alive, readsSeparately }: Rows,
): Statements {
  const isStamped = proof === 'writes'
  const besides = {
    sql: `${version.shownSql} AS v${isStamped ? `, ${stampSql} AS w` : ''}`,
    names: isStamped ? ['v', 'w'] : ['v'],
  }
  const shown = `${layout.selection}, ${besides.sql}`
  const target = `${quoteRelation(relationName(table))} AS ${rowAlias}`
  const source = readFrom === undefined ? target : `${sourceSql(readFrom)} AS ${rowAlias}`
  const separate = readFrom !== undefined
  const keyPlaces = layout.key.map((member) => layout.members.indexOf(member))
  const parameters = new Parameters()
  const oneKey = keySql(
    layout,
    layout.key.map(() => ''),
    parameters,
  )
  return {
    shown,
    shownNames: [...layout.names, ...besides.names],
    besides,
    slimNames: [...keyPlaces.map((at) => layout.names[at] as string), ...besides.names],
    shape: {
      name: '',
      width: layout.names.length,
      stamped: isStamped,
      keyPlaces,
      record: layout.record,
      version: version.shown,
    },
    one: `SELECT ${shown} FROM ${source} WHERE ${allOf(alive === undefined ? oneKey : [...oneKey, alive])}`,
    reads: new StatementTexts(`SELECT ${shown} FROM ${source}`),
    updates: new StatementTexts(
      `UPDATE ${target} SET `,
      ` RETURNING ${readsSeparately ? `${version.sql} AS v` : shown}`,
    ),
    lists: new WeakMap(),
    target,
    source,
    separate,
    readsSeparately,
  }
}
