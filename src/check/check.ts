/** The types of checks. */
import type { ClauseId } from '../clauses.js'
import type { Listing } from './listing.js'
import type { Service } from './service.js'
import type { Outcome } from './verdict.js'
import type { Owner } from './write/own-record.js'

interface Described {
  /**
   * The clause, a slash, and the name of the rule, such as `QUERY-7/total`. An id never changes.
   */
  readonly id: `${ClauseId}/${string}`
  /** The rule, as reports show it. */
  readonly rule: string
  /** Why the rule matters to clients, as reports show it. */
  readonly why: string
  /** How to fix a service that breaks the rule, as reports show it. */
  readonly fix: string
}

/**
 * A check of the service as a whole. `run` throws `NotApplicable` if the rule does not apply to the
 * service, and `Unchecked` if the check can't decide.
 */
export interface ServiceCheck extends Described {
  readonly run: (service: Service) => Promise<Outcome>
}

/**
 * A check of a collection and its items. `run` throws `NotApplicable` if the rule does not apply to
 * the collection, and `Unchecked` if the check can't decide.
 */
export interface ListCheck extends Described {
  /**
   * The ids of checks that run earlier. If one of those checks finds a violation, this check is not
   * run, because it would only report the same fault again.
   */
  readonly needs?: readonly string[]
  readonly run: (list: Listing) => Promise<Outcome>
}

/**
 * A check that creates, changes and removes records of its own. `run` throws `NotApplicable` if the
 * rule does not apply to the collection, and `Unchecked` if the check can't decide.
 */
export interface WriteCheck extends Described {
  readonly needs?: readonly string[]
  readonly run: (owner: Owner) => Promise<Outcome>
}

export const clauseOf = ({ id }: Described): ClauseId => id.split('/', 1)[0] as ClauseId
