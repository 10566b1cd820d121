/**
 * Problems with requests (`HttpProblem`, RFC 9457). Each of the library's own problems has a stable
 * code, which `docs/errors.md` explains. A test compares that page with the codes in the library.
 */

import { brandClass, hasBrand } from './brand.js'
import { isContainer } from './definition/json.js'
import { nearMiss } from './near-miss.js'
import { checkArgument, checkOptions, invalidOption } from './options/check.js'
import type { Kinds, MadeKind } from './options/kinds.js'
import { type ProblemCode, problemKinds } from './problem-kinds.js'
import { cutProblemText, cutViolation, maxProblemItems, type Violation } from './violation.js'
import { header } from './wire.js'

export {
  type ConfigurationCode,
  ConfigurationError,
  configurationKinds,
  isConfigurationError,
} from './configuration-error.js'
export { type ProblemCode, problemKinds } from './problem-kinds.js'
export type { KnownViolation, Violation } from './violation.js'

/** A service's own problem: its code, status and title. */
export interface CustomProblem {
  readonly code: string
  readonly status: number
  readonly title: string
  readonly clause?: string
}

/** Details of a problem. */
export interface HttpProblemOptions {
  /** A sentence about this occurrence, safe to show to the client. */
  readonly detail?: string
  /** All violations that were found. */
  readonly errors?: readonly Violation[]
  /** Header fields of the response, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The cause. Passed to the `onError` hook, never sent to a client. */
  readonly cause?: unknown
}

/**
 * An error that becomes a response with an RFC 9457 body (ERR-3). The library throws it, and the
 * service's own code may throw it too. Its `detail` and `errors` are sent to the client. Its
 * `cause` is never sent.
 *
 * @throws ConfigurationError `invalid-option` if an argument is invalid
 *
 * @example throw new HttpProblem('rule', { detail: 'A delivered piece cannot be changed.' })
 */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem'
  readonly code: string
  readonly status: number
  readonly title: string
  readonly clause: string
  readonly detail: string | undefined
  readonly errors: readonly Violation[]
  readonly headers: Readonly<Record<string, string>>

  static {
    brandClass('problem', HttpProblem)
  }

  constructor(kind: ProblemCode | CustomProblem, options: HttpProblemOptions = {}) {
    checkProblem(kind, options)
    const known: CustomProblem = typeof kind === 'string' ? { code: kind, ...problemKinds[kind] } : kind
    super(options.detail ?? known.title, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = known.code
    this.status = known.status
    this.title = known.title
    this.clause = known.clause ?? 'ERR-1'
    this.detail = options.detail
    this.errors = options.errors ?? []
    this.headers = options.headers ?? {}
  }
}

/** The allowed options of a problem. */
export const problemOptionKinds: Kinds<HttpProblemOptions> = {
  detail: 'string',
  errors: { each: 'table' },
  headers: 'table',
  cause: 'any',
}

const inSecondArgument = { instead: 'Pass it in the second argument.' }

/** The allowed members of a service's own problem. */
export const customProblemKinds: Kinds<CustomProblem & Record<keyof HttpProblemOptions, never>> = {
  code: { required: 'string' },
  status: { required: { from: 400, to: 599, whole: true } },
  title: { required: 'string' },
  clause: 'string',
  detail: inSecondArgument,
  errors: inSecondArgument,
  headers: inSecondArgument,
  cause: inSecondArgument,
}

const problemKind: MadeKind = {
  by: "a code such as 'rule', or { code, status, title } for a problem of your own",
  is: (value) => typeof value === 'string' || isContainer(value),
}

/**
 * Throws `ConfigurationError` for an unknown code, and for unknown or invalid options. Without this
 * check, such options would be silently missing from the response.
 */
function checkProblem(kind: unknown, options: unknown): void {
  const first = 'the first argument of new HttpProblem()'
  checkArgument(first, kind, problemKind)
  if (typeof kind !== 'string') checkOptions(first, kind, customProblemKinds)
  else if (!Object.hasOwn(problemKinds, kind)) {
    const near = nearMiss(kind, Object.keys(problemKinds))
    const meant = near === undefined ? '' : `Did you mean "${near}"? `
    throw invalidOption(
      `The first argument of new HttpProblem() is "${kind}", which is not a code of this library. ${meant}For a ` +
        'problem of your own, pass { code, status, title }.',
    )
  }
  checkOptions('new HttpProblem()', options, problemOptionKinds)
}

/** Details of a 503. */
export interface UnavailableOptions {
  /** Seconds until a client may try again. Default 1. */
  readonly retryAfter?: number
  /**
   * A sentence about this occurrence, safe to show to the client. Default: 'Try again in a moment.'
   */
  readonly detail?: string
  /** The cause. Passed to the `onError` hook, never sent to a client. */
  readonly cause?: unknown
  /**
   * True if the failed statement changed nothing, and `detail` says so. The handler of an endpoint
   * may have changed something before that statement. The response of an endpoint therefore does
   * not contain `detail`, but says that the outcome is unknown (VERB-13). Default false.
   */
  readonly unchanged?: boolean
}

export const unavailableOptionKinds: Kinds<UnavailableOptions> = {
  retryAfter: 'number',
  detail: 'string',
  cause: 'any',
  unchanged: 'boolean',
}

/**
 * Returns the detail of a response to a write that may have changed something (VERB-13). `reason`
 * is the start of a sentence, without a full stop.
 */
export const unknownOutcome = (reason: string): string =>
  `${reason}: whether the change took place is unknown. GET the resource to see.`

/** The default detail of a 503. */
export const tryAgain = 'Try again in a moment.'

/**
 * An error for a dependency that is down or did not respond in time. The response is 503 with
 * `Retry-After` (ERR-1). If an adapter's write method throws this error without a `detail`, the
 * response says that the outcome is unknown (VERB-13). Set `detail` if you know that nothing was
 * changed.
 *
 * @example throw new Unavailable({ retryAfter: 5, cause: error })
 */
export class Unavailable extends HttpProblem {
  /** Whether the failed statement changed nothing. */
  readonly unchanged: boolean

  static {
    brandClass('unavailable', Unavailable)
  }

  constructor(options: UnavailableOptions = {}) {
    checkOptions('new Unavailable()', options, unavailableOptionKinds)
    super('unavailable', {
      detail: options.detail ?? tryAgain,
      headers: { [header.retryAfter]: String(Math.max(0, Math.ceil(options.retryAfter ?? 1))) },
      cause: options.cause,
    })
    this.unchanged = options.unchanged ?? false
  }
}

/** Whether an error is an `HttpProblem`, of this copy of the library or of another. */
export const isProblem = (error: unknown): error is HttpProblem => hasBrand('problem', error)

/** Whether an error is an `Unavailable`, of this copy of the library or of another. */
export const isUnavailable = (error: unknown): error is Unavailable => hasBrand('unavailable', error)

const statusCodes = new Map<number, ProblemCode>([
  [400, 'bad-request'],
  [401, 'unauthenticated'],
  [403, 'forbidden'],
  [404, 'absent'],
  [405, 'method-not-allowed'],
  [408, 'request-timeout'],
  [410, 'gone'],
  [412, 'precondition-failed'],
  [413, 'body-too-large'],
  [414, 'uri-too-long'],
  [415, 'unsupported-content'],
  [422, 'rule'],
  [428, 'precondition-required'],
  [429, 'too-many-requests'],
  [431, 'headers-too-large'],
  [503, 'unavailable'],
])

/**
 * The problem codes for error types of Express's body parser. For other types, the status
 * determines the code.
 */
const parserCodes = new Map<unknown, ProblemCode>([
  ['entity.parse.failed', 'malformed-body'],
  ['request.aborted', 'malformed-body'],
  ['request.size.invalid', 'malformed-body'],
])

/**
 * Converts any thrown value to a problem. An `HttpProblem` whose status is 4xx or 5xx is returned
 * unchanged. An error from http-errors becomes a problem with the same status, if this status is
 * 4xx or 503. So does the error that Express throws for a path that can't be decoded. If the
 * `expose` of such an error is true, its message becomes the `detail` of the problem. Any other
 * value becomes a 500 that discloses nothing (ERR-3). Never throws, regardless of the value.
 */
export function toProblem(error: unknown): HttpProblem {
  try {
    const problem = isProblem(error) ? error : fromHttpError(error)
    if (problem !== undefined && isErrorStatus(problem.status)) return problem
  } catch {
    // An error may be a proxy or have getters that throw. Such an error also becomes a 500.
  }
  return new HttpProblem('internal', { cause: error })
}

const isErrorStatus = (status: unknown): status is number =>
  Number.isInteger(status) && (status as number) >= 400 && (status as number) < 600

function fromHttpError(error: unknown): HttpProblem | undefined {
  if (!isContainer(error)) return undefined
  const { status, statusCode, expose, message, headers, type } = error as Record<string, unknown>
  const given = typeof status === 'number' ? status : statusCode
  if (!isErrorStatus(given) || (given >= 500 && given !== 503)) return undefined
  // Express throws a URIError for a path parameter that it can't decode.
  const undecodable = given === 400 && error instanceof URIError
  // An error without `expose` is not from http-errors. Its status may be the status of an upstream
  // service's response, as in errors from axios.
  if (typeof expose !== 'boolean' && !undecodable) return undefined
  const code = undecodable ? 'malformed-path' : (parserCodes.get(type) ?? statusCodes.get(given))
  return new HttpProblem(code ?? { code: `status-${given}`, status: given, title: 'The request was refused' }, {
    ...(expose === true && typeof message === 'string' ? { detail: message } : {}),
    headers: { ...(given === 503 ? { [header.retryAfter]: '1' } : {}), ...stringHeaders(headers) },
    cause: error,
  })
}

function stringHeaders(headers: unknown): Record<string, string> {
  if (!isContainer(headers)) return {}
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

/** The parts of a problem's body that depend on the service and the request. */
export interface ProblemPlace {
  /** The prefix of `type`. Default `defaultProblemBase`. */
  readonly base?: string
  /** The path of the request. */
  readonly instance?: string
  readonly requestId?: string
}

/**
 * The default prefix of `type`: a tag URI (RFC 4151), as RFC 9457, section 3.1.1, recommends for
 * types that can't be fetched. It is the same in every service, version and environment.
 */
export const defaultProblemBase = 'tag:express-rest-conventions,2026:errors'

/**
 * The RFC 9457 body of a problem (ERR-3), with the members `type`, `title`, `status`, `detail`,
 * `instance`, `code`, `clause`, `requestId` and `errors`, in this order. Members without a value
 * are left out. Long strings are truncated, and `errors` lists at most `maxProblemItems`
 * violations.
 */
export function problemBody(problem: HttpProblem, place: ProblemPlace = {}): Record<string, unknown> {
  return {
    type: `${place.base ?? defaultProblemBase}#${problem.clause}-${problem.code}`,
    title: cutProblemText(problem.title),
    status: problem.status,
    ...(problem.detail === undefined ? {} : { detail: cutProblemText(problem.detail) }),
    ...(place.instance === undefined ? {} : { instance: cutProblemText(place.instance) }),
    code: problem.code,
    clause: problem.clause,
    ...(place.requestId === undefined ? {} : { requestId: place.requestId }),
    ...(problem.errors.length === 0 ? {} : { errors: problem.errors.slice(0, maxProblemItems).map(cutViolation) }),
  }
}
