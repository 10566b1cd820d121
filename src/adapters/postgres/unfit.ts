import { ConfigurationError } from '../../problem.js'

/** A store that does not fit what is asked of it. The message says how to fix it. */
export const unfit = (message: string): ConfigurationError =>
  new ConfigurationError('store-unfit', `postgresAdapter(): ${message}.`)

/** Why a write by `within()` is refused: alone, it would be committed at once. */
export const noTransaction = (): ConfigurationError =>
  unfit(
    'within() has a client without an open transaction of yours, so the write would be committed by itself. Nothing was written. Send BEGIN on a client of the pool, wait for the writes before COMMIT, and release the client last. Of a PGlite, give the tx of transaction()',
  )

/** Why a transaction of a team's client can't be made REPEATABLE READ. */
export const lateLevel = (): ConfigurationError =>
  unfit(
    "the client's transaction() runs a query before it calls its function, and this view takes writes only in a transaction that is REPEATABLE READ from its start. Nothing was written. Let transaction() send BEGIN ISOLATION LEVEL REPEATABLE READ",
  )
