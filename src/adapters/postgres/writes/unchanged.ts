/** Explains why a write changed no row. */
import type { Refused } from '../../contract.js'

/**
 * `now` must come from a separate statement, because the write itself does not see what other
 * sessions have just committed.
 */
export function absentOrStale(
  now: { readonly version: string } | undefined,
  expected: string | undefined,
): 'absent' | 'stale' | Refused {
  if (now === undefined) return 'absent'
  // A trigger that returned NULL, or a policy for writes only: another attempt would not help.
  return expected === undefined || now.version === expected ? suppressed : 'stale'
}

/** The row is in the expected state, but the database did not write it. */
export const suppressed: Refused = { refused: 'rule', members: [], why: 'was rejected by a rule of the store' }

/** A record that the view would not show is not stored, because it could not be read. */
export const unshown: Refused = { refused: 'rule', members: [], why: 'would not be visible in this resource' }
