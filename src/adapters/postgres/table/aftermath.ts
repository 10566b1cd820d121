/** Which writes of a table may leave another row than the one that their own RETURNING gives (HDR-8). */

import type { PostgresAdapterOptions } from '../options/options.js'
import { insertChangesOthers, type Relation, updateChangesOthers } from './catalog.js'
import type { JoinColumns } from './join-tables.js'

/** Which writes of a table may leave another row than the one that they give back. */
export interface Aftermath {
  readonly insert: boolean
  readonly update: boolean
  /** Some of that may happen as late as at the commit. */
  readonly deferred: boolean
}

/** Reads it off the catalog and the options. `joins` are the tables that a create may insert into beside. */
export function aftermathOf(
  relation: Relation,
  joins: Iterable<JoinColumns>,
  options: PostgresAdapterOptions,
): Aftermath {
  const expressions = expressionsOf(options)
  // What lies below a view or a foreign table does not show in the catalog.
  const opaque = relation.kind !== 'r' && relation.kind !== 'p'
  // A trigger before the change may write to a table whose own deferred trigger writes back.
  const later = (change: 'insert' | 'update'): boolean =>
    relation.deferrals && relation.triggers.some((trigger) => trigger[change])
  // RETURNING computes from what could be seen when the statement began: without the row as it is
  // now among others, and without what a trigger has written elsewhere.
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

/** The SQL of a team's own in what is read. */
function expressionsOf({ columns = {}, version }: PostgresAdapterOptions): readonly string[] {
  const members = Object.values(columns).flatMap((column) =>
    typeof column === 'object' && column.expression ? [column.expression] : [],
  )
  return typeof version === 'object' && 'expression' in version ? [...members, version.expression] : members
}
