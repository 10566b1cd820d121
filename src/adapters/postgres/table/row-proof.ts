/**
 * Determines whether two rows with equal key and version are certainly equal. If so, the record
 * that was decoded from one row can be used for the other. A wrong proof would put wrong records
 * into responses, but a wrong entity tag affects only conditional requests. So the requirements for
 * a proof are stricter than those for an entity tag.
 */
import type { PostgresAdapterOptions } from '../options/options.js'
import { rowAlias } from '../sql/sql.js'
import type { Relation } from './catalog.js'
import type { Layout } from './layout.js'
import { isRandomAlone } from './version-triggers.js'
import type { VersionSource } from './versions.js'

/**
 * What proves that two rows with equal key and version are equal:
 * - `content`: the version includes a digest of everything that the record is made of. If the
 * versions are equal, the records are equal, whatever happened to the row in between.
 * - `writes`: a write normally gives the row a random version, and PostgreSQL stores the id of the
 * transaction in the row (`xmin`). The version and the transaction id are both compared, because
 * each detects changes that the other misses:
 *   - Some writes leave the version unchanged: writes while the trigger is disabled or dropped,
 *   writes with `session_replication_role = replica`, writes by the worker of a logical
 *   subscription, and writes by another program in spite of `soleWriter`. The transaction id then
 *   differs, because a transaction leaves only one final state of a row.
 *   - Transaction ids repeat after a failover, a restore, or four billion transactions, but the
 *   random versions of two writes still differ. Numbers of a sequence would not be enough, because
 *   they repeat after `TRUNCATE ... RESTART IDENTITY`, `setval`, or a failover that lost the last
 *   transactions.
 *   - A row that is deleted and created again, or restored from a copy, has another transaction id.
 *
 * With `writes`, some changes of the schema affect neither the version nor the transaction id of a
 * row: an enumeration label or a column is renamed, or another table takes the name of this table.
 * `shown-schema.ts` detects these changes.
 */
export type RowProof = 'content' | 'writes'

/** The SQL of the stamp: a string that is compared in addition to the version. */
export const stampSql = `${rowAlias}.xmin::text`

export interface Proving {
  readonly layout: Layout
  readonly relation: Relation
  readonly version: VersionSource
}

/**
 * The kind of proof that the catalog and the options allow. `undefined` if no proof is possible.
 */
export function rowProofOf(
  options: PostgresAdapterOptions,
  { layout, relation, version }: Proving,
): RowProof | undefined {
  // The service's `session` function may change settings, such as the search path, that decide
  // which table a name refers to.
  if (options.readFrom !== undefined || options.session !== undefined) return undefined
  if (typeof options.version !== 'object' || 'expression' in options.version) return undefined
  // Computed values may change while the row stays the same.
  if (layout.members.some(({ computed }) => computed)) return undefined
  // Members that the schema does not name are read for the service's own functions, but are not
  // part of the digest.
  if (version.hasDigest) return layout.content.length === layout.names.length ? 'content' : undefined
  const column = relation.columns.get(options.version.column)
  const isRandom =
    column?.type === 'uuid' && isRandomAlone(column.default) && isRandomAlone(options.version.next ?? column.default)
  return isRandom && relation.stamped && relation.tablesBelow.length === 0 ? 'writes' : undefined
}
