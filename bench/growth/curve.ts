/**
 * The interface of a curve, which shows how a cost grows with a quantity such as the number of
 * rows. The lines of a curve share an x axis. Each point of a line is measured on one server.
 */

import type { Ask } from '../workloads/ask.js'
import type { Asked } from './load/round.js'
import type { Options } from './options.js'
import type { Flat, Series, Unit } from './report/result.js'
import type { Environment } from './run/environment.js'
import type { Serving } from './servers/serving.js'

/** The figures of one round at one point. */
export interface Sample {
  readonly requests: number
  /** CPU time of the server process for each request, in microseconds. */
  readonly cpu: number
  /** Median and 99th percentile of the response time, in microseconds. */
  readonly median: number
  readonly p99: number
  /** Adapter calls for each request, or 0 if the server does not count them. */
  readonly calls: number
  /**
   * The CPU time (in milliseconds) and the heap (in bytes) that the server needed for its set-up.
   */
  readonly setUp: { readonly cpu: number; readonly heap: number }
}

export interface Point {
  readonly x: number
  readonly serving: Serving
  /** Number of connections. Default: 10. */
  readonly connections?: number
  /**
   * Sends some requests, and throws if a response is wrong. Returns requests with their expected
   * statuses. The connections then send these requests repeatedly.
   */
  prepare(ask: Ask): Promise<readonly Asked[]>
}

/** A measured figure of a line, such as the CPU time. It becomes a series of the result. */
export interface Figure {
  readonly title: string
  readonly unit: Unit
  readonly of: (sample: Sample, x: number) => number
  /** The maximum growth. Absent if the series may grow without a limit. */
  readonly flat?: Flat
}

export interface Line {
  readonly title: string
  readonly points: readonly Point[]
  readonly figures: readonly Figure[]
}

export interface Curve {
  readonly title: string
  /** The quantity on the x axis, such as `rows`. */
  readonly x: string
  /** Whether some lines use tables in PostgreSQL. Without PostgreSQL, these lines are omitted. */
  readonly database?: true
  measure(environment: Environment, options: Options): Promise<readonly Series[]>
}

/** CPU time of the server process for each request. */
export const cpu = (more: Partial<Figure> = {}): Figure => ({
  title: 'CPU',
  unit: 'us',
  of: (sample) => sample.cpu,
  ...more,
})

/** Median response time, as measured by the client. */
export const time = (more: Partial<Figure> = {}): Figure => ({
  title: 'time',
  unit: 'us',
  of: (sample) => sample.median,
  ...more,
})

/**
 * Converts values to the x values of a curve: integers of at least 1, without duplicates, in
 * ascending order.
 */
export const steps = (...values: readonly number[]): readonly number[] =>
  [...new Set(values.map((value) => Math.max(1, Math.round(value))))].sort((a, b) => a - b)
