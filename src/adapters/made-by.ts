/** What the functions that a team gives an adapter return and throw: what is wrong with it is the team's to fix. */
import { isDeepStrictEqual } from 'node:util'
import { isContainer, isList, isObject, isPlainObject, own } from '../definition/json.js'
import { isPromise } from '../promise.js'

/** Calls a function of the team. What it throws names the function, unless it is an object. */
export function called<R>(name: string, work: () => R): R {
  try {
    return work()
  } catch (thrown) {
    throw thrownBy(name, thrown)
  }
}

/** The same for a function that may answer later. */
export async function calledLater<R>(name: string, work: () => R): Promise<Awaited<R>> {
  try {
    return await work()
  } catch (thrown) {
    throw thrownBy(name, thrown)
  }
}

/** A text or another primitive says nothing of where it was thrown. */
const thrownBy = (name: string, thrown: unknown): unknown => (isContainer(thrown) ? thrown : noError(name, thrown))

/** The error for what a function has thrown that is none. */
export const noError = (name: string, thrown: unknown): Error =>
  new Error(`${name} threw ${String(thrown)}, which is no Error.`, { cause: thrown })

/** The members of a record that a function of the team has changed are not the client's to fix: throws where all of these are. */
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
