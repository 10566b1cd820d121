/**
 * Warns if the version is `xmin` and a replica might replace the server. After an asynchronous
 * failover, the new primary uses the ids of lost transactions again. Two states of one record can
 * then have the same entity tag.
 */
import type { Database, Wait } from '../connections/client.js'
import { failureKind, unavailable } from '../connections/failures.js'
import type { Table } from '../table/table.js'

/**
 * Selects the names of the server's replicas, as far as the role can see them. The result is empty
 * if there are no replicas.
 */
const replicationSql = `SELECT concat_ws(', ',
  nullif(current_setting('synchronous_standby_names', true), ''),
  (SELECT string_agg(coalesce(application_name, 'a standby'), ', ') FROM pg_stat_replication
    WHERE pid NOT IN (SELECT active_pid FROM pg_replication_slots WHERE slot_type = 'logical' AND active_pid IS NOT NULL)),
  (SELECT string_agg('the slot ' || slot_name, ', ') FROM pg_replication_slots WHERE slot_type = 'physical')) AS c0`

/** Returns a warning if the versions of the table are `xmin` and the server has replicas. */
export async function repeatingXids(
  { definition, options }: Table,
  database: Database,
  wait: Wait,
): Promise<readonly string[]> {
  if ((options.version ?? 'xmin') !== 'xmin') return []
  const [row] = await database.query(replicationSql, [], wait).catch((error: unknown) => {
    // Databases other than PostgreSQL might not have these views.
    if (failureKind(error) === 'other') return []
    throw unavailable(error, false)
  })
  const replicas = row?.c0 ?? ''
  if (replicas === '') return []
  return [
    `The version of "${definition.collection}" is xmin, and the server is replicated (${replicas}): after an ` +
      'asynchronous failover, transaction ids repeat, so an old ETag can match another state of the record, and ' +
      'an update can be lost. Name a column in "version".',
  ]
}
