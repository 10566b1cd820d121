/** What changes during a request, whatever its stage. */
import type { Scalar } from '../adapters/contract.js'
import type { Load } from '../limits/load.js'
import type { DeprecatedUse } from '../plan/deprecated.js'
import type { ResourcePlan } from '../plan/resource-plan.js'
import type { HttpProblem } from '../problem.js'
import type { Headers } from '../representation/answer.js'

/** Whether anything has been changed, as far as is known. */
export type Change = 'none' | 'unknown' | 'made'

/** What hooks and channels are notified of at the end. */
export interface CallCounts {
  /** Calls of adapters. */
  queries: number
  /** Records that they gave. */
  rows: number
  /** Milliseconds that were waited for other writers of the same key. */
  waited: number
}

/** The scopes of a principal, by resource. */
type Scopes = Map<ResourcePlan, Readonly<Record<string, Scalar>>>

const noUses: readonly DeprecatedUse[] = Object.freeze([])

/** The progress of a request, of a job, or of a call of `records()` within either. */
export class Progress {
  readonly #outer: Progress | undefined
  /** `undefined` where nobody is notified. */
  counts: CallCounts | undefined
  /** Whether steps are reported one by one. */
  watchesSteps = false
  /** Whether calls of adapters are. */
  watchesCalls: boolean
  /** What was really thrown. */
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

  /** `outer`: the progress of the request or job that this caller works for. */
  constructor(outer?: Progress) {
    this.#outer = outer
    this.counts = outer?.counts
    this.watchesCalls = outer?.watchesCalls ?? false
  }

  /** From here on calls are counted. `steps`, `calls`: whether they are reported one by one as well. */
  observe(steps: boolean, calls: boolean): void {
    this.counts ??= { queries: 0, rows: 0, waited: 0 }
    this.watchesSteps = steps
    this.watchesCalls = calls
  }

  /** Whether anything has been changed, as far as is known. Every answer agrees with it (VERB-13). */
  get change(): Change {
    return this.#change
  }

  /** A write begins: until its outcome is known, it may have changed something. */
  beginWrite(): void {
    this.setChange('unknown')
  }

  /**
   * Sets the outcome of a write. For the outer request it stays unknown: only the owner of a
   * transaction knows whether it is committed.
   */
  setChange(change: Change): void {
    this.#change = change
    if (change !== 'none' && this.#outer?.change === 'none') this.#outer.beginWrite()
  }

  /** The scopes that were computed. Each is computed once for a request. */
  get scopes(): Scopes {
    this.#scopes ??= this.#outer?.scopes ?? new Map()
    return this.#scopes
  }

  /** The header fields that let scripts of other origins read the answer, for any answer (HDR-7). */
  get corsFields(): Readonly<Record<string, string>> | undefined {
    return this.#corsFields
  }

  setCorsFields(fields: Readonly<Record<string, string>>): void {
    this.#corsFields = fields
  }

  /** The header fields of the rate limit, for any answer (LIMIT-1). */
  get limitFields(): Headers | undefined {
    return this.#limitFields
  }

  setLimitFields(fields: Headers | undefined): void {
    this.#limitFields = fields
  }

  /** From here on the request counts in the load of its service, until `release`. */
  beginExecution(load: Load): void {
    load.executing += 1
    this.#load = load
  }

  /** Keeps what gives back the place of an export, for `release`. */
  holdExport(release: () => void): void {
    this.#releaseExport = release
  }

  /** The request has ended: gives back its load and the place of its export, once. */
  release(): void {
    if (this.#load !== undefined) this.#load.executing -= 1
    this.#load = undefined
    this.#releaseExport?.()
    this.#releaseExport = undefined
  }

  /** What is deprecated and was used, each once (VER-3). */
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

  /** The problem that the request has ended in. */
  get problem(): HttpProblem | undefined {
    return this.#problem
  }

  setProblem(problem: HttpProblem): void {
    this.#problem = problem
  }

  /** Returns true the first time, so that `onResponse` is called once. */
  markResponded(): boolean {
    const first = !this.#responded
    this.#responded = true
    return first
  }
}
