/** The median and the quartiles of figures. */
export interface Spread {
  readonly q1: number
  readonly median: number
  readonly q3: number
}

/**
 * Returns the median and the quartiles, which are interpolated between neighboring figures. There
 * must be at least one figure.
 */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number): number => {
    const place = (sorted.length - 1) * share
    const low = sorted[Math.floor(place)] as number
    const high = sorted[Math.ceil(place)] as number
    return low + (high - low) * (place - Math.floor(place))
  }
  return { q1: at(0.25), median: at(0.5), q3: at(0.75) }
}

/**
 * Returns the median and the quartiles of the ratio `to / of`. The ratio is computed for each
 * round. If another process disturbs a round, both figures change, but their ratio hardly changes.
 */
export function ratioOf(of: readonly number[], to: readonly number[]): Spread {
  return spreadOf(of.map((value, round) => (to[round] as number) / value))
}
