/** What a curve is: lines over one x, each of points that are asked of one server. */

import type { Ask } from '../workloads/ask.js'
import type { Asked } from './load/round.js'
import type { Options } from './options.js'
import type { Flat, Series, Unit } from './report/result.js'
import type { Place } from './run/place.js'
import type { Serving } from './servers/serving.js'

/** One round at one point. */
export interface Sample {
  readonly requests: number
  /** Microseconds of the server process, a request. */
  readonly cpu: number
  /** Microseconds that the median request took, and the slowest hundredth. */
  readonly median: number
  readonly p99: number
  /** Calls of adapters, a request. */
  readonly calls: number
  /** Milliseconds of CPU and bytes of the heap that it took to set the server up. */
  readonly setUp: { readonly cpu: number; readonly heap: number }
}

export interface Point {
  readonly x: number
  readonly serving: Serving
  /** Default: 10. */
  readonly connections?: number
  /** Asks for what will be asked for, and throws where an answer is wrong; then the requests, in turn, with their statuses. */
  prepare(ask: Ask): Promise<readonly Asked[]>
}

/** What is told of a line: each figure is a series of the result. */
export interface Figure {
  readonly title: string
  readonly unit: Unit
  readonly of: (sample: Sample, x: number) => number
  /** It must not grow. */
  readonly flat?: Flat
}

export interface Line {
  readonly title: string
  readonly points: readonly Point[]
  readonly figures: readonly Figure[]
}

export interface Curve {
  readonly title: string
  /** What is counted along x. */
  readonly x: string
  /** Its tables in PostgreSQL are made first where there is one; without one those lines are left out. */
  readonly database?: true
  measure(place: Place, options: Options): Promise<readonly Series[]>
}

/** CPU of the server process, a request. */
export const cpu = (more: Partial<Figure> = {}): Figure => ({
  title: 'CPU',
  unit: 'us',
  of: (sample) => sample.cpu,
  ...more,
})

/** Time of a request, as its client sees it. */
export const time = (more: Partial<Figure> = {}): Figure => ({
  title: 'time',
  unit: 'us',
  of: (sample) => sample.median,
  ...more,
})

/** The points of a curve: whole, at least 1, without repeats, from small to large. */
export const steps = (...values: readonly number[]): readonly number[] =>
  [...new Set(values.map((value) => Math.max(1, Math.round(value))))].sort((a, b) => a - b)
