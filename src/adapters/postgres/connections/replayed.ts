/** Checks whether a replica has replayed the primary's log up to a position. */

/** Thrown if a replica has not replayed the log up to the required position. */
export class Behind extends Error {
  override readonly name = 'Behind'
}

/**
 * Returns the string `true` if the server is a replica that has reached the position in the
 * parameter. A server that is not in recovery is not a replica. Such a server may have been
 * promoted by mistake, or may be a former primary that was not shut down. It has a log of its own,
 * so its position is meaningless.
 */
export const replayedSql = `SELECT (pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= $1::pg_lsn)::text AS c0`
