/**
 * Whether two rows of equal key and version are equal, so that a record that was made of the one is
 * the record of the other. An entity tag that is wrong costs a client a needless or a missed 304. A
 * record that is wrong is wrong in every answer, so more is asked for here than for a tag.
 */
import type { PostgresAdapterOptions } from '../options/options.js'
import { row } from '../sql/sql.js'
import type { Relation } from './catalog.js'
import type { Layout } from './layout.js'
import { isRandomAlone } from './movers.js'
import type { VersionSource } from './versions.js'

/**
 * - `content`: the version has a digest of all that the record is made of. Equal texts make equal
 *   records, whatever happened to the row in between.
 * - `writes`: each write gives the row a random version, and PostgreSQL stamps it with the number of
 *   its transaction (`xmin`). Both are compared. What one of them misses, the other shows:
 *   - A trigger that is disabled or dropped, `session_replication_role = replica`, the worker of a
 *     logical subscription, or a statement beside a `soleWriter` leaves the version as it is. The
 *     transaction is another one, since what one transaction leaves behind is one row.
 *   - A failover, a restore, or four billion transactions repeat a number. The versions are random,
 *     so those of other writes differ. A number of a sequence would repeat with it: after
 *     `TRUNCATE ... RESTART IDENTITY`, `setval`, or a failover that lost the last transactions.
 *   - A row that is deleted and made again, or put back from a copy, has another transaction.
 *
 *   What neither shows are changes of the schema that write no row: an enumeration's label or a
 *   column with another name, another table by the same name. `shown-schema.ts` asks for them.
 */
export type RowProof = 'content' | 'writes'

/** The SQL of what is compared beside the version, as text. */
export const stampSql = `${row}.xmin::text`

export interface Proving {
  readonly layout: Layout
  readonly relation: Relation
  readonly version: VersionSource
}

/** What the catalog and the options prove; `undefined` where it is not enough. */
export function rowProofOf(
  options: PostgresAdapterOptions,
  { layout, relation, version }: Proving,
): RowProof | undefined {
  // What a team's `session` sets may decide which table a name means.
  if (options.readFrom !== undefined || options.session !== undefined) return undefined
  if (typeof options.version !== 'object' || 'expression' in options.version) return undefined
  // What is computed as it is read may change while the row stays.
  if (layout.members.some(({ computed }) => computed)) return undefined
  // Members that the schema does not name are read for a team's functions, and are in no digest.
  if (version.hasDigest) return layout.content.length === layout.names.length ? 'content' : undefined
  const column = relation.columns.get(options.version.column)
  const isRandom =
    column?.type === 'uuid' && isRandomAlone(column.default) && isRandomAlone(options.version.next ?? column.default)
  return isRandom && relation.stamped && relation.parts.length === 0 ? 'writes' : undefined
}
