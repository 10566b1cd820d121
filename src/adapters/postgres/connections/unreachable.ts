/**
 * Why a database can't be reached, for operators: `connect ECONNREFUSED 127.0.0.1:5433`. Such a
 * message holds no password.
 */
import { isUnavailable } from '../../../problem.js'

/**
 * An `Unavailable` whose `message` names the host, the port and the system's code, where the network
 * refused the connection. Its `detail`, which clients see, stays as it is. Any other error is
 * returned unchanged.
 */
export function withReason(error: unknown): unknown {
  if (!isUnavailable(error)) return error
  const reasons = systemMessages(error.cause)
  if (reasons.length > 0) error.message = `The database can not be reached: ${reasons.join(', ')}.`
  return error
}

/**
 * The messages of system errors among the causes. A host name with several addresses has an error
 * for each.
 */
function systemMessages(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return []
  if (error instanceof AggregateError) return error.errors.flatMap(systemMessages)
  return 'syscall' in error ? [error.message] : systemMessages(error.cause)
}
