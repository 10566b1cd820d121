/** Limits and stores as a team gives them, checked when the service is built. */

import { invalidOption } from '../options/check.js'
import { count, type Kinds, milliseconds } from '../options/kinds.js'
import { isPromise } from '../promise.js'
import type { LimitStore, Quota, StoreOptions } from './store.js'

/** The kinds of a limit's options. */
export const limitKinds: Kinds<Quota> = { limit: count, window: milliseconds }

/** A limit, with what is left out from `otherwise`. */
export const limitOf = (given: Partial<Quota> | undefined, otherwise: Quota): Quota =>
  Object.freeze({ limit: given?.limit ?? otherwise.limit, window: given?.window ?? otherwise.window })

/** The kinds of the options about stores. */
export const storeKinds: Kinds<StoreOptions> = {
  store: 'function',
  storeTimeout: milliseconds,
  onStoreFailure: 'function',
  onStoreRecovery: 'function',
}

/**
 * What makes the stores of one limit, by name, from the team's factory. `needed`: what they must be able to do beside counting. Throws `ConfigurationError` where the
 * factory gives something else, or a store that it has given before.
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
    checkStore(`store of ${what}`, name, store, methods)
    if (made.includes(store)) {
      throw invalidOption(
        `store of ${what} gave one store twice, the second time for "${name}". Make one each time, with the name in its prefix: their windows differ.`,
      )
    }
    made.push(store)
    return store
  }
}

function checkStore(what: string, name: string, store: unknown, methods: readonly Method[]): void {
  if (store === undefined || store === null)
    throw invalidOption(`${what} gave nothing for "${name}": is a return missing? Give a store.`)
  if (isPromise(store)) {
    throw invalidOption(
      `${what} gave a promise for "${name}". Make the store at once: what it counts in may connect later.`,
    )
  }
  const missing = methods.filter((method) => typeof (store as Partial<LimitStore>)[method] !== 'function')
  if (missing.length === 0) return
  const mend =
    missing.join() === 'get'
      ? 'Failed logins are looked up too: give a store that has it.'
      : "Give a store of express-rate-limit's kind."
  throw invalidOption(`${what} gave a store without ${missing.join(', ')} for "${name}". ${mend}`)
}

type Method = 'increment' | 'decrement' | 'resetKey' | 'get'
