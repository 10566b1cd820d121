/** The result of a run that measures growth curves. `--json` writes the result to a file. */

import type { Result } from '../../report/result.js'
import { type Spread, spreadOf } from '../../report/statistics.js'

export type Unit = 'us' | 'ms' | 'bytes' | 'calls'

/** The maximum growth of a flat series. */
export interface Flat {
  /** The maximum ratio of the last point to the first. */
  readonly within: number
  /**
   * The maximum difference between the last point and the first. A series that stays within this
   * limit is flat even if its ratio exceeds `within`.
   */
  readonly orBy?: number
  /** The index of the point that counts as the first. Default: 0. */
  readonly from?: number
}

export interface MeasuredPoint {
  readonly x: number
  readonly spread: Spread
  readonly samples: readonly number[]
}

export interface Series {
  /** The request and the server. */
  readonly title: string
  /** The measured quantity. */
  readonly figure: string
  readonly unit: Unit
  readonly points: readonly MeasuredPoint[]
  /** The maximum growth. Absent if the series may grow without a limit. */
  readonly flat?: Flat
}

export interface CurveResult {
  readonly name: string
  readonly title: string
  readonly x: string
  readonly series: readonly Series[]
}

export interface GrowthResult extends Omit<Result, 'workloads'> {
  readonly curves: readonly CurveResult[]
}

export const pointOf = (x: number, samples: readonly number[]): MeasuredPoint => ({
  x,
  spread: spreadOf(samples),
  samples,
})

/** The growth of a series from one point to the last. */
export interface Verdict {
  readonly from: number
  readonly to: number
  /** The last point divided by the first. */
  readonly ratio: number
  /** `undefined` if the series has no limit. */
  readonly flat: boolean | undefined
}

/**
 * Compares the last point with the first. Returns `undefined` if there are fewer than two points to
 * compare.
 */
export function verdictOf({ points, flat }: Pick<Series, 'points' | 'flat'>): Verdict | undefined {
  const [first, last] = [points[flat?.from ?? 0], points.at(-1)]
  if (first === undefined || last === undefined || first === last) return undefined
  const [from, to] = [first.spread.median, last.spread.median]
  const isFlat = flat === undefined ? undefined : to <= from * flat.within || to - from <= (flat.orBy ?? 0)
  return { from: first.x, to: last.x, ratio: to / from, flat: isFlat }
}
