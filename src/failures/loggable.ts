/**
 * Marks errors whose message may be logged. These messages come from the library itself, and
 * contain no values and no secrets. For any other error, a log line contains only information that
 * is known to be safe (`causes.ts`).
 */
import { branded, hasBrand } from '../brand.js'
import type { Incident } from './incidents.js'

const incidents = new WeakMap<object, Incident>()

/**
 * Marks an error, or the prototype of an error class, and returns it. `incident` is the incident
 * that the error indicates.
 */
export function loggable<T extends object>(made: T, incident?: Incident): T {
  if (incident !== undefined) incidents.set(made, incident)
  return branded('stated', made, false)
}

/** An error with a message of the library. The message must not contain values or secrets. */
export const loggableError = (message: string, options?: ErrorOptions): Error => loggable(new Error(message, options))

export const isLoggable = (error: Error): boolean => hasBrand('stated', error)

/** The incident that a marked error, or its class, indicates. */
export function incidentOf(error: object): Incident | undefined {
  for (let at: object | null = error; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    const found = incidents.get(at)
    if (found !== undefined) return found
  }
  return undefined
}
