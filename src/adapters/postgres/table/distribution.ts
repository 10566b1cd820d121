/** Detects whether Citus distributes a table over servers. */
import type { Database, Wait } from '../connections/client.js'
import { arrayText } from '../sql/sql.js'
import type { Relation } from './catalog.js'
import type { Layout } from './layout.js'

/** Only sent if the catalog of Citus exists: otherwise the server could not parse it. */
const text =
  'SELECT (count(*) > 0)::text AS c0 FROM pg_catalog.pg_dist_partition WHERE logicalrelid::oid = ANY ($1::text::oid[])'

/**
 * Whether the catalog of Citus lists one of these tables: as a distributed table, as a reference
 * table (copied to each server), or as a local one. The same rules of the Citus planner apply to
 * all of them.
 */
export async function isDistributed(oids: readonly string[], database: Database, wait: Wait): Promise<boolean> {
  const [found] = await database.query(text, [arrayText(oids)], wait)
  return found?.c0 === 'true'
}

/**
 * Types whose text is the same in every session. The text of other types depends on settings such
 * as TimeZone.
 */
const settled =
  /^(?:text|character varying|uuid|smallint|integer|bigint|numeric|real|double precision|boolean|jsonb?)(?:\(|$)/

/**
 * Whether another statement must read the row that a write leaves. Citus accepts only IMMUTABLE
 * functions in RETURNING, and the functions that output dates, times and arrays are not.
 */
export const isReadAgain = ({ distributed, columns }: Relation, { members }: Layout): boolean =>
  distributed &&
  members.some(
    ({ computed, column }) => computed || column === undefined || !settled.test(columns.get(column)?.type ?? ''),
  )
