/** Why a write changed no row. */
import type { Refused } from '../../contract.js'

/** `now` must come from a separate statement: the write itself does not see what others have just committed. */
export function absentOrStale(
  now: { readonly version: string } | undefined,
  expected: string | undefined,
): 'absent' | 'stale' | Refused {
  if (now === undefined) return 'absent'
  // A trigger that returned NULL, or a policy for writes alone: another attempt would not help.
  return expected === undefined || now.version === expected ? suppressed : 'stale'
}

/** The row is as it was expected to be, and yet the database did not write it. */
export const suppressed: Refused = { refused: 'rule', members: [], why: 'was turned away by a rule of the store' }

/** What a view would not show is not stored: nobody could read it back. */
export const unshown: Refused = { refused: 'rule', members: [], why: 'would not be among what this resource shows' }
