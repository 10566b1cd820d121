/** What a run of curves measured, as it is written to the file of `--json`. */

import type { Result } from '../../report/result.js'
import { type Spread, spreadOf } from '../../report/statistics.js'

export type Unit = 'us' | 'ms' | 'bytes' | 'calls'

/** How little a series has to grow to be flat. */
export interface Flat {
  /** The last point lies within so many times the first. */
  readonly within: number
  /** Or it lies above it by no more than this. */
  readonly orBy?: number
  /** Which point counts as the first. Default: 0. */
  readonly from?: number
}

export interface Reached {
  readonly x: number
  readonly spread: Spread
  readonly samples: readonly number[]
}

export interface Series {
  /** What is asked for, and of what. */
  readonly title: string
  /** What is told of it. */
  readonly figure: string
  readonly unit: Unit
  readonly points: readonly Reached[]
  /** The bound it is held to, where it must not grow. */
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

export const reached = (x: number, samples: readonly number[]): Reached => ({ x, spread: spreadOf(samples), samples })

/** How a series went from one point to the last. */
export interface Verdict {
  readonly from: number
  readonly to: number
  /** How many times the first the last is. */
  readonly ratio: number
  /** `undefined` where nothing was asked of it. */
  readonly flat: boolean | undefined
}

/** `undefined` where there are no two points to compare. */
export function verdictOf({ points, flat }: Pick<Series, 'points' | 'flat'>): Verdict | undefined {
  const [first, last] = [points[flat?.from ?? 0], points.at(-1)]
  if (first === undefined || last === undefined || first === last) return undefined
  const [from, to] = [first.spread.median, last.spread.median]
  const isFlat = flat === undefined ? undefined : to <= from * flat.within || to - from <= (flat.orBy ?? 0)
  return { from: first.x, to: last.x, ratio: to / from, flat: isFlat }
}
