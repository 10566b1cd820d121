/**
 * Converts violated constraints of the database to refusals that name members (ERR-2). Messages of
 * the database driver are never shown to clients.
 */
import { own } from '../../../definition/json.js'
import type { Refused, WriteAction } from '../../contract.js'
import { type DatabaseFailure, failureKind } from '../connections/failures.js'
import { relationName } from '../sql/sql.js'
import type { CatalogColumn, Relation } from '../table/catalog.js'
import type { Layout } from '../table/layout.js'
import type { Table } from '../table/table.js'
import { type Fault, labelFaultOf } from '../values/places.js'
import { referrersOf } from './referrers.js'
import { refusedFor } from './refused-value.js'
import { inCatalogNames } from './shard-names.js'

/**
 * The refusal for a failed write; `undefined` if the failure does not concern the data. `value` is
 * the record that was to be stored.
 */
export function refusalOf(
  table: Table,
  error: unknown,
  { action, value }: { readonly action: WriteAction; readonly value?: unknown },
): Refused | undefined {
  if (failureKind(error) !== 'refused') return undefined
  const failure = failureOf(table, error)
  const { code = '', constraint, routine } = failure
  const members = table.layout.membersOf(columnsAtFault(table, failure))
  switch (code) {
    case '23505':
    case '23P01':
      return {
        refused: 'duplicate',
        members,
        ...(members.length > 1 ? { why: 'is already taken in combination with the other members named here' } : {}),
      }
    case '23503':
    case '23001':
      // If the failure names another table, records of that table refer to this record. A create is
      // an exception: no record refers to a new record, so the failure comes from a trigger. If the
      // resource's own table has a foreign key to itself, the failure does not show which of the
      // two records refers to the other. The action shows it: a removal can only fail because other
      // records refer to this record.
      if (action === 'create' && isForeign(table, failure)) return { refused: 'rule', members: [] }
      if (action === 'remove' || isForeign(table, failure))
        return { refused: 'referenced', members: [], by: referrersOf(table.options, failure) }
      return { refused: 'reference', members }
    case '23502':
      return { refused: 'rule', members, why: 'must have a value' }
    case '22P02': {
      const [first] = labelFaults(table.layout, value)
      return first === undefined ? { refused: 'rule', members, why: uncomputable } : refusedFor(first)
    }
    case '54000':
      // If a value is too long for an index, the failure names the index, or its routine is
      // `index_form_tuple`, which builds the index entry.
      if (constraint === undefined && !routine?.startsWith('index_form_tuple'))
        return { refused: 'rule', members, why: 'is too large for the store' }
      return {
        refused: 'rule',
        members,
        why: 'is too long: it is indexed by the store, which allows about 2,700 bytes',
      }
    default:
      return {
        refused: 'rule',
        members,
        ...(code.startsWith('22') && members.length === 0 ? { why: uncomputable } : {}),
      }
  }
}

const failureOf = ({ relation, options }: Table, error: unknown): DatabaseFailure =>
  inCatalogNames(error as DatabaseFailure, relation, relationName(options.table).name)

/**
 * Whether a failure concerns a table that is neither the resource's own table nor one of its join
 * tables.
 */
const isForeign = ({ relation, options }: Table, { table }: DatabaseFailure): boolean =>
  table !== undefined &&
  !relation.tablesBelow.includes(table) &&
  ![options.table, ...Object.values(options.attached ?? {}).map((join) => join.table)].some(
    (name) => relationName(name).name === table,
  )

/** The reason in a refusal if the database does not name the column of the refused value. */
export const uncomputable = 'holds a value that the store cannot compute with'

/**
 * Whether a failure shows that a column was made NOT NULL after the adapter read the description of
 * the table. The column may also have a new default, so the write is retried with a new description
 * of the table.
 */
export function isOutdated(described: Table, error: unknown): boolean {
  const { layout, options } = described
  const { code, column, table } = failureOf(described, error)
  if (code !== '23502' || table !== relationName(options.table).name) return false
  return layout.members.some((member) => member.column === column && !member.notNull)
}

/**
 * Whether a failure concerns the resource's own table, or one of its join tables. Also true if the
 * failure names no table, or if it names a constraint or index of the resource's own table.
 */
export function isOwnTable(table: Table, error: unknown): boolean {
  const failure = failureOf(table, error)
  const { constraints, indexes } = table.relation
  return !isForeign(table, failure) || [...constraints, ...indexes].some(({ name }) => name === failure.constraint)
}

/**
 * The columns that a failure concerns. The failure names a column, a constraint or a domain. A
 * domain identifies a column only if exactly one column has that domain. If there is no partition
 * for the row, the failure names nothing, and it concerns the columns of the partition key.
 */
function columnsAtFault({ relation, options }: Table, failure: DatabaseFailure): readonly (string | null)[] {
  const { code, table, constraint, column, dataType } = failure
  // A trigger may violate a rule of another table, whose columns and constraints may have the same
  // names as those of this table.
  const isElsewhere =
    table !== undefined && table !== relationName(options.table).name && !relation.tablesBelow.includes(table)
  if (isElsewhere) return []
  const named = column === undefined ? [] : [column]
  if (dataType !== undefined) {
    const holders = [...relation.columns.values()].filter(({ domain }) => domain === dataType)
    return holders.length === 1 ? [...named, (holders[0] as CatalogColumn).name] : named
  }
  if (constraint === undefined) return code === '23514' && named.length === 0 ? relation.partitionedBy : named
  return [...named, ...columnsOf(relation, constraint)]
}

function columnsOf(relation: Relation, constraint: string): readonly (string | null)[] {
  const declared = [...relation.constraints, ...relation.inherited].find(({ name }) => name === constraint)?.columns
  const index = relation.indexes.find(({ name }) => name === constraint)
  const columns: readonly (string | null)[] = declared ?? index?.columns.slice(0, index.keys) ?? []
  return index !== undefined && columns.includes(null) ? [...columns, ...index.computedFrom] : columns
}

/**
 * Returns a fault for each member whose value is not a known label of its enumeration. The adapter
 * reads the labels together with the description of the table.
 */
const labelFaults = ({ members }: Layout, value: unknown): readonly Fault[] =>
  members.flatMap(({ name, content }) => {
    const fault = labelFaultOf(content, own(value, name))
    return fault === undefined ? [] : [{ ...fault, path: [name] }]
  })
