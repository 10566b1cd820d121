/** The result of a check. */
import type { ClauseId } from '../clauses.js'
import type { Exchange } from './client/exchange.js'
import type { Sign } from './sign.js'

/** The requests that show a break: as few as possible, in order. */
export type Evidence = readonly [Exchange] | readonly [Exchange, Exchange] | readonly [Exchange, Exchange, Exchange]

/** A clause that does not hold. */
export interface Break {
  readonly expected: string
  readonly seen: string
  readonly evidence: Evidence
  /** How a script recognizes the break. Absent: the responses are like those of the evidence. */
  readonly sign?: Sign
  /** True if no script can show the break on its own. Default false. */
  readonly unscripted?: boolean
  /** The requests to the check's own records. Scripts use them to create such a record. */
  readonly trace?: Trace
}

/** All requests of one attempt of a check that writes. */
export interface Trace {
  readonly exchanges: readonly Exchange[]
  /** Whether the requests could destroy records of others. */
  readonly isHazardous: boolean
  /** The text member that contains the marker of the record. */
  readonly marker?: string
  /** The members of the id. */
  readonly key?: readonly string[]
}

export type Outcome =
  | { readonly verdict: 'holds' }
  | ({ readonly verdict: 'breaks' } & Break)
  /** How many of several attempts broke the clause, such as races. */
  | ({ readonly verdict: 'flaky'; readonly broken: number; readonly runs: number } & Break)
  /** The service lacks the feature of the clause. */
  | { readonly verdict: 'not-applicable'; readonly because: string }
  /** Undecided. */
  | { readonly verdict: 'unchecked'; readonly because: string }

export type Verdict = Outcome['verdict']

export const holds: Outcome = Object.freeze({ verdict: 'holds' })

export const breaks = (expected: string, seen: string, ...evidence: Evidence): Outcome => ({
  verdict: 'breaks',
  expected,
  seen,
  evidence,
})

/** A break with the sign by which a script recognizes it. */
export const breaksBy = (sign: Sign, expected: string, seen: string, ...evidence: Evidence): Outcome => ({
  verdict: 'breaks',
  expected,
  seen,
  evidence,
  sign,
})

/** A break that no script can show with a few requests. */
export const unscripted = (expected: string, seen: string, ...evidence: Evidence): Outcome => ({
  verdict: 'breaks',
  expected,
  seen,
  evidence,
  unscripted: true,
})

/**
 * Ends a check whose clause does not apply. `because` completes the sentence "not applicable,
 * because ...".
 */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable'
}

/**
 * Ends a check that can't decide. `because` completes the sentence "could not be checked, because
 * ...".
 */
export class Unchecked extends Error {
  override readonly name = 'Unchecked'
}

/** The result of one check at one place. */
export interface Result {
  /** Such as `QUERY-7/walk-disjoint`. */
  readonly check: string
  readonly clause: ClauseId
  /** The template of a collection, or `service`. */
  readonly where: string
  /** The rule in one sentence. */
  readonly rule: string
  /** Why the rule matters to clients. */
  readonly why: string
  readonly outcome: Outcome
  /** How to fix a break, in one sentence. */
  readonly fix: string
  /**
   * For a break: the result of the check without the gateway, if the address of the service is
   * known.
   */
  readonly direct?: Verdict
}

/** Whether a clause breaks through the gateway alone. */
export const isGatewayFault = ({ direct }: Result): boolean => direct === 'holds'
