/**
 * Tells operators why a database can't be reached, for example `connect ECONNREFUSED
 * 127.0.0.1:5433`. Such a message contains no password.
 */
import { isUnavailable } from '../../../problem.js'

/**
 * Returns the given error. If the error is an `Unavailable` that was caused by system errors, such
 * as a refused connection, its `message` is replaced with one that contains the messages of these
 * system errors. Its `detail`, which clients see, does not change.
 */
export function withReason(error: unknown): unknown {
  if (!isUnavailable(error)) return error
  const reasons = systemMessages(error.cause)
  if (reasons.length > 0) error.message = `The database cannot be reached: ${reasons.join(', ')}.`
  return error
}

/**
 * Returns the messages of the system errors among the causes of an error. If a host name has
 * several IP addresses, there is an error for each address.
 */
function systemMessages(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return []
  if (error instanceof AggregateError) return error.errors.flatMap(systemMessages)
  return 'syscall' in error ? [error.message] : systemMessages(error.cause)
}
