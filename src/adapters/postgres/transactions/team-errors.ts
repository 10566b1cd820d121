/** Errors of a team's own functions: they are not about the table, and are no refusals. */
import { nonError } from '../../made-by.js'

/** Those that were thrown. */
export const teamErrors = new WeakSet<Error>()

/** What a team's function has thrown, recorded in `teamErrors`; in an error, where it is none. */
export function teamError(error: unknown, name: 'write' | 'session'): Error {
  const found = error instanceof Error ? error : nonError(`The "${name}" function`, error)
  teamErrors.add(found)
  return found
}

/** An error for the team alone. */
export function teamFault(message: string, cause?: unknown): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause })
  teamErrors.add(error)
  return error
}
