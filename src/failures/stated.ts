/**
 * Errors whose message may stand in a log: the library wrote it, and it holds no value and no secret.
 * Of all others a log line says the class, the code and the place alone.
 */
import { branded, hasBrand } from '../brand.js'
import type { Incident } from './incidents.js'

const incidents = new WeakMap<object, Incident>()

/** Marks an error, or the prototype of a class of them, and returns it. `incident`: what it is a sign of. */
export function stated<T extends object>(made: T, incident?: Incident): T {
  if (incident !== undefined) incidents.set(made, incident)
  return branded('stated', made, false)
}

export const isStated = (error: Error): boolean => hasBrand('stated', error)

/** What a marked error, or its class, is a sign of. */
export function incidentOf(error: object): Incident | undefined {
  for (let at: object | null = error; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    const found = incidents.get(at)
    if (found !== undefined) return found
  }
  return undefined
}
