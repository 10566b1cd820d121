/**
 * Errors that the service's own functions have caused. Such errors do not concern the resource's
 * table, and are never treated as refusals of a record.
 */
import { loggableError } from '../../../failures/loggable.js'
import { nonError } from '../../made-by.js'

/** The errors that the service's own functions have caused. */
export const callbackErrors = new WeakSet<Error>()

/**
 * Returns the error that the service's function has thrown, and records it in `callbackErrors`. A
 * thrown value that is not an error is wrapped in an error.
 */
export function callbackError(error: unknown, name: 'write' | 'session'): Error {
  const found = error instanceof Error ? error : nonError(`The "${name}" function`, error)
  callbackErrors.add(found)
  return found
}

/**
 * Returns an error with a message for the developers of the service, not for clients, and records
 * it in `callbackErrors`. The message must not contain values.
 */
export function callbackFault(message: string, cause?: unknown): Error {
  const error = loggableError(message, cause === undefined ? undefined : { cause })
  callbackErrors.add(error)
  return error
}
