/**
 * What can be wrong with a request (`HttpProblem`, RFC 9457). Each way has a stable code;
 * `docs/errors.md` explains every one, and a test keeps the two in step.
 */

import { brandClass, hasBrand } from './brand.js'
import { isContainer } from './definition/json.js'
import { nearMiss } from './near-miss.js'
import { checkArgument, checkOptions, invalidOption } from './options/check.js'
import type { Kinds, MadeKind } from './options/kinds.js'
import { type ProblemCode, problemKinds } from './problem-kinds.js'
import { cutText, cutViolation, mostProblemItems, type Violation } from './violation.js'
import { header } from './wire.js'

export {
  type ConfigurationCode,
  ConfigurationError,
  configurationKinds,
  isConfigurationError,
} from './configuration-error.js'
export { type ProblemCode, problemKinds } from './problem-kinds.js'
export type { KnownViolation, Violation } from './violation.js'

/** A problem of a service's own: its status and words, beside the library's. */
export interface CustomProblem {
  readonly code: string
  readonly status: number
  readonly title: string
  readonly clause?: string
}

/** What a problem says beside its code. */
export interface HttpProblemOptions {
  /** A sentence about this occurrence, safe to show to the client. */
  readonly detail?: string
  /** All violations at once. */
  readonly errors?: readonly Violation[]
  /** Header fields that belong to the answer, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The real cause: reported to the `onError` hook, never shown to a client. */
  readonly cause?: unknown
}

/**
 * A request that can not be answered as asked. Thrown by the library and, where a team likes, by its own code;
 * it becomes an RFC 9457 body (ERR-3). Its `detail` and `errors` are shown to the client, its `cause` never.
 *
 * @example throw new HttpProblem('rule', { detail: 'A delivered piece can not be changed.' })
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

/** The options that a problem may have beside its kind. */
export const problemOptionKinds: Kinds<HttpProblemOptions> = {
  detail: 'string',
  errors: { each: 'table' },
  headers: 'table',
  cause: 'any',
}

const inSecondArgument = { instead: 'Give it in the second argument.' }

/** The options of a problem of a team's own. */
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
  by: "a code such as 'rule', or { code, status, title } for a problem of yours",
  is: (value) => typeof value === 'string' || isContainer(value),
}

/** What is not known, or of another kind, would be missing in the answer without a word. Throws `ConfigurationError`. */
function checkProblem(kind: unknown, options: unknown): void {
  const first = 'the first argument of new HttpProblem()'
  checkArgument(first, kind, problemKind)
  if (typeof kind !== 'string') checkOptions(first, kind, customProblemKinds)
  else if (!Object.hasOwn(problemKinds, kind)) {
    const near = nearMiss(kind, Object.keys(problemKinds))
    const meant = near === undefined ? '' : `Did you mean "${near}"? `
    throw invalidOption(
      `The first argument of new HttpProblem() is the code "${kind}", which is none of the library. ${meant}For one of yours give { code, status, title }.`,
    )
  }
  checkOptions('new HttpProblem()', options, problemOptionKinds)
}

/** What a 503 says beside its code. */
export interface UnavailableOptions {
  /** Seconds until a client may try again. Default 1. */
  readonly retryAfter?: number
  /** A sentence about this occurrence, safe to show to the client. Default: to try again in a moment. */
  readonly detail?: string
  /** The real cause: reported to the `onError` hook, never shown to a client. */
  readonly cause?: unknown
  /**
   * True where the statement that failed changed nothing, and `detail` says so. An endpoint may have
   * changed something before that statement: its answer says that the outcome is unknown (VERB-13).
   * Default false.
   */
  readonly unchanged?: boolean
}

export const unavailableOptionKinds: Kinds<UnavailableOptions> = {
  retryAfter: 'number',
  detail: 'string',
  cause: 'any',
  unchanged: 'boolean',
}

/** The detail of an answer to a write that may have changed something (VERB-13). `reason`: a clause without a full stop. */
export const unknownOutcome = (reason: string): string =>
  `${reason}: whether the change took place is unknown. GET the resource to see.`

/** The detail of a 503 that was given none. */
export const tryAgain = 'Try again in a moment.'

/**
 * A dependency is down or did not answer in time: 503 with `Retry-After` (ERR-1). Thrown from a write of an adapter without a `detail`, it tells the client that the
 * outcome is unknown (VERB-13): say so in `detail` where you know that nothing was changed.
 *
 * @example throw new Unavailable({ retryAfter: 5, cause: error })
 */
export class Unavailable extends HttpProblem {
  /** The statement that failed changed nothing. */
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

/** Whether an error is a problem, of this copy of the library or of another. */
export const isProblem = (error: unknown): error is HttpProblem => hasBrand('problem', error)

/** The same for `Unavailable`. */
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

/** What Express and its body parser say is wrong, where that has a code of its own here. */
const parserCodes = new Map<unknown, ProblemCode>([
  ['entity.parse.failed', 'malformed-body'],
  ['request.aborted', 'malformed-body'],
  ['request.size.invalid', 'malformed-body'],
])

/**
 * Anything thrown becomes a problem: an `HttpProblem` passes, a 4xx or 503 of http-errors keeps its status (and its message where `expose` is true), the rest is a
 * 500 that leaks nothing (ERR-3). Never throws itself, whatever was thrown.
 */
export function toProblem(error: unknown): HttpProblem {
  try {
    const problem = isProblem(error) ? error : fromHttpError(error)
    if (problem !== undefined && isErrorStatus(problem.status)) return problem
  } catch {
    // An error may be a proxy, or have getters that throw: that is a failure like any other.
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
  // Express's own, of a parameter that it can not decode.
  const undecodable = given === 400 && error instanceof URIError
  // A status alone may be that of an upstream, as axios has it; `expose` says that it is meant for the client.
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

/** Where a problem happened, for its body. */
export interface ProblemPlace {
  /** What `type` begins with. Default `defaultProblemBase`. */
  readonly base?: string
  /** The path of the request. */
  readonly instance?: string
  readonly requestId?: string
}

/**
 * What `type` begins with unless a service has a page of its own: a tag URI (RFC 4151), as RFC 9457,
 * section 3.1.1, advises where nothing can be fetched. It is the same in every service, version and environment.
 */
export const defaultProblemBase = 'tag:express-rest-conventions,2026:errors'

/** The RFC 9457 body of a problem (ERR-3): `type title status detail instance code clause requestId errors`. */
export function problemBody(problem: HttpProblem, place: ProblemPlace = {}): Record<string, unknown> {
  return {
    type: `${place.base ?? defaultProblemBase}#${problem.clause}-${problem.code}`,
    title: cutText(problem.title),
    status: problem.status,
    ...(problem.detail === undefined ? {} : { detail: cutText(problem.detail) }),
    ...(place.instance === undefined ? {} : { instance: cutText(place.instance) }),
    code: problem.code,
    clause: problem.clause,
    ...(place.requestId === undefined ? {} : { requestId: place.requestId }),
    ...(problem.errors.length === 0 ? {} : { errors: problem.errors.slice(0, mostProblemItems).map(cutViolation) }),
  }
}
