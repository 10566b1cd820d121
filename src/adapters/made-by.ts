/** Checks what the team's functions return and throw, so that an error names the function. */
import { isDeepStrictEqual } from 'node:util'
import { isContainer, isList, isObject, isPlainObject, own } from '../definition/json.js'
import { isPromise } from '../promise.js'

/** Calls a function of the team. Where it throws a primitive, an error that names the function is thrown instead. */
export function called<R>(name: string, work: () => R): R {
  try {
    return work()
  } catch (thrown) {
    throw thrownBy(name, thrown)
  }
}

/** The same for a function that may return a promise. */
export async function calledLater<R>(name: string, work: () => R): Promise<Awaited<R>> {
  try {
    return await work()
  } catch (thrown) {
    throw thrownBy(name, thrown)
  }
}

/** A primitive has no stack that would show where it was thrown. */
const thrownBy = (name: string, thrown: unknown): unknown => (isContainer(thrown) ? thrown : noError(name, thrown))

/** The error in place of a thrown value that is no error. */
export const noError = (name: string, thrown: unknown): Error =>
  new Error(`${name} threw ${String(thrown)}, which is no Error.`, { cause: thrown })

/** Throws where the function has changed all of these members: then the client can't fix them. */
export function blameHook(hook: string, members: readonly string[], { given, made, why }: Blamed): void {
  const isHooks = (member: string): boolean => {
    const [name = ''] = member.split('.')
    return !isDeepStrictEqual(own(given, name), own(made, name))
  }
  if (members.length === 0 || !members.every(isHooks)) return
  throw new Error(`${hook} gives ${members.map((member) => `"${member}"`).join(', ')} a value that ${why}.`)
}

interface Blamed {
  /** The record as the function got it. */
  readonly given: unknown
  /** The record that it returned. */
  readonly made: unknown
  /** What is wrong with the members, as the rest of a sentence. */
  readonly why: string
}

/**
 * The record that a function returned. Throws for anything else: a forgotten `return`, or a promise
 * where the value is used synchronously.
 */
export function madeBy<R>(name: string, collection: string, made: R): Awaited<R> {
  refusePromise(`${name} of "${collection}"`, made)
  if (isObject(made)) {
    for (const [member, value] of Object.entries(made)) {
      const found = notJson(value, [made])
      if (found === undefined) continue
      throw new Error(
        `${name} of "${collection}" gave "${member}" ${found}. Give values that JSON has: a date as its text, for one.`,
      )
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

/** Throws for a promise, where the function must be synchronous. */
export function refusePromise(what: string, given: unknown): void {
  if (!isPromise(given)) return
  // Nothing else handles it: a rejection would end the process.
  given.then(undefined, () => {})
  throw new Error(
    `${what} gave a promise. This adapter answers at once: return the value itself, and look things up beforehand.`,
  )
}
