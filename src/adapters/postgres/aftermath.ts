/** Which writes of a table may leave another row than the one that their own RETURNING gives (HDR-8). */
import { insertChangesOthers, type Relation, updateChangesOthers } from './catalog.js'
import type { JoinColumns } from './join-tables.js'

/** Which writes of a table may leave another row than the one that they give back. */
export interface Aftermath {
  readonly insert: boolean
  readonly update: boolean
  /** Some of that may happen as late as at the commit. */
  readonly deferred: boolean
}

/** Reads it off the catalog. `joins` are the tables that a create may insert into beside. */
export function aftermathOf(relation: Relation, joins: Iterable<JoinColumns>): Aftermath {
  // What lies below a view or a foreign table does not show in the catalog.
  const opaque = relation.kind !== 'r' && relation.kind !== 'p'
  // A trigger before the change may write to a table whose own deferred trigger writes back.
  const later = (change: 'insert' | 'update'): boolean => relation.deferrals && relation.triggers.some((trigger) => trigger[change])
  return {
    insert: opaque || insertChangesOthers(relation) || later('insert') || [...joins].some(({ changesOthers }) => changesOthers),
    update: opaque || updateChangesOthers(relation) || later('update'),
    deferred: relation.deferrals,
  }
}
