/** The parts of a check. */
import type { ClauseId } from '../clauses.js'
import type { Listing } from './listing.js'
import type { Service } from './service.js'
import type { Outcome } from './verdict.js'
import type { Owner } from './write/own-record.js'

interface Described {
  /** The clause, a slash, and the name of the checked rule. It never changes. */
  readonly id: `${ClauseId}/${string}`
  /** The rule in one sentence. */
  readonly rule: string
  /** Why it matters to clients, in one sentence. */
  readonly why: string
  /** How to fix a break, in one sentence. */
  readonly fix: string
}

/** A check of the service as a whole. Throws `NotApplicable` and `Unchecked`. */
export interface ServiceCheck extends Described {
  readonly run: (service: Service) => Promise<Outcome>
}

/** A check of a collection and its items. Throws `NotApplicable` and `Unchecked`. */
export interface ListCheck extends Described {
  /**
   * Checks that are run before: if one of them breaks, this one would only report the same fault
   * again.
   */
  readonly needs?: readonly string[]
  readonly run: (list: Listing) => Promise<Outcome>
}

/**
 * A check that creates, changes and removes records of its own. Throws `NotApplicable` and
 * `Unchecked`.
 */
export interface WriteCheck extends Described {
  readonly needs?: readonly string[]
  readonly run: (owner: Owner) => Promise<Outcome>
}

export const clauseOf = ({ id }: Described): ClauseId => id.split('/', 1)[0] as ClauseId
