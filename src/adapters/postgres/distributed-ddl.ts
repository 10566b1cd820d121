/** What `tableDdl` prints for tables that Citus distributes. */
import type { ResourceDefinition } from '../../definition/resource.js'
import { checkOptions } from '../../options/check.js'
import type { Kinds } from '../../options/kinds.js'
import { relationKinds } from './options/option-kinds.js'
import type { PostgresAdapterOptions } from './options/options.js'
import { literal, quoteRelation, type RelationName, relationName } from './sql/sql.js'
import type { Layout } from './table/layout.js'
import { unfit } from './unfit.js'

/** How `tableDdl` prints a table. */
export interface TableDdlOptions {
  /**
   * Distributes the tables over the servers of Citus. Default false. With `colocateWith`, the rows lie
   * beside those of that table with the same value in its distribution column: a contained collection
   * whose key begins with its parent's, beside the parent's table.
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
  /** The resource's own table, by its distribution column. */
  readonly own: string
  /** A table of attached records, beside the records. */
  beside(table: RelationName, column: string): string
  /** A table of its own, which others may have distributed already. */
  once(table: RelationName, column: string): string
}

/** Checks the options. Gives `undefined` where nothing is distributed; throws `ConfigurationError` where the version needs a trigger. */
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
      'tableDdl() prints a distributed table for a version that needs no trigger, since Citus has none there: version: { column: "version", soleWriter: true }',
    )
  // Rows that are read together lie on one server where the parent's key is in the key.
  const member =
    definition.parent?.by.find((name) => definition.key.members.includes(name)) ?? definition.key.members[0]
  const column = layout.key.find(({ name }) => name === member)?.column as string
  const own = nameOf(relationName(table))
  const beside = distributed === true ? '' : `, colocate_with => ${nameOf(relationName(distributed.colocateWith))}`
  return {
    column,
    own: `SELECT create_distributed_table(${own}, ${literal(column)}${beside});`,
    beside: (name, of) => `SELECT create_distributed_table(${nameOf(name)}, ${literal(of)}, colocate_with => ${own});`,
    once: (name, of) =>
      `SELECT create_distributed_table(${nameOf(name)}, ${literal(of)})\n  WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = ${nameOf(name)}::regclass);`,
  }
}

/** A table's name as a text that is read as an identifier. */
const nameOf = (name: RelationName): string => literal(quoteRelation(name))
