/** The middle of some figures, and how far they lie apart. */
export interface Spread {
  readonly q1: number
  readonly median: number
  readonly q3: number
}

/** Quartiles, between neighbours where there is no middle one. There has to be a figure. */
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

/** How many times less each figure is than that of the same round: what disturbs a round disturbs both. */
export function ratioOf(of: readonly number[], to: readonly number[]): Spread {
  return spreadOf(of.map((value, round) => (to[round] as number) / value))
}
