/** A wrong adapter, and the checks that must catch it. */
import type { AdapterFixture, MadeAdapter } from '../../../src/testing/index.js'
import { PlainAdapter } from '../plain-adapter.js'

export interface Mutant {
  /** The error. */
  readonly name: string
  /** Each of these checks must fail; others may. */
  readonly caughtBy: readonly string[]
  readonly make: (fixture: AdapterFixture) => MadeAdapter
}

type Wrong = new (...given: ConstructorParameters<typeof PlainAdapter>) => PlainAdapter

/** The plain adapter with something overridden. */
export const mutant = (name: string, caughtBy: readonly string[], wrong: Wrong): Mutant => ({
  name,
  caughtBy,
  make: (fixture) => ({ adapter: new wrong(fixture) }),
})

/** The plain adapter with methods replaced or removed. */
export const altered = (
  name: string,
  caughtBy: readonly string[],
  alter: (adapter: PlainAdapter) => object,
): Mutant => ({
  name,
  caughtBy,
  make(fixture) {
    const adapter = new PlainAdapter(fixture)
    return { adapter: Object.assign(adapter, alter(adapter)) }
  },
})
