/** Validates limits and stores when the service is built. */

import { invalidOption } from '../options/check.js'
import { count, type Kinds, milliseconds } from '../options/kinds.js'
import { isPromise } from '../promise.js'
import type { LimitStore, Quota, StoreOptions } from './store.js'

/** The valid options of a limit. */
export const limitKinds: Kinds<Quota> = { limit: count, window: milliseconds }

/** A limit. Values that are missing in `given` are taken from `otherwise`. */
export const limitOf = (given: Partial<Quota> | undefined, otherwise: Quota): Quota =>
  Object.freeze({ limit: given?.limit ?? otherwise.limit, window: given?.window ?? otherwise.window })

/** The valid options of stores. */
export const storeKinds: Kinds<StoreOptions> = {
  store: 'function',
  storeTimeout: milliseconds,
  onStoreFailure: 'function',
  onStoreRecovery: 'function',
}

/**
 * Returns a function that creates the stores of one limit, by name, with the service's factory.
 * `needed`: methods that the stores must have besides those for counting. The returned function
 * throws `ConfigurationError` if the factory returns something that is not a store, or returns the
 * same store twice.
 */
export function storeMaker(
  what: string,
  factory: NonNullable<StoreOptions['store']>,
  needed: readonly Method[] = [],
): (name: string) => LimitStore {
  const made: LimitStore[] = []
  const methods: readonly Method[] = ['increment', 'decrement', 'resetKey', ...needed]
  return (name) => {
    const store = factory(name)
    checkStore(`The function "store" of ${what}`, name, store, methods)
    if (made.includes(store)) {
      throw invalidOption(
        `The function "store" of ${what} returned the same store twice, the second time for "${name}". ` +
          'Create one for each name, with the name in its prefix, because each of them has its own window.',
      )
    }
    made.push(store)
    return store
  }
}

function checkStore(what: string, name: string, store: unknown, methods: readonly Method[]): void {
  if (store === undefined || store === null)
    throw invalidOption(`${what} returned no store for "${name}": is a return missing? Return a store.`)
  if (isPromise(store)) {
    throw invalidOption(
      `${what} returned a promise for "${name}". Return the store synchronously; its client may connect later.`,
    )
  }
  const missing = methods.filter((method) => typeof (store as Partial<LimitStore>)[method] !== 'function')
  if (missing.length === 0) return
  const fix =
    missing.join() === 'get'
      ? 'Failed logins are looked up too: use a store with this method.'
      : 'Use a store for express-rate-limit.'
  throw invalidOption(`${what} returned a store without ${missing.join(', ')} for "${name}". ${fix}`)
}

type Method = 'increment' | 'decrement' | 'resetKey' | 'get'
