/** Validates limits and stores when the service is built. */

import { invalidOption } from '../options/check.js'
import { count, type Kinds, milliseconds } from '../options/kinds.js'
import { isPromise } from '../promise.js'
import { longestTimer } from '../timeout.js'
import type { LimitStore, Quota, StoreOptions } from './store.js'

/** The longest window: 366 days, in milliseconds. */
const longestWindow = 366 * 24 * 60 * 60_000

/** The valid options of a limit. */
export const limitKinds: Kinds<Quota> = { limit: count, window: { ...milliseconds, to: longestWindow } }

/** Completes a limit: values that are missing in `given` are taken from `otherwise`. */
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
 * Returns a function that creates the store of one limit with the service's factory. The arguments
 * of the returned function are the name and the window of the limit. `needed`: methods that the
 * stores must have besides those for counting. The returned function throws `ConfigurationError` if
 * the factory returns something that is not a store, a store that cannot keep counts for the whole
 * window, or the same store twice.
 */
export function storeMaker(
  what: string,
  factory: NonNullable<StoreOptions['store']>,
  needed: readonly Method[] = [],
): (name: string, window: number) => LimitStore {
  const made: LimitStore[] = []
  const methods: readonly Method[] = ['increment', 'decrement', 'resetKey', ...needed]
  return (name, window) => {
    const store = factory(name)
    checkStore(`The function "store" of ${what}`, name, store, methods)
    checkWindow(what, name, store, window)
    if (made.includes(store)) {
      throw invalidOption(
        `The function "store" of ${what} returned the same store twice, the second time for "${name}". ` +
          'Create one store for each name, and use the name as the prefix of its keys: each store has its own window.',
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
      ? 'login() reads counts with get(), so use a store with this method.'
      : 'Use a store for express-rate-limit.'
  throw invalidOption(`${what} returned a store without ${missing.join(', ')} for "${name}". ${fix}`)
}

/**
 * Throws if the window is too long for a store that deletes expired counts with a timer, such as
 * the `MemoryStore` of express-rate-limit. Such a store is recognized by `localKeys: true`. The
 * delay of its timer is the window. If a delay is too long for a timer, Node.js sets the delay to 1
 * millisecond. The store would then delete each count at once.
 */
function checkWindow(what: string, name: string, store: LimitStore, window: number): void {
  if (window <= longestTimer || (store as { localKeys?: unknown }).localKeys !== true) return
  throw invalidOption(
    `The window of "${name}" of ${what} is ${window} milliseconds. A store that deletes expired counts with a timer ` +
      `keeps counts for at most ${longestTimer} milliseconds (24 days). Use a store such as RedisStore, or omit ` +
      '"store".',
  )
}

type Method = 'increment' | 'decrement' | 'resetKey' | 'get'
