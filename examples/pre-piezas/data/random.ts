/** Pseudorandom numbers that are the same in each run (mulberry32). */
export interface Random {
  /** An integer from `from` to `to`, inclusive. */
  between(from: number, to: number): number
  pick<T>(list: readonly T[]): T
  /** True with a probability of 1 in `times`. */
  once(times: number): boolean
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  return {
    between,
    pick: <T>(list: readonly T[]) => list[between(0, list.length - 1)] as T,
    once: (times) => between(1, times) === 1,
  }
}
