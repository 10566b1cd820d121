/**
 * Whether two rows with equal key and version are certainly equal, so that a record decoded from
 * one is also the record of the other. A wrong entity tag costs a client a needless or a missed
 * 304. A wrong record is wrong in every response, so the requirements here are stricter than for a
 * tag.
 */
import type { PostgresAdapterOptions } from '../options/options.js'
import { row } from '../sql/sql.js'
import type { Relation } from './catalog.js'
import type { Layout } from './layout.js'
import { isRandomAlone } from './movers.js'
import type { VersionSource } from './versions.js'

/**
 * - `content`: the version includes a digest of everything that the record is made of. Equal texts
 * make equal records, regardless of what happened to the row in between.
 * - `writes`: each write gives the row a random version, and PostgreSQL stamps it with the id of
 * its transaction (`xmin`). Both are compared, because each detects what the other misses:
 *   - A trigger that is disabled or dropped, `session_replication_role = replica`, the worker of a
 * logical subscription, or another writer in spite of `soleWriter` leaves the version unchanged.
 * The transaction id differs, because one transaction leaves only one final row.
 *   - After a failover, a restore, or four billion transactions, transaction ids repeat. Versions
 * are random, so those of other writes differ. Numbers of a sequence would not be enough: they
 * repeat after `TRUNCATE ... RESTART IDENTITY`, `setval`, or a failover that lost the last
 * transactions.
 *   - A row that is deleted and created again, or restored from a copy, has another transaction id.
 *
 *   Neither detects schema changes that write no row: a renamed enumeration label or column, or
 * another table with the same name. `shown-schema.ts` detects those.
 */
export type RowProof = 'content' | 'writes'

/** The SQL of the text that is compared in addition to the version. */
export const stampSql = `${row}.xmin::text`

export interface Proving {
  readonly layout: Layout
  readonly relation: Relation
  readonly version: VersionSource
}

/** The proof that the catalog and the options allow; `undefined` if there is none. */
export function rowProofOf(
  options: PostgresAdapterOptions,
  { layout, relation, version }: Proving,
): RowProof | undefined {
  // Settings from a team's `session` function may change which table a name refers to.
  if (options.readFrom !== undefined || options.session !== undefined) return undefined
  if (typeof options.version !== 'object' || 'expression' in options.version) return undefined
  // Values that are computed on read may change while the row stays the same.
  if (layout.members.some(({ computed }) => computed)) return undefined
  // Members that the schema does not name are read for a team's functions, and are in no digest.
  if (version.hasDigest) return layout.content.length === layout.names.length ? 'content' : undefined
  const column = relation.columns.get(options.version.column)
  const isRandom =
    column?.type === 'uuid' && isRandomAlone(column.default) && isRandomAlone(options.version.next ?? column.default)
  return isRandom && relation.stamped && relation.parts.length === 0 ? 'writes' : undefined
}
