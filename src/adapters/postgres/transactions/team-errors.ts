/** Errors of a team's own functions. They do not concern the table, and are not refusals. */
import { nonError } from '../../made-by.js'

/** The errors that team functions have thrown. */
export const teamErrors = new WeakSet<Error>()

/**
 * The exception of a team's function, recorded in `teamErrors`. A value that is not an error is
 * wrapped in one.
 */
export function teamError(error: unknown, name: 'write' | 'session'): Error {
  const found = error instanceof Error ? error : nonError(`The "${name}" function`, error)
  teamErrors.add(found)
  return found
}

/** An error addressed to the team, not to clients. */
export function teamFault(message: string, cause?: unknown): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause })
  teamErrors.add(error)
  return error
}
