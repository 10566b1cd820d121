/** Explains why a write changed no row. */
import type { Refused } from '../../contract.js'

/**
 * Returns the result of a write that changed no row. `now` is the current state of the row. It must
 * come from a separate statement, because the write itself does not see the changes that other
 * sessions have just committed.
 */
export function absentOrStale(
  now: { readonly version: string } | undefined,
  expected: string | undefined,
): 'absent' | 'stale' | Refused {
  if (now === undefined) return 'absent'
  // If the row is in the expected state, the database suppressed the write: a trigger returned
  // NULL, or a row-level security policy for writes excludes the row. Another attempt would not
  // help.
  return expected === undefined || now.version === expected ? suppressed : 'stale'
}

/** The refusal of a write that the database suppressed without an error. */
export const suppressed: Refused = { refused: 'rule', members: [], why: 'was rejected by a rule of the store' }

/**
 * The refusal of a record that the resource would not show. The record is not stored, because
 * clients could not read it.
 */
export const unshown: Refused = { refused: 'rule', members: [], why: 'would not be visible in this resource' }
