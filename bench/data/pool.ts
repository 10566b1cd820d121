/** The connections that every server has to PostgreSQL. */
import pg from 'pg'

/** They stay open: while others take their turn, a server has nothing to ask for. */
export const poolOf = (connectionString: string): pg.Pool =>
  new pg.Pool({ connectionString, max: 10, idleTimeoutMillis: 0 })
