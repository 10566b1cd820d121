/** Whether a replica has replayed the log up to a position. */

/** Thrown where it has not. */
export class Behind extends Error {
  override readonly name = 'Behind'
}

/**
 * Takes a position and returns 'true' or 'false'. A server that is not in recovery is no replica: it
 * may have been promoted by mistake, or be a primary that has been replaced and does not know it yet.
 * The log of such a server goes on by itself, so its position says nothing.
 */
export const replayedSql = `SELECT (pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= $1::pg_lsn)::text AS c0`
