/** The outcomes of checks, and the results that reports show. */
import type { ClauseId } from '../clauses.js'
import type { Exchange } from './client/exchange.js'
import type { Sign } from './sign.js'

/** The requests and responses that show the violation: as few as possible, in order. */
export type Evidence = readonly [Exchange] | readonly [Exchange, Exchange] | readonly [Exchange, Exchange, Exchange]

/** The details of a broken rule. */
export interface Break {
  readonly expected: string
  readonly seen: string
  readonly evidence: Evidence
  /**
   * How a script recognizes the violation. Without this member, the script compares its responses
   * with those of the evidence.
   */
  readonly sign?: Sign
  /**
   * True if no script can reproduce the violation, for example because it needs many requests.
   * Default false.
   */
  readonly unscripted?: boolean
  /**
   * All requests of the run that found the violation. Present only if the check writes. A script
   * uses these requests to create a record like that of the check.
   */
  readonly trace?: Trace
}

/** All requests of one run of a check that writes. */
export interface Trace {
  readonly exchanges: readonly Exchange[]
  /** Whether the requests could destroy records that the check did not create. */
  readonly isHazardous: boolean
  /**
   * The string member that contains the marker, which is a random string that identifies the
   * record.
   */
  readonly marker?: string
  /** The members that form the id of the record. */
  readonly key?: readonly string[]
}

export type Outcome =
  | { readonly verdict: 'holds' }
  | ({ readonly verdict: 'breaks' } & Break)
  /**
   * Only some attempts broke the rule: `broken` of `runs`. An attempt is one run of the check or,
   * in a check that runs races, one race.
   */
  | ({ readonly verdict: 'flaky'; readonly broken: number; readonly runs: number } & Break)
  /** The service does not have the feature that the rule is about. */
  | { readonly verdict: 'not-applicable'; readonly because: string }
  /** The check could not decide whether the rule holds. */
  | { readonly verdict: 'unchecked'; readonly because: string }

export type Verdict = Outcome['verdict']

export const holds: Outcome = Object.freeze({ verdict: 'holds' })

export const breaks = (expected: string, seen: string, ...evidence: Evidence): Outcome => ({
  verdict: 'breaks',
  expected,
  seen,
  evidence,
})

/** The verdict `breaks`, with the test by which a script recognizes the violation. */
export const breaksBy = (sign: Sign, expected: string, seen: string, ...evidence: Evidence): Outcome => ({
  verdict: 'breaks',
  expected,
  seen,
  evidence,
  sign,
})

/** The verdict `breaks` for a violation that no script can reproduce with a few requests. */
export const unscripted = (expected: string, seen: string, ...evidence: Evidence): Outcome => ({
  verdict: 'breaks',
  expected,
  seen,
  evidence,
  unscripted: true,
})

/**
 * Thrown by a check whose rule does not apply. The message completes the sentence "not applicable,
 * because ...".
 */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
}

/**
 * Thrown by a check that can't decide. The message completes the sentence "could not be checked,
 * because ...".
 */
export class Unchecked extends Error {
  override readonly name = 'Unchecked'
}

/** The result of one check, for a collection or for the service. */
export interface Result {
  /** The id of the check, such as `QUERY-7/walk-disjoint`. */
  readonly check: string
  readonly clause: ClauseId
  /** The path template of a collection, or `service`. */
  readonly where: string
  /** The rule, as reports show it. */
  readonly rule: string
  /** Why the rule matters to clients. */
  readonly why: string
  readonly outcome: Outcome
  /** How to fix a service that breaks the rule. */
  readonly fix: string
  /**
   * The verdict of the same check when its requests bypass the gateway. Present only for a
   * violation, and only if a URL was given that reaches the service without the gateway.
   */
  readonly direct?: Verdict
}

/** Whether the gateway causes the violation: without the gateway, the rule holds. */
export const isGatewayFault = ({ direct }: Result): boolean => direct === 'holds'
