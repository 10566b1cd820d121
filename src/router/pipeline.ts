/** The path of a request: its steps, in an order that compiles only where each step finds what it takes. */
import type { Awaitable } from '../adapters/contract.js'
import type { Answer } from '../representation/answer.js'
import type { Exchange } from './exchange.js'
import type { Answered, Stage } from './stages.js'

/** What a step returns: what it adds to its stage, or the answer that ends the request. */
export interface Found {
  readonly answer?: Answer
  readonly then?: undefined
}

/** A step on a path. Its types were checked when it was placed there. */
export interface PlacedStep {
  /** That of its file, of its entry in docs/lifecycle.md, and of `onStep` events. */
  readonly name: string
  readonly step: (exchange: Exchange) => Awaitable<Found | undefined>
  /** Sets what the step has returned. */
  readonly add: (exchange: Exchange, found: Found) => void
}

/** What a step adds, of all that it may return. */
type Added<Given> = Exclude<Awaited<Given>, Answered | undefined>

/** The same with fields that can be set. */
type Settable<T> = { -readonly [Name in keyof T]: T[Name] }

/** A path, after whose steps `Known` is known of a request. */
export interface Path<Known> {
  readonly steps: readonly PlacedStep[]
  /** A step that adds nothing. */
  step(name: string, step: (stage: Stage<Known>) => Awaitable<void>): Path<Known>
  /** A step, and the function that sets what it adds: fields of the same names. */
  step<Given extends Awaitable<object | undefined>>(
    name: string,
    step: (stage: Stage<Known>) => Given,
    add: (exchange: Settable<Added<Given>>, found: Added<Given>) => void,
  ): Path<Known & Added<Given>>
  /** The last step, which answers. */
  end(name: string, step: (stage: Stage<Known>) => Awaitable<Answered>): readonly PlacedStep[]
}

/** An empty path. `Known` is what is known at its start. */
export const path = <Known>(): Path<Known> => new PathBuilder<Known>([])

const addNothing = (): void => {}

class PathBuilder<Known> implements Path<Known> {
  readonly steps: readonly PlacedStep[]

  constructor(steps: readonly PlacedStep[]) {
    this.steps = steps
  }

  step(name: string, step: unknown, add: unknown = addNothing): Path<never> {
    // The only cast of a stage: the exchange has every field of every stage, and the signatures above
    // have checked that the steps before this one set those that it takes.
    return new PathBuilder([...this.steps, { name, step, add } as PlacedStep])
  }

  end(name: string, step: unknown): readonly PlacedStep[] {
    return Object.freeze(this.step(name, step).steps)
  }
}
