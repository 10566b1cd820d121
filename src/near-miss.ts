/** The near miss in messages: which of the allowed names was probably meant (QUERY-8). */
import leven from 'leven'

/**
 * The allowed name nearest to `name`, if one is near: at most two edits away, or a third of a long name, and sharing something with it. Names over 64
 * characters are not compared, so that no request buys long work.
 */
export function nearMiss(name: string, allowed: Iterable<string>): string | undefined {
  if (name.length > 64) return undefined
  const wanted = name.toLowerCase()
  let best: string | undefined
  let least = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of allowed) {
    const distance = leven(wanted, candidate.toLowerCase(), { maxDistance: least })
    if (distance < least && distance < Math.min(name.length, candidate.length)) {
      least = distance
      best = candidate
    }
  }
  return best
}

/** The mend of a name that is not among the allowed: the near miss, or all of them. */
export function didYouMean(suggestion: string | undefined, allowed: readonly string[]): string {
  if (suggestion !== undefined) return `Did you mean "${suggestion}"?`
  return allowed.length === 0 ? 'There is none to choose from.' : `Allowed: ${allowed.join(', ')}.`
}
