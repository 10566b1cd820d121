/** What functions of a team give back. */

import { isContainer, isList, isObject, isPlainObject } from '../definition/json.js'
import { isPromise } from '../promise.js'

/**
 * The record that one has made. Throws where it gave none: a forgotten `return`, or a promise where
 * the value is used at once.
 */
export function madeBy<R>(name: string, collection: string, made: R): Awaited<R> {
  refusePromise(`${name} of "${collection}"`, made)
  if (isObject(made)) {
    for (const [member, value] of Object.entries(made)) {
      const found = notJson(value, [made])
      if (found === undefined) continue
      throw new Error(`${name} of "${collection}" gave "${member}" ${found}. Give values that JSON has: a date as its text, for one.`)
    }
    return made as Awaited<R>
  }
  const gave = isList(made) ? 'a list' : made === null ? 'null' : made === undefined ? 'undefined' : `a ${typeof made}`
  throw new Error(`${name} of "${collection}" gave ${gave}. Return the record.`)
}

/** What in a value JSON does not have; `undefined` where it is JSON. `within` are the objects around it. */
function notJson(value: unknown, within: readonly unknown[]): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value)
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function') return `a ${typeof value}`
  if (!isContainer(value)) return undefined
  if (within.includes(value)) return 'an object that contains itself'
  if (!isList(value) && !isPlainObject(value)) return `an object of the class ${value.constructor.name}`
  for (const item of Object.values(value)) {
    const found = notJson(item, [...within, value])
    if (found !== undefined) return found
  }
  return undefined
}

/** Throws where a function gave a promise, which nobody would wait for. */
export function refusePromise(what: string, given: unknown): void {
  if (!isPromise(given)) return
  // Nobody else listens: a rejection must not end the process.
  given.then(undefined, () => {})
  throw new Error(`${what} gave a promise. This adapter answers at once: return the value itself, and look things up beforehand.`)
}
