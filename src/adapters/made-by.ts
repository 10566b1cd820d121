/**
 * Checks the return values and exceptions of the service's own functions, so that an error message
 * names the function at fault.
 */

import { isDeepStrictEqual } from 'node:util'
import { isContainer, isList, isObject, isPlainObject, kindName, own } from '../definition/json.js'
import { loggableError } from '../failures/loggable.js'
import { isPromise } from '../promise.js'

/**
 * Calls one of the service's own functions. If the function throws a value that is not an object,
 * `called` replaces the value with an error. The error names the function.
 */
export function called<R>(name: string, work: () => R): R {
  try {
    return work()
  } catch (thrown) {
    throw thrownBy(name, thrown)
  }
}

/** Like `called`, for a function that may return a promise. */
export async function calledLater<R>(name: string, work: () => R): Promise<Awaited<R>> {
  try {
    return await work()
  } catch (thrown) {
    throw thrownBy(name, thrown)
  }
}

/**
 * Returns the thrown value if it is an object. Otherwise returns an error in its place, because
 * only an object can have a stack that shows where it was thrown.
 */
const thrownBy = (name: string, thrown: unknown): unknown => (isContainer(thrown) ? thrown : nonError(name, thrown))

/** The error to throw in place of a value that is not an `Error`. */
export const nonError = (name: string, thrown: unknown): Error =>
  new Error(`${name} threw ${String(thrown)}, which is not an Error.`, { cause: thrown })

/**
 * Throws if the service's function has changed every member in `members`. These members hold wrong
 * values. The client did not send the values and can't correct them, so a 422 that names the
 * members would not help.
 */
export function blameHook(hook: string, members: readonly string[], { given, made, why }: Blamed): void {
  const isChanged = (member: string): boolean => {
    const [name = ''] = member.split('.')
    return !isDeepStrictEqual(own(given, name), own(made, name))
  }
  if (members.length === 0 || !members.every(isChanged)) return
  throw loggableError(`${hook} sets ${members.map((member) => `"${member}"`).join(', ')} to a value that ${why}.`)
}

interface Blamed {
  /** The record that was passed to the function. */
  readonly given: unknown
  /** The record that the function returned. */
  readonly made: unknown
  /** The fault of the members, as the end of a sentence. */
  readonly why: string
}

/**
 * Checks and returns the record that a function returned. Throws if the result is not a record, for
 * example after a forgotten `return`. Also throws for a promise, and for a record that holds values
 * which JSON does not support.
 */
export function madeBy<R>(name: string, collection: string, made: R): Awaited<R> {
  refusePromise(`${name} of "${collection}"`, made)
  if (isObject(made)) {
    for (const [member, value] of Object.entries(made)) {
      const found = notJson(value, [made])
      if (found === undefined) continue
      throw loggableError(
        `${name} of "${collection}" returned ${found} in "${member}". Use only values that JSON ` +
          'supports, for example a string for a date.',
      )
    }
    return made as Awaited<R>
  }
  throw loggableError(`${name} of "${collection}" returned ${kindName(made)}. Return the record.`)
}

/**
 * Describes the part of a value that JSON does not support. Returns `undefined` if there is no such
 * part. `within` holds the enclosing objects.
 */
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

/** Throws if the result of a function that must be synchronous is a promise. */
export function refusePromise(what: string, given: unknown): void {
  if (!isPromise(given)) return
  // Nothing else handles this promise, so a rejection would end the process.
  given.then(undefined, () => {})
  throw loggableError(
    `${what} returned a promise. Make it synchronous: return the value itself, and look up other data beforehand.`,
  )
}
