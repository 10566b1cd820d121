/** Suggests the allowed name that was probably meant (QUERY-8). */
import leven from 'leven'

/**
 * Returns the allowed name that was probably meant by `name`, or `undefined` if there is none. The
 * nearest allowed name is returned if it differs from `name` by at most two edits, regardless of
 * case. If `name` has more than eight characters, the maximum number of edits is a third of its
 * length. The number of edits must also be smaller than the length of the shorter of the two names.
 * If no name is that near, and exactly one allowed name begins with `name` or is a beginning of
 * `name`, that name is returned. For this, the shorter of the two names must have at least three
 * characters. A `name` of more than 64 characters is not compared, so that a request can't cause
 * long computations.
 */
export function nearMiss(name: string, allowed: Iterable<string>): string | undefined {
  if (name.length > 64) return undefined
  const lowerCase = name.toLowerCase()
  const extensions = new Set<string>()
  let best: string | undefined
  let bound = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of allowed) {
    const other = candidate.toLowerCase()
    const distance = leven(lowerCase, other, { maxDistance: bound })
    if (distance < bound && distance < Math.min(name.length, candidate.length)) {
      bound = distance
      best = candidate
    }
    if (extend(lowerCase, other)) extensions.add(candidate)
  }
  if (best !== undefined) return best
  return extensions.size === 1 ? [...extensions][0] : undefined
}

/** The minimum length of the shorter of two names, if one begins with the other. */
const shortest = 3

/** Whether one of two names begins with the other. Example: `alg` and `algorithm`. */
const extend = (one: string, other: string): boolean =>
  Math.min(one.length, other.length) >= shortest && (one.startsWith(other) || other.startsWith(one))

/**
 * Returns a sentence that says how to fix an unknown name. The sentence contains `suggestion`. If
 * `suggestion` is `undefined`, the sentence lists all allowed names after `intro`.
 */
export function didYouMean(suggestion: string | undefined, allowed: readonly string[], intro = 'Allowed'): string {
  if (suggestion !== undefined) return `Did you mean "${suggestion}"?`
  return allowed.length === 0 ? 'No names are allowed here.' : `${intro}: ${allowed.join(', ')}.`
}
