import { ConfigurationError, isConfigurationError } from '../../problem.js'

/**
 * Returns the error for a database that does not match the configuration. The message contains the
 * fix.
 */
export const unfit = (message: string): ConfigurationError =>
  new ConfigurationError('store-unfit', `${factory}: ${message}.`)

const factory = 'postgresAdapter()'

/**
 * Returns the given error. If it was made by `unfit`, its message also names the resource, because
 * `ready()` of a service checks many resources.
 */
export function ofResource(error: unknown, collection: string): unknown {
  if (isConfigurationError(error) && error.message.startsWith(`${factory}: `))
    error.message = `${factory} of "${collection}"${error.message.slice(factory.length)}`
  return error
}

/**
 * Returns the error for a write through `within()` on a client without an open transaction. Without
 * this error, the write would be committed at once.
 */
export const noTransaction = (): ConfigurationError =>
  unfit(
    'within() needs a client on which you have opened a transaction; otherwise the write would be committed ' +
      'separately. Nothing was written. Send BEGIN on a client of the pool, wait for the writes before COMMIT, ' +
      'and release the client last. For a PGlite, pass the tx of transaction()',
  )

/**
 * Returns the error for a custom client's transaction that can't be made REPEATABLE READ, because
 * the client has already run a query in that transaction.
 */
export const lateLevel = (): ConfigurationError =>
  unfit(
    "the client's transaction() runs a query before it calls the given function, but this view can only be " +
      'written in a transaction that is REPEATABLE READ from its start. Nothing was written. ' +
      'Let transaction() send BEGIN ISOLATION LEVEL REPEATABLE READ',
  )
