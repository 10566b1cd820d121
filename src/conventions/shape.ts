/**
 * The option `shape`: errors in the format that a service used before it adopted the conventions
 * (ERR-3).
 */
import type { IncomingMessage } from 'node:http'
import { isObject } from '../definition/json.js'
import { unawaited } from '../promise.js'
import type { Conventions } from './options.js'

/** A problem (RFC 9457), as the library would send it. */
export interface ProblemFacts {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail?: string
  readonly instance?: string
  readonly code: string
  readonly clause: string
  readonly requestId?: string
  readonly errors?: readonly Readonly<Record<string, unknown>>[]
}

/** An error in the service's own format. */
export interface ShapedProblem {
  /** A string is sent unchanged, any other value as JSON. */
  readonly body: unknown
  /** Default: `application/json; charset=utf-8`, or `text/plain; charset=utf-8` for a string. */
  readonly contentType?: string
  /** A status from 400 to 599. Default: the status of the problem. */
  readonly status?: number
}

/**
 * Converts problems to the format that the service used before. If the function throws or returns
 * an invalid value, this failure is logged, and the problem is sent unchanged.
 */
export type ProblemShape = (problem: ProblemFacts, req: IncomingMessage) => ShapedProblem

/** A shaped problem, ready to be written. */
export interface WrittenShape {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/**
 * Converts a problem with `shape`. Returns `undefined`, and logs the error, if `shape` throws or
 * returns an invalid value.
 */
export function writeShape(shape: ProblemShape, facts: ProblemFacts, req: IncomingMessage): WrittenShape | undefined {
  try {
    return written(unawaited(shape(facts, req)), facts.status)
  } catch (error) {
    console.error('The option "shape" of express-rest-conventions failed, so the response follows RFC 9457:', error)
    return undefined
  }
}

function written(shaped: unknown, usual: number): WrittenShape {
  if (!isObject(shaped) || !('body' in shaped))
    throw new TypeError('shape() returned no object with a body. Return { body: ... }.')
  const { body, status = usual } = shaped
  const isText = typeof body === 'string'
  const { contentType = isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8' } = shaped
  if (typeof contentType !== 'string' || !/^[\t\x20-\x7e]+$/.test(contentType))
    throw new TypeError('shape() returned an invalid contentType. Return ASCII text, such as "application/json".')
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 400 || status > 599) {
    throw new TypeError(`shape() returned the status ${String(status)}. Return one from 400 to 599.`)
  }
  const text: unknown = isText ? body : JSON.stringify(body)
  if (typeof text !== 'string') throw new TypeError("shape() returned a body that JSON can't represent.")
  return { status, contentType, body: text }
}

/**
 * Adds the mode `off` for ERR-3 to options that have `shape` but no mode for ERR-3. Then `shape`
 * applies on all routes, and there are no findings about ERR-3.
 */
export function withShape<O extends { readonly conventions?: Pick<Conventions, 'ERR-3'>; readonly shape?: unknown }>(
  options: O,
): O {
  const { conventions, shape } = options
  if (shape === undefined || conventions?.['ERR-3'] !== undefined) return options
  return { ...options, conventions: { ...conventions, 'ERR-3': 'off' } }
}
