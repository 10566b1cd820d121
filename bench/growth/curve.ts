/** The interface of a curve: lines over one x, each with points that are measured on one server. */

import type { Ask } from '../workloads/ask.js'
import type { Asked } from './load/round.js'
import type { Options } from './options.js'
import type { Flat, Series, Unit } from './report/result.js'
import type { Place } from './run/place.js'
import type { Serving } from './servers/serving.js'

/** One round at one point. */
export interface Sample {
  readonly requests: number
  /** Microseconds of the server process for each request. */
  readonly cpu: number
  /** Microseconds of the median request, and of the slowest hundredth. */
  readonly median: number
  readonly p99: number
  /** Calls of adapters for each request. */
  readonly calls: number
  /** Milliseconds of CPU and bytes of the heap to set the server up. */
  readonly setUp: { readonly cpu: number; readonly heap: number }
}

export interface Point {
  readonly x: number
  readonly serving: Serving
  /** Default: 10. */
  readonly connections?: number
  /**
   * Sends the requests once, and throws if a response is wrong; then the requests of a connection,
   * with their statuses.
   */
  prepare(ask: Ask): Promise<readonly Asked[]>
}

/** The figures of a line: each is a series of the result. */
export interface Figure {
  readonly title: string
  readonly unit: Unit
  readonly of: (sample: Sample, x: number) => number
  /** The series must not grow. */
  readonly flat?: Flat
}

export interface Line {
  readonly title: string
  readonly points: readonly Point[]
  readonly figures: readonly Figure[]
}

export interface Curve {
  readonly title: string
  /** The quantity of x. */
  readonly x: string
  /** Creates its tables in PostgreSQL, if there is one; otherwise those lines are omitted. */
  readonly database?: true
  measure(place: Place, options: Options): Promise<readonly Series[]>
}

/** CPU of the server process for each request. */
export const cpu = (more: Partial<Figure> = {}): Figure => ({
  title: 'CPU',
  unit: 'us',
  of: (sample) => sample.cpu,
  ...more,
})

/** Time of a request, as its client measures it. */
export const time = (more: Partial<Figure> = {}): Figure => ({
  title: 'time',
  unit: 'us',
  of: (sample) => sample.median,
  ...more,
})

/** The points of a curve: integers of at least 1, unique, in ascending order. */
export const steps = (...values: readonly number[]): readonly number[] =>
  [...new Set(values.map((value) => Math.max(1, Math.round(value))))].sort((a, b) => a - b)
