/** The statements that `tableDdl` adds for tables that Citus distributes. */
import type { ResourceDefinition } from '../../definition/resource.js'
import { checkOptions } from '../../options/check.js'
import type { Kinds } from '../../options/kinds.js'
import { relationKinds } from './options/option-kinds.js'
import type { PostgresAdapterOptions } from './options/options.js'
import { literal, quoteRelation, type RelationName, relationName } from './sql/sql.js'
import type { Layout } from './table/layout.js'
import { unfit } from './unfit.js'

/** The options of `tableDdl`. */
export interface TableDdlOptions {
  /**
   * Whether Citus distributes the tables over its servers. Default false. `{ colocateWith }` names
   * another distributed table. Rows of the two tables that have the same value in the distribution
   * column are then placed on the same server. Use `colocateWith` for a sub-collection whose key
   * begins with the parent's key, and name the parent's table.
   */
  readonly distributed?: boolean | { readonly colocateWith: string | RelationName }
}

export const colocationKinds: Kinds<{ readonly colocateWith: string | RelationName }> = {
  colocateWith: { required: ['string', { options: relationKinds }] },
}
export const tableDdlKinds: Kinds<TableDdlOptions> = { distributed: ['boolean', { options: colocationKinds }] }

/** The statements that distribute the tables of a resource. */
export interface Distributing {
  /** The distribution column of the resource's own table. */
  readonly column: string
  /** The statement that distributes the resource's own table. */
  readonly ownTable: string
  /**
   * Returns the statement that distributes a join table. The rows of the join table are placed on
   * the same server as the records that they refer to.
   */
  joinTable(table: RelationName, column: string): string
  /**
   * Returns the statement that distributes a table that other resources may share. The statement
   * does nothing if the table is already distributed.
   */
  sharedTable(table: RelationName, column: string): string
}

/**
 * Checks the options, and returns the statements that distribute the tables. Returns `undefined` if
 * `distributed` is false. Throws `ConfigurationError` if `distributed` is set and `version` is not
 * `{ column, soleWriter: true }`.
 */
export function distributing(
  definition: ResourceDefinition,
  { table, version }: PostgresAdapterOptions,
  layout: Layout,
  given: TableDdlOptions,
): Distributing | undefined {
  const { distributed = false } = checkOptions<TableDdlOptions>('tableDdl()', given, tableDdlKinds)
  if (distributed === false) return undefined
  if (typeof version !== 'object' || !('column' in version) || version.soleWriter !== true)
    throw unfit(
      'tableDdl() can distribute a table only with a version column that needs no trigger, because Citus ' +
        'supports no triggers on distributed tables. Set version: { column: "version", soleWriter: true }',
    )
  // The records of one parent are read together. If a key member refers to the parent, its column
  // is the distribution column, so that these records are on one server.
  const member =
    definition.parent?.by.find((name) => definition.key.members.includes(name)) ?? definition.key.members[0]
  const column = layout.key.find(({ name }) => name === member)?.column as string
  const own = nameOf(relationName(table))
  const colocation = distributed === true ? '' : `, colocate_with => ${nameOf(relationName(distributed.colocateWith))}`
  return {
    column,
    ownTable: `SELECT create_distributed_table(${own}, ${literal(column)}${colocation});`,
    joinTable: (name, of) =>
      `SELECT create_distributed_table(${nameOf(name)}, ${literal(of)}, colocate_with => ${own});`,
    sharedTable: (name, of) =>
      `SELECT create_distributed_table(${nameOf(name)}, ${literal(of)})\n  WHERE NOT EXISTS (SELECT FROM ` +
      `pg_dist_partition WHERE logicalrelid = ${nameOf(name)}::regclass);`,
  }
}

/**
 * Returns the name of a table as an SQL text literal that contains quoted identifiers, for example
 * `'"courier"."pieces"'`.
 */
const nameOf = (name: RelationName): string => literal(quoteRelation(name))
