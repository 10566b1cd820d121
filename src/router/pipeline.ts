/** Builds the pipeline of a request: a list of steps that compiles only where each step finds what it takes. */
import type { Awaitable } from '../adapters/contract.js'
import type { Answer } from '../representation/answer.js'
import type { Exchange } from './exchange.js'
import type { Answered, Stage } from './stages.js'

/** What a step returns: the fields that it adds to its stage, or the answer that ends the request. */
export interface StepResult {
  readonly answer?: Answer
  /** Only a promise has it. */
  readonly then?: undefined
}

/** A step of a pipeline. Its types were checked by the pipeline's `step` or `end`. */
export interface PipelineStep {
  /** The name of its file, of its section in docs/lifecycle.md, and in `onStep` events. */
  readonly name: string
  readonly step: (exchange: Exchange) => Awaitable<StepResult | undefined>
  /** Sets what the step has returned on the exchange. */
  readonly add: (exchange: Exchange, result: StepResult) => void
}

/** The fields that a step adds, of all that it may return. */
type Added<Returned> = Exclude<Awaited<Returned>, Answered>

/** The same fields, which can be set. */
type Settable<T> = { -readonly [Name in keyof T]: T[Name] }

/** A pipeline. `Known` is what is known of a request after its last step. */
export interface Pipeline<Known> {
  readonly steps: readonly PipelineStep[]
  /** Appends a step that adds nothing. */
  step(name: string, step: (stage: Stage<Known>) => Awaitable<void>): Pipeline<Known>
  /** Appends a step, and the function that sets the fields that it adds. */
  step<Returned extends Awaitable<object>>(
    name: string,
    step: (stage: Stage<Known>) => Returned,
    add: (exchange: Settable<Added<Returned>>, added: Added<Returned>) => void,
  ): Pipeline<Known & Added<Returned>>
  /** Appends the last step, which answers. */
  end(name: string, step: (stage: Stage<Known>) => Awaitable<Answered>): readonly PipelineStep[]
}

/** An empty pipeline. `Known` is what is known of a request at its start. */
export const pipeline = <Known>(): Pipeline<Known> => new PipelineBuilder<Known>([])

const addNothing = (): void => {}

class PipelineBuilder<Known> implements Pipeline<Known> {
  readonly steps: readonly PipelineStep[]

  constructor(steps: readonly PipelineStep[]) {
    this.steps = steps
  }

  step(name: string, step: unknown, add: unknown = addNothing): Pipeline<never> {
    // The only cast of a stage. It is safe: the exchange has every field of every stage, and the
    // signatures above have checked that the steps before this one set the fields that it takes.
    return new PipelineBuilder([...this.steps, { name, step, add } as PipelineStep])
  }

  end(name: string, step: unknown): readonly PipelineStep[] {
    return Object.freeze(this.step(name, step).steps)
  }
}
