/**
 * Builds the pipeline of a request: a list of steps that compiles only if each step's input is set
 * by earlier steps.
 */
import type { Awaitable } from '../adapters/contract.js'
import type { Answer } from '../representation/answer.js'
import type { Exchange } from './exchange.js'
import type { Answered, Stage } from './stages.js'

/**
 * The result of a step: the fields that it adds to its stage, or the response that ends the
 * request.
 */
export interface StepResult {
  readonly answer?: Answer
  /** Declared so that a promise can be distinguished from a result. */
  readonly then?: undefined
}

/** A step of a pipeline. `step` or `end` of the pipeline has checked its types. */
export interface PipelineStep {
  /** The name in its file, in docs/lifecycle.md, and in `onStep` events. */
  readonly name: string
  readonly step: (exchange: Exchange) => Awaitable<StepResult | undefined>
  /** Sets the result of the step on the exchange. */
  readonly add: (exchange: Exchange, result: StepResult) => void
}

/** The fields that a step adds: its results other than a response. */
type Added<Returned> = Exclude<Awaited<Returned>, Answered>

/** The same fields, writable. */
type Settable<T> = { -readonly [Name in keyof T]: T[Name] }

/** A pipeline. `Known`: the fields that are set after its last step. */
export interface Pipeline<Known> {
  readonly steps: readonly PipelineStep[]
  /** Appends a step that adds nothing. */
  step(name: string, step: (stage: Stage<Known>) => Awaitable<void>): Pipeline<Known>
  /** Appends a step, with a function that sets the fields that it adds. */
  step<Returned extends Awaitable<object>>(
    name: string,
    step: (stage: Stage<Known>) => Returned,
    add: (exchange: Settable<Added<Returned>>, added: Added<Returned>) => void,
  ): Pipeline<Known & Added<Returned>>
  /** Appends the last step, which responds. */
  end(name: string, step: (stage: Stage<Known>) => Awaitable<Answered>): readonly PipelineStep[]
}

/** An empty pipeline. `Known`: the fields that are set at its start. */
export const pipeline = <Known>(): Pipeline<Known> => new PipelineBuilder<Known>([])

const addNothing = (): void => {}

class PipelineBuilder<Known> implements Pipeline<Known> {
  readonly steps: readonly PipelineStep[]

  constructor(steps: readonly PipelineStep[]) {
    this.steps = steps
  }

  step(name: string, step: unknown, add: unknown = addNothing): Pipeline<never> {
    // The only cast of a stage. It is safe: the exchange has every field of every stage, and the
    // signatures above have checked that earlier steps set the fields that this one reads.
    return new PipelineBuilder([...this.steps, { name, step, add } as PipelineStep])
  }

  end(name: string, step: unknown): readonly PipelineStep[] {
    return Object.freeze(this.step(name, step).steps)
  }
}
