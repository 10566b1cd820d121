/**
 * Determines which writes of a table may leave a row that differs from the result of their
 * RETURNING (HDR-8).
 */

import type { PostgresAdapterOptions } from '../options/options.js'
import { insertChangesOthers, type Relation, updateChangesOthers } from './catalog.js'
import type { JoinColumns } from './join-tables.js'

/** Which writes of a table may leave a row that differs from the result of their RETURNING. */
export interface Aftermath {
  readonly insert: boolean
  readonly update: boolean
  /** Whether such a change may happen as late as the commit. */
  readonly deferred: boolean
}

/**
 * Derives this from the catalog and the options. `joins` are the join tables that a create may also
 * insert into.
 */
export function aftermathOf(
  relation: Relation,
  joins: Iterable<JoinColumns>,
  options: PostgresAdapterOptions,
): Aftermath {
  const expressions = expressionsOf(options)
  // The catalog does not show what lies below a view or a foreign table.
  const opaque = relation.kind !== 'r' && relation.kind !== 'p'
  // A BEFORE trigger may write to a table whose own deferred trigger writes back.
  const later = (change: 'insert' | 'update'): boolean =>
    relation.deferrals && relation.triggers.some((trigger) => trigger[change])
  // RETURNING computes from the snapshot at the start of the statement: sub-selects do not see the
  // new row, nor what a trigger has written to other tables.
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
    deferred: relation.deferrals,
  }
}

/** The team's SQL expressions among the read columns. */
function expressionsOf({ columns = {}, version }: PostgresAdapterOptions): readonly string[] {
  const members = Object.values(columns).flatMap((column) =>
    typeof column === 'object' && column.expression ? [column.expression] : [],
  )
  return typeof version === 'object' && 'expression' in version ? [...members, version.expression] : members
}
