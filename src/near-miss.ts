/** Suggests the allowed name that was probably meant (QUERY-8). */
import leven from 'leven'

/**
 * Returns the allowed name that is nearest to `name`, or `undefined` if no name is near enough. A
 * name is near enough if it differs from `name` by at most two edits, regardless of case. If `name`
 * has more than eight characters, the maximum is a third of its length. The number of edits must
 * also be smaller than the length of the shorter of the two names. A `name` of more than 64
 * characters is not compared, so that a request can't cause long computations.
 */
export function nearMiss(name: string, allowed: Iterable<string>): string | undefined {
  if (name.length > 64) return undefined
  const lowerCase = name.toLowerCase()
  let best: string | undefined
  let bound = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of allowed) {
    const distance = leven(lowerCase, candidate.toLowerCase(), { maxDistance: bound })
    if (distance < bound && distance < Math.min(name.length, candidate.length)) {
      bound = distance
      best = candidate
    }
  }
  return best
}

/**
 * Returns a sentence that says how to fix an unknown name. The sentence contains `suggestion`. If
 * `suggestion` is `undefined`, the sentence lists all allowed names after `intro`.
 */
export function didYouMean(suggestion: string | undefined, allowed: readonly string[], intro = 'Allowed'): string {
  if (suggestion !== undefined) return `Did you mean "${suggestion}"?`
  return allowed.length === 0 ? 'No names are allowed here.' : `${intro}: ${allowed.join(', ')}.`
}
