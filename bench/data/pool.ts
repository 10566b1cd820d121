/** The pool of connections to PostgreSQL that a server uses. */
import pg from 'pg'

/** Connections stay open, so an idle server does not reconnect for its next round. */
export const poolOf = (connectionString: string): pg.Pool =>
  new pg.Pool({ connectionString, max: 10, idleTimeoutMillis: 0 })
