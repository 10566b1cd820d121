/** Why a write changed no row. */
import type { Refused } from '../../contract.js'

/** By the row as a statement of its own sees it: one that looks while it writes misses what others have just committed. */
export function absentOrStale(now: { readonly version: string } | undefined, expected: string | undefined): 'absent' | 'stale' | Refused {
  if (now === undefined) return 'absent'
  // A trigger that gave NULL back, or a policy for writes alone: trying again would not help.
  return expected === undefined || now.version === expected ? suppressed : 'stale'
}

/** The row is as it was expected to be, and yet the database did not write it. */
export const suppressed: Refused = { refused: 'rule', members: [], why: 'was turned away by a rule of the store' }

/** What a view would not show is not stored: nobody could read it back. */
export const unshown: Refused = { refused: 'rule', members: [], why: 'would not be among what this resource shows' }
