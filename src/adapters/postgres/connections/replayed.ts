/** Whether a replica has replayed the log up to a position. */

/** Thrown if it has not. */
export class Behind extends Error {
  override readonly name = 'Behind'
}

/**
 * Takes a position and returns 'true' or 'false'. A server that is not in recovery is not a
 * replica: it may have been promoted by mistake, or be a former primary that was not shut down.
 * Such a server has a log of its own, so its position is meaningless.
 */
export const replayedSql = `SELECT (pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= $1::pg_lsn)::text AS c0`
