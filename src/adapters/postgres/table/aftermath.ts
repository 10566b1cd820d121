/**
 * Determines which writes to a table can leave a row that differs from the row in RETURNING, for
 * example because a trigger changes the row afterwards (HDR-8).
 */

import type { PostgresAdapterOptions } from '../options/options.js'
import { insertChangesOthers, type Relation, updateChangesOthers } from './catalog.js'
import type { DescribedJoinTable } from './join-tables.js'

/**
 * For each kind of write: whether the committed row can differ from the row that RETURNING returns.
 */
export interface Aftermath {
  readonly insert: boolean
  readonly update: boolean
  /** Whether a deferred trigger may still change the row at the commit. */
  readonly deferred: boolean
}

/**
 * Derives the `Aftermath` of a table from the catalog and the options. `joins` are the join tables
 * into which a create can also insert.
 */
export function aftermathOf(
  relation: Relation,
  joins: Iterable<DescribedJoinTable>,
  options: PostgresAdapterOptions,
): Aftermath {
  const expressions = expressionsOf(options)
  // For a view or a foreign table, the catalog does not show everything that happens to the
  // underlying rows.
  const opaque = relation.kind !== 'r' && relation.kind !== 'p'
  // A trigger may write to another table, and a deferred trigger of that table may then change this
  // row.
  const later = (change: 'insert' | 'update'): boolean =>
    relation.databaseHasDeferrableTriggers && relation.triggers.some((trigger) => trigger[change])
  // RETURNING computes expressions from the snapshot at the start of the statement. So a sub-select
  // in an expression finds neither the new row nor the rows that a trigger has written to other
  // tables.
  const computes = (change: 'insert' | 'update'): boolean =>
    expressions.some((sql) => /\bselect\b/i.test(sql)) ||
    (expressions.length > 0 && relation.triggers.some((trigger) => trigger[change]))
  return {
    insert:
      opaque ||
      computes('insert') ||
      insertChangesOthers(relation) ||
      later('insert') ||
      [...joins].some(({ changesOthers }) => changesOthers),
    update: opaque || computes('update') || updateChangesOthers(relation) || later('update'),
    deferred: relation.databaseHasDeferrableTriggers,
  }
}

/** The SQL expressions in the options that compute members or the version. */
function expressionsOf({ columns = {}, version }: PostgresAdapterOptions): readonly string[] {
  const members = Object.values(columns).flatMap((column) =>
    typeof column === 'object' && column.expression ? [column.expression] : [],
  )
  return typeof version === 'object' && 'expression' in version ? [...members, version.expression] : members
}
