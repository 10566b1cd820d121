/** Whether Citus distributes a table over servers. */
import type { Database, Wait } from '../connections/client.js'
import { arrayText } from '../sql/sql.js'
import type { Relation } from './catalog.js'
import type { Layout } from './layout.js'

/** Sent only where the catalog of Citus exists: elsewhere the server would not parse it. */
const text =
  'SELECT (count(*) > 0)::text AS c0 FROM pg_catalog.pg_dist_partition WHERE logicalrelid::oid = ANY ($1::text::oid[])'

/**
 * Whether the catalog of Citus has one of these tables: as a distributed table, as a reference table, which each
 * server has whole, or as a local one. The planner of Citus has the same rules for all of them.
 */
export async function isDistributed(oids: readonly string[], database: Database, wait: Wait): Promise<boolean> {
  const [found] = await database.query(text, [arrayText(oids)], wait)
  return found?.c0 === 'true'
}

/** Types whose text is the same in every session. That of the others depends on settings such as TimeZone. */
const settled =
  /^(?:text|character varying|uuid|smallint|integer|bigint|numeric|real|double precision|boolean|jsonb?)(?:\(|$)/

/**
 * Whether the row that a write leaves is to be read by another statement. Citus takes no function in
 * RETURNING that is not IMMUTABLE, and such functions make the text of dates, times and arrays.
 */
export const isReadAgain = ({ distributed, columns }: Relation, { members }: Layout): boolean =>
  distributed &&
  members.some(
    ({ computed, column }) => computed || column === undefined || !settled.test(columns.get(column)?.type ?? ''),
  )
