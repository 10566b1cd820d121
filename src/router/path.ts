/** The path that a request walks: its steps, in an order that compiles only where each step finds what it takes. */
import type { Awaitable } from '../adapters/contract.js'
import type { Answer } from '../representation/answer.js'
import type { Exchange } from './exchange.js'
import type { Answered, Stage } from './stages.js'

/** What a step gives: what it adds to its stage, nothing, or the answer that ends the request. */
export interface Found {
  readonly answer?: Answer
  readonly then?: undefined
}

/** A step on a path, without the types that its place there has been checked by. */
export interface PlacedStep {
  /** That of its file, of its entry in docs/lifecycle.md, and of `onStep` events. */
  readonly name: string
  readonly step: (exchange: Exchange) => Awaitable<Found | undefined>
  /** Sets what the step has found. */
  readonly add: (exchange: Exchange, found: Found) => void
}

/** What a step adds, of all that it may give. */
type Added<Given> = Exclude<Awaited<Given>, Answered | undefined>

/** The same with fields that can be set. */
type Settable<T> = { -readonly [Name in keyof T]: T[Name] }

/** A path, behind whose steps `Known` is known of a request. */
export interface Path<Known> {
  readonly steps: readonly PlacedStep[]
  /** A step that adds nothing. */
  step(name: string, step: (stage: Stage<Known>) => Awaitable<void>): Path<Known>
  /** A step and what sets the fields that it adds. */
  step<Given extends Awaitable<object | undefined>>(
    name: string,
    step: (stage: Stage<Known>) => Given,
    add: (exchange: Settable<Added<Given>>, found: Added<Given>) => void,
  ): Path<Known & Added<Given>>
  /** The last step, which answers. */
  end(name: string, step: (stage: Stage<Known>) => Awaitable<Answered>): readonly PlacedStep[]
}

/** An empty path, from where `Known` is known. */
export const path = <Known>(): Path<Known> => new PathBuilder<Known>([])

const addNothing = (): void => {}

class PathBuilder<Known> implements Path<Known> {
  readonly steps: readonly PlacedStep[]

  constructor(steps: readonly PlacedStep[]) {
    this.steps = steps
  }

  step(name: string, step: unknown, add: unknown = addNothing): Path<never> {
    // The one place that forgets types: the signatures above have held the step against its stage, which the steps before it have made of the exchange.
    return new PathBuilder([...this.steps, { name, step, add } as PlacedStep])
  }

  end(name: string, step: unknown): readonly PlacedStep[] {
    return Object.freeze(this.step(name, step).steps)
  }
}
