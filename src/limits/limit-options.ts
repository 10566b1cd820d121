/** Limits and stores as a team gives them, checked when the service is built. */
import { functionOption, invalidOption, knownOptions } from '../definition/known-options.js'
import { isPromise } from '../promise.js'
import type { Limit, LimitStore, StoreOptions } from './store.js'

/** A whole number from 1 on, in the unit that `what` says. Throws `ConfigurationError`. */
function countOption(what: string, given: unknown): number {
  if (Number.isSafeInteger(given) && (given as number) >= 1) return given as number
  throw invalidOption(`${what} is ${typeof given === 'number' ? given : kindOf(given)}. Give a whole number, 1 or more.`)
}

/** A limit, with what is left out from `otherwise`. Throws `ConfigurationError`. */
export function limitOption(what: string, given: unknown, otherwise: Partial<Limit>): Limit {
  const { limit = otherwise.limit, window = otherwise.window } = knownOptions(what, given, { limit: true, window: true })
  return Object.freeze({
    limit: countOption(`limit of ${what}`, limit),
    window: countOption(`window of ${what}, in milliseconds,`, window),
  })
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
  if (store === undefined || store === null) throw invalidOption(`${what} gave nothing for "${name}": is a return missing? Give a store.`)
  if (isPromise(store)) {
    throw invalidOption(`${what} gave a promise for "${name}". Make the store at once: what it counts in may connect later.`)
  }
  const missing = methods.filter((method) => typeof (store as Partial<LimitStore>)[method] !== 'function')
  if (missing.length === 0) return
  const mend =
    missing.join() === 'get' ? 'Failed logins are looked up too: give a store that has it.' : "Give a store of express-rate-limit's kind."
  throw invalidOption(`${what} gave a store without ${missing.join(', ')} for "${name}". ${mend}`)
}

type Method = 'increment' | 'decrement' | 'resetKey' | 'get'

/** Throws `ConfigurationError` where the options about the store make no sense. */
export function checkStoreOptions(what: string, options: StoreOptions): void {
  const { store, storeTimeout, onStoreFailure, onStoreRecovery } = options
  functionOption(`store of ${what}`, store)
  functionOption(`onStoreFailure of ${what}`, onStoreFailure)
  functionOption(`onStoreRecovery of ${what}`, onStoreRecovery)
  if (storeTimeout !== undefined) countOption(`storeTimeout of ${what}, in milliseconds,`, storeTimeout)
}

const kindOf = (value: unknown): string => (value === undefined ? 'missing' : value === null ? 'null' : `of type ${typeof value}`)
