/** Detects tables that Citus manages, such as tables that it distributes over several servers. */
import type { Database, Wait } from '../connections/client.js'
import { arrayText } from '../sql/sql.js'
import type { Relation } from './catalog.js'
import type { Layout } from './layout.js'

/**
 * The query of `isDistributed`. It fails without the catalog table of Citus, so it is sent only if
 * that table exists.
 */
const text =
  'SELECT (count(*) > 0)::text AS c0 FROM pg_catalog.pg_dist_partition WHERE logicalrelid::oid = ANY ($1::text::oid[])'

/**
 * Whether the catalog of Citus lists one of these tables: as a distributed table, as a reference
 * table (copied to each server), or as a local table. The Citus planner has the same restrictions
 * for all three kinds.
 */
export async function isDistributed(oids: readonly string[], database: Database, wait: Wait): Promise<boolean> {
  const [found] = await database.query(text, [arrayText(oids)], wait)
  return found?.c0 === 'true'
}

/**
 * Common types whose output functions are IMMUTABLE. The output functions of some other types, such
 * as timestamps, are not, because their text depends on session settings such as TimeZone.
 */
const settled =
  /^(?:text|character varying|uuid|smallint|integer|bigint|numeric|real|double precision|boolean|jsonb?)(?:\(|$)/

/**
 * Whether a separate statement must read the row after a write. In RETURNING, Citus accepts only
 * IMMUTABLE functions. The functions that output dates, timestamps and arrays are not IMMUTABLE.
 */
export const isReadSeparately = ({ distributed, columns }: Relation, { members }: Layout): boolean =>
  distributed &&
  members.some(
    ({ computed, column }) => computed || column === undefined || !settled.test(columns.get(column)?.type ?? ''),
  )
