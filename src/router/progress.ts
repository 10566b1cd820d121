/** The mutable state of a request or job. */
import type { Scalar } from '../adapters/contract.js'
import type { Load } from '../limits/load.js'
import type { DeprecatedUse } from '../plan/deprecated.js'
import type { ResourcePlan } from '../plan/resource-plan.js'
import type { HttpProblem } from '../problem.js'
import type { Headers } from '../representation/answer.js'

/** Whether the request has changed anything, as far as is known. */
export type Change = 'none' | 'unknown' | 'made'

/** Totals for hooks and channels at the end of a request. */
export interface CallCounts {
  /** The number of adapter calls. */
  queries: number
  /** The number of records that the adapter calls returned. */
  rows: number
  /** Milliseconds spent waiting for other updates of the same record. */
  waited: number
}

/** The scopes of a principal, by resource. */
type Scopes = Map<ResourcePlan, Readonly<Record<string, Scalar>>>

const noUses: readonly DeprecatedUse[] = Object.freeze([])

/** The progress of a request, of a job, or of a call of `records()` within a request or job. */
export class Progress {
  readonly #outer: Progress | undefined
  /** The totals so far. `undefined` if no hook or subscriber needs them. */
  counts: CallCounts | undefined
  /** Whether each step is reported. */
  watchesSteps = false
  /** Whether each adapter call is reported. */
  watchesCalls: boolean
  /** The original error, if the request has failed. */
  failure: { readonly error: unknown } | undefined
  /** The name of the step that failed. */
  failedStep: string | undefined
  #change: Change = 'none'
  #scopes: Scopes | undefined
  #corsFields: Readonly<Record<string, string>> | undefined
  #limitFields: Headers | undefined
  #problem: HttpProblem | undefined
  #load: Load | undefined
  #releaseExport: (() => void) | undefined
  #responded = false
  #uses: DeprecatedUse[] | undefined

  /** `outer` is the progress of the request or job that called `records()`. */
  constructor(outer?: Progress) {
    this.#outer = outer
    this.counts = outer?.counts
    this.watchesCalls = outer?.watchesCalls ?? false
  }

  /**
   * Starts counting adapter calls. If `steps` is true, each step is also reported. If `calls` is
   * true, each adapter call is also reported.
   */
  observe(steps: boolean, calls: boolean): void {
    this.counts ??= { queries: 0, rows: 0, waited: 0 }
    this.watchesSteps = steps
    this.watchesCalls = calls
  }

  /**
   * Whether the request has changed anything, as far as is known. After a change, the response must
   * not claim that nothing was changed (VERB-13).
   */
  get change(): Change {
    return this.#change
  }

  /**
   * Marks the start of a write. Until its outcome is known, the write may have changed something.
   */
  beginWrite(): void {
    this.setChange('unknown')
  }

  /**
   * Sets the outcome of a write. If the write may have changed something, a `change` of `none` in
   * the outer request or job becomes `unknown`. It does not become `made`, because the code that
   * called `records()` might roll back the transaction of this write.
   */
  setChange(change: Change): void {
    this.#change = change
    if (change !== 'none' && this.#outer?.change === 'none') this.#outer.beginWrite()
  }

  /** The scopes computed so far. Each scope is computed once per request. */
  get scopes(): Scopes {
    this.#scopes ??= this.#outer?.scopes ?? new Map()
    return this.#scopes
  }

  /** The CORS header fields, for any response (HDR-7). */
  get corsFields(): Readonly<Record<string, string>> | undefined {
    return this.#corsFields
  }

  setCorsFields(fields: Readonly<Record<string, string>>): void {
    this.#corsFields = fields
  }

  /** The rate limit header fields, for any response (LIMIT-1). */
  get limitFields(): Headers | undefined {
    return this.#limitFields
  }

  setLimitFields(fields: Headers | undefined): void {
    this.#limitFields = fields
  }

  /** Counts the request among the executing requests of its service, until `release` is called. */
  beginExecution(load: Load): void {
    load.executing += 1
    this.#load = load
  }

  /** Sets the function that `release` calls to free an export slot. */
  holdExport(release: () => void): void {
    this.#releaseExport = release
  }

  /**
   * Stops counting the request among the executing requests, and frees its export slot. Only the
   * first call has an effect.
   */
  release(): void {
    if (this.#load !== undefined) this.#load.executing -= 1
    this.#load = undefined
    this.#releaseExport?.()
    this.#releaseExport = undefined
  }

  /** The deprecated operation, parameters and members that were used, each of them once (VER-3). */
  get deprecatedUses(): readonly DeprecatedUse[] {
    return this.#uses ?? noUses
  }

  noteDeprecated(kind: DeprecatedUse['kind'], names: readonly string[]): void {
    for (const name of names) {
      if (this.deprecatedUses.some((use) => use.kind === kind && use.name === name)) continue
      this.#uses ??= []
      this.#uses.push({ kind, name })
    }
  }

  /** The problem that ended the request. */
  get problem(): HttpProblem | undefined {
    return this.#problem
  }

  setProblem(problem: HttpProblem): void {
    this.#problem = problem
  }

  /** Returns true only the first time, so that `onResponse` runs once. */
  markResponded(): boolean {
    const first = !this.#responded
    this.#responded = true
    return first
  }
}
