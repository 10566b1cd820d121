/** A wrong adapter, and the checks that must catch it. */
import type { AdapterFixture, MadeAdapter } from '../../../src/testing/index.js'
import { PlainAdapter } from '../plain-adapter.js'

export interface Mutant {
  /** What the adapter does wrong. */
  readonly name: string
  /** Each of these checks must fail. Other checks may fail too. */
  readonly caughtBy: readonly string[]
  readonly make: (fixture: AdapterFixture) => MadeAdapter
}

type Wrong = new (...given: ConstructorParameters<typeof PlainAdapter>) => PlainAdapter

/** A mutant whose class overrides methods of the plain adapter. */
export const mutant = (name: string, caughtBy: readonly string[], wrong: Wrong): Mutant => ({
  name,
  caughtBy,
  make: (fixture) => ({ adapter: new wrong(fixture) }),
})

/** A mutant that replaces or removes methods of a plain adapter. */
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
