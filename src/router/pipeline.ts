/**
 * Builds the pipeline of a request, which is a list of steps. The compiler checks the order of the
 * steps: a step can read only the fields that earlier steps have set. The type that declares these
 * fields is the stage of the step (stages.ts).
 */
import type { Awaitable } from '../adapters/contract.js'
import type { Answer } from '../representation/answer.js'
import type { Exchange } from './exchange.js'
import type { Answered, Stage } from './stages.js'

/**
 * The result of a step: either the fields that the step adds, or the response that ends the
 * request.
 */
export interface StepResult {
  readonly answer?: Answer
  /** Always `undefined`. Declared so that a result can be distinguished from a promise. */
  readonly then?: undefined
}

/**
 * A step of a pipeline. This type does not say which fields the step reads and adds. The compiler
 * checks these fields in the call of `step` or `end` that appends the step.
 */
export interface PipelineStep {
  /** The name of the step, as in its file name, in docs/lifecycle.md and in `onStep` events. */
  readonly name: string
  readonly step: (exchange: Exchange) => Awaitable<StepResult | undefined>
  /** Sets the result of the step on the exchange. */
  readonly add: (exchange: Exchange, result: StepResult) => void
}

/** The fields that a step adds: the type of its result, without the type of a response. */
type Added<Returned> = Exclude<Awaited<Returned>, Answered>

/** The same fields as in `T`, but writable. */
type Settable<T> = { -readonly [Name in keyof T]: T[Name] }

/** A pipeline. `Known` contains the fields that are set after its last step. */
export interface Pipeline<Known> {
  readonly steps: readonly PipelineStep[]
  /** Appends a step that adds nothing. */
  step(name: string, step: (stage: Stage<Known>) => Awaitable<void>): Pipeline<Known>
  /** Appends a step that adds fields. The function `add` sets these fields on the exchange. */
  step<Returned extends Awaitable<object>>(
    name: string,
    step: (stage: Stage<Known>) => Returned,
    add: (exchange: Settable<Added<Returned>>, added: Added<Returned>) => void,
  ): Pipeline<Known & Added<Returned>>
  /** Appends the last step, which responds. */
  end(name: string, step: (stage: Stage<Known>) => Awaitable<Answered>): readonly PipelineStep[]
}

/** Creates an empty pipeline. `Known` contains the fields that are set before its first step. */
export const pipeline = <Known>(): Pipeline<Known> => new PipelineBuilder<Known>([])

const addNothing = (): void => {}

class PipelineBuilder<Known> implements Pipeline<Known> {
  readonly steps: readonly PipelineStep[]

  constructor(steps: readonly PipelineStep[]) {
    this.steps = steps
  }

  step(name: string, step: unknown, add: unknown = addNothing): Pipeline<never> {
    // This is the only place that casts a stage. The cast is safe, because the exchange has every
    // field of every stage. In addition, the signatures above have checked that earlier steps set
    // the fields that this step reads.
    return new PipelineBuilder([...this.steps, { name, step, add } as PipelineStep])
  }

  end(name: string, step: unknown): readonly PipelineStep[] {
    return Object.freeze(this.step(name, step).steps)
  }
}
