/**
 * Associations that are stored in a join table. Each row of the join table attaches one record to
 * one parent (PATH-7).
 */
import { own } from '../../../definition/json.js'
import type { ResourceDefinition } from '../../../definition/resource.js'
import type { Association } from '../../association.js'
import type { Scalar } from '../../contract.js'
import type { Database, Wait } from '../connections/client.js'
import type { JoinTable, PostgresAdapterOptions } from '../options/options.js'
import { allOf, type Parameters, quote, quoteRelation, relationName } from '../sql/sql.js'
import { unfit } from '../unfit.js'
import { columnType } from '../values/column-types.js'
import { type CatalogColumn, describe, insertChangesOthers, type Relation } from './catalog.js'
import type { Member } from './columns.js'
import { checkOneServer } from './key-checks.js'

export interface DescribedJoinTable {
  readonly relation: string
  /** The columns that hold the parent's key, each with its type and a valid sample value. */
  readonly parent: readonly { readonly column: string; readonly cast: string; readonly sample: Scalar }[]
  /** The columns that hold the record's key. */
  readonly key: readonly string[]
  /**
   * Whether ON CONFLICT DO NOTHING is enough to skip a pair of keys that already exists. False if
   * no unique index covers the pair, or if a trigger or rule could act even on a skipped insert.
   */
  readonly skipsExisting: boolean
  /** Whether an insert may also change other rows, by triggers or rules. */
  readonly changesOthers: boolean
}

/**
 * The join tables that the options name, by path segment. Checks them against the database. If a
 * join table does not match the definition, throws a `ConfigurationError` that says what is wrong.
 */
export async function joinTablesOf(
  definition: ResourceDefinition,
  { attached }: PostgresAdapterOptions,
  database: Database,
  wait: Wait,
): Promise<ReadonlyMap<string, DescribedJoinTable>> {
  const found = new Map<string, DescribedJoinTable>()
  for (const { of, by, as } of definition.attachedTo) {
    if (by !== undefined) continue
    const given = own(attached, as) as JoinTable | undefined
    const parents = typeof of === 'string' ? of : of.collection
    if (given === undefined) {
      const fix = `attached: { ${JSON.stringify(as)}: { table, parent, key } }`
      throw unfit(
        `"${definition.collection}" is attached to "${parents}" as "${as}", but the options name no join table ` +
          `for it. Add ${fix}`,
      )
    }
    const join = await describeJoin(given, as, database, wait)
    const parts = typeof of === 'string' ? undefined : of.key.members.length
    if ((parts !== undefined && join.parent.length !== parts) || join.key.length !== definition.key.members.length)
      throw unfit(
        `for the join table of "${as}", "parent" must name one column for each part of the parent's key, and "key" ` +
          `must name one column for each part of the record's key`,
      )
    found.set(as, join)
  }
  return found
}

async function describeJoin(
  { table, parent, key }: JoinTable,
  as: string,
  database: Database,
  wait: Wait,
): Promise<DescribedJoinTable> {
  const name = relationName(table)
  const relation = await describe(database, name, wait)
  if (relation === undefined)
    throw unfit(`there is no table ${quoteRelation(name)}, which "attached" names as the join table of "${as}"`)
  checkOneServer(name, relation)
  const [parents, keys] = [[parent].flat(), [key].flat()]
  const missing = [...parents, ...keys].filter((column) => !relation.columns.has(column))
  if (missing.length > 0)
    throw unfit(`the table ${quoteRelation(name)} has no column ${missing.map((column) => `"${column}"`).join(', ')}`)
  return {
    relation: quoteRelation(name),
    parent: parents.map((column) => {
      const type = columnType((relation.columns.get(column) as CatalogColumn).type, undefined, undefined)
      return { column, cast: type?.cast ?? 'text', sample: type?.samples[0] ?? '' }
    }),
    key: keys,
    skipsExisting:
      !relation.hasInsertTrigger && !relation.rules.insert && isUniquePair(relation, [...parents, ...keys]),
    changesOthers: insertChangesOthers(relation),
  }
}

/** Whether a unique index over these columns, or over some of them, prevents duplicate pairs. */
const isUniquePair = ({ kind, indexes }: Relation, pair: readonly string[]): boolean =>
  (kind === 'r' || kind === 'p') &&
  indexes.some(
    ({ unique, partial, immediate, keys, columns }) =>
      unique &&
      !partial &&
      immediate &&
      columns.slice(0, keys).every((column) => column !== null && pair.includes(column)),
  )

/**
 * Adds the parts of the parent's key as parameters, cast to the types of the join table's columns.
 */
export const parentValues = (
  { parent }: DescribedJoinTable,
  { parts }: Association,
  parameters: Parameters,
): string[] => parent.map(({ cast }, i) => parameters.add(String(parts[i]), cast))

/** The conditions that select this parent's rows in the join table, which has the alias `_j`. */
export const ofParent = (columns: DescribedJoinTable, association: Association, parameters: Parameters): string[] =>
  parentValues(columns, association, parameters).map(
    (value, i) => `_j.${quote((columns.parent[i] as DescribedJoinTable['parent'][number]).column)} = ${value}`,
  )

/**
 * The condition that tests whether a record is in the parent's collection. `key` contains the
 * members of the record's key.
 */
export function memberSql(
  key: readonly Member[],
  columns: DescribedJoinTable,
  association: Association,
  parameters: Parameters,
): string {
  const same = columns.key.map((column, i) => `_j.${quote(column)} = ${key[i]?.sql}`)
  return (
    `EXISTS (SELECT 1 FROM ${columns.relation} AS _j WHERE ` +
    `${allOf([...ofParent(columns, association, parameters), ...same])})`
  )
}
