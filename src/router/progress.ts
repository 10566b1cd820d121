/**
 * What changes during a request at any stage. Each method reports one kind of event, and each field
 * has one such method.
 */
import type { Scalar } from '../adapters/contract.js'
import type { Load } from '../limits/load.js'
import type { ResourcePlan } from '../plan/resource-plan.js'
import type { HttpProblem } from '../problem.js'
import type { Headers } from '../representation/answer.js'

/** Whether anything has been changed, as far as is known. */
export type Change = 'none' | 'unknown' | 'made'

/** The scopes of a principal, by resource. */
type Scopes = Map<ResourcePlan, Readonly<Record<string, Scalar>>>

/** The progress of a request, of a job, or of a call of `records()` within either. */
export class Progress {
  readonly #outer: Progress | undefined
  #change: Change = 'none'
  #scopes: Scopes | undefined
  #sharing: Readonly<Record<string, string>> | undefined
  #limits: Headers | undefined
  #problem: HttpProblem | undefined
  #load: Load | undefined
  #releaseExport: (() => void) | undefined
  #responded = false

  /** `outer`: the progress of the request or job that this caller works for. */
  constructor(outer?: Progress) {
    this.#outer = outer
  }

  /** Whether anything has been changed, as far as is known. Every answer agrees with it (VERB-13). */
  get change(): Change {
    return this.#change
  }

  /** A write begins: until its outcome is known, it may have changed something. */
  writes(): void {
    this.wrote('unknown')
  }

  /**
   * A write has ended. For the outer request the outcome stays unknown: only the owner of a
   * transaction knows whether it is committed.
   */
  wrote(change: Change): void {
    this.#change = change
    if (change !== 'none' && this.#outer?.change === 'none') this.#outer.writes()
  }

  /** The scopes that were computed. Each is computed once for a request. */
  get scopes(): Scopes {
    this.#scopes ??= this.#outer?.scopes ?? new Map()
    return this.#scopes
  }

  /** The header fields that let scripts of other origins read the answer, for any answer (HDR-7). */
  get sharing(): Readonly<Record<string, string>> | undefined {
    return this.#sharing
  }

  /** CORS has decided which origins may read the answer. */
  shares(fields: Readonly<Record<string, string>>): void {
    this.#sharing = fields
  }

  /** The header fields of the rate limit, for any answer (LIMIT-1). */
  get limits(): Headers | undefined {
    return this.#limits
  }

  /** The request was counted against its budget. */
  counted(fields: Headers | undefined): void {
    this.#limits = fields
  }

  /** The request begins to execute: from here on it counts in the load of its service. */
  executes(load: Load): void {
    load.executing += 1
    this.#load = load
  }

  /** An export has taken a place among those of its resource. */
  exports(release: () => void): void {
    this.#releaseExport = release
  }

  /** The request has ended: it releases its load and its export, once. */
  ended(): void {
    if (this.#load !== undefined) this.#load.executing -= 1
    this.#load = undefined
    this.#releaseExport?.()
    this.#releaseExport = undefined
  }

  /** The problem that the request has ended in. */
  get problem(): HttpProblem | undefined {
    return this.#problem
  }

  failed(problem: HttpProblem): void {
    this.#problem = problem
  }

  /** An answer was written. Returns true the first time: `onResponse` is called once. */
  responded(): boolean {
    const first = !this.#responded
    this.#responded = true
    return first
  }
}
