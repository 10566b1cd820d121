/**
 * Words that everybody may use: what can be wrong with a request (`HttpProblem`, RFC 9457) and with a service's own
 * declaration (`ConfigurationError`). Each has a stable code; `docs/errors.md` explains every one and a test holds the two together.
 */

import type { Violation } from './violation.js'
import { header } from './wire.js'

export type { KnownViolation, Violation } from './violation.js'

interface ProblemKind {
  readonly status: number
  readonly title: string
  /** The clause of the conventions that the problem stands for. */
  readonly clause: string
}

/** Every problem that the library answers with, by its stable code (ERR-1..3). */
export const problemKinds = {
  'bad-request': { status: 400, title: 'Bad request', clause: 'ERR-1' },
  'malformed-path': { status: 400, title: 'The path can not be decoded', clause: 'PATH-11' },
  'malformed-host': { status: 400, title: 'The host of the request is malformed', clause: 'REP-5' },
  'invalid-query': { status: 400, title: 'The query is not valid', clause: 'QUERY-8' },
  'malformed-body': { status: 400, title: 'The body can not be read', clause: 'HDR-5' },
  'missing-body': { status: 400, title: 'A body is required', clause: 'HDR-5' },
  'unexpected-body': { status: 400, title: 'This request takes no body', clause: 'VERB-4' },
  'malformed-idempotency-key': { status: 400, title: 'The Idempotency-Key can not be read', clause: 'VERB-12' },
  'missing-idempotency-key': { status: 400, title: 'An Idempotency-Key is required', clause: 'VERB-12' },
  unauthenticated: { status: 401, title: 'Authentication is required', clause: 'AUTH-4' },
  forbidden: { status: 403, title: 'Permission is missing', clause: 'AUTH-4' },
  'unknown-version': { status: 404, title: 'There is no such version', clause: 'VER-1' },
  'unknown-path': { status: 404, title: 'There is nothing at this path', clause: 'PATH-1' },
  absent: { status: 404, title: 'The resource does not exist', clause: 'VERB-1' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed here', clause: 'VERB-9' },
  'request-timeout': { status: 408, title: 'The request did not arrive in time', clause: 'ERR-1' },
  gone: { status: 410, title: 'No longer available', clause: 'VER-2' },
  stale: { status: 412, title: 'The resource has changed', clause: 'HDR-3' },
  'precondition-failed': { status: 412, title: 'A precondition does not hold', clause: 'HDR-4' },
  'body-too-large': { status: 413, title: 'The body is too large', clause: 'HDR-5' },
  'uri-too-long': { status: 414, title: 'The address is too long', clause: 'ERR-1' },
  'unsupported-accept': { status: 415, title: 'No representation of this media type', clause: 'HDR-1' },
  'unsupported-content': { status: 415, title: 'The media type of the body is not supported', clause: 'HDR-5' },
  'invalid-body': { status: 422, title: 'The body is not valid', clause: 'ERR-2' },
  duplicate: { status: 422, title: 'The resource exists already', clause: 'ERR-2' },
  reference: { status: 422, title: 'A reference leads to nothing', clause: 'ERR-2' },
  referenced: { status: 422, title: 'Other records refer to the resource', clause: 'ERR-2' },
  'idempotency-mismatch': { status: 422, title: 'The Idempotency-Key stands for another request', clause: 'VERB-12' },
  rule: { status: 422, title: 'A rule of the service is broken', clause: 'ERR-2' },
  'precondition-required': { status: 428, title: 'If-Match is required', clause: 'HDR-3' },
  'too-many-requests': { status: 429, title: 'Too many requests', clause: 'LIMIT-1' },
  'headers-too-large': { status: 431, title: 'The header fields are too large', clause: 'ERR-1' },
  internal: { status: 500, title: 'The service failed', clause: 'ERR-1' },
  unavailable: { status: 503, title: 'The service is unavailable for the moment', clause: 'ERR-1' },
} as const satisfies Record<string, ProblemKind>

/** The stable code of a problem. */
export type ProblemCode = keyof typeof problemKinds

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

/** What JavaScript callers may get wrong: what is not known would be missing in the answer without a word. Throws `ConfigurationError`. */
function checkProblem(kind: unknown, options: unknown): void {
  const refuse = (message: string): never => {
    throw new ConfigurationError('invalid-option', `new HttpProblem() ${message}`)
  }
  if (typeof kind === 'string') {
    if (!Object.hasOwn(problemKinds, kind))
      refuse(`has the code "${kind}", which is none of the library. Give { code, status, title } for one of yours.`)
  } else if (typeof kind !== 'object' || kind === null) refuse('has no kind. Give a code such as "rule", or { code, status, title }.')
  else {
    for (const name in kind) {
      if (Object.hasOwn(kindNames, name)) continue
      const place = Object.hasOwn(optionNames, name) ? 'Give it in the second argument' : `There are: ${Object.keys(kindNames).join(', ')}`
      refuse(`has "${name}" in its first argument. ${place}.`)
    }
    const { code, status, title } = kind as CustomProblem
    if (typeof code !== 'string' || typeof title !== 'string')
      refuse('has a first argument without a code or a title. Give both, as strings.')
    if (!Number.isInteger(status) || status < 400 || status > 599) refuse(`has the status ${String(status)}. Give one from 400 to 599.`)
  }
  if (typeof options !== 'object' || options === null)
    refuse('has a second argument that is no object. Give { detail, errors, headers, cause }.')
  for (const name in options as object) {
    if (Object.hasOwn(optionNames, name)) continue
    refuse(`has no option "${name}". There are: ${Object.keys(optionNames).join(', ')}.`)
  }
}

const kindNames: Readonly<Record<keyof CustomProblem, true>> = { code: true, status: true, title: true, clause: true }
const optionNames: Readonly<Record<keyof HttpProblemOptions, true>> = { detail: true, errors: true, headers: true, cause: true }

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

/** The detail of an answer to a write that may have changed something (VERB-13). `reason`: a clause without a full stop. */
export const unknownOutcome = (reason: string): string => `${reason}: whether the change took place is unknown. GET the resource to see.`

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

  constructor(options: UnavailableOptions = {}) {
    super('unavailable', {
      detail: options.detail ?? tryAgain,
      headers: { [header.retryAfter]: String(Math.max(0, Math.ceil(options.retryAfter ?? 1))) },
      cause: options.cause,
    })
    this.unchanged = options.unchanged ?? false
  }
}

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
    const problem = error instanceof HttpProblem ? error : fromHttpError(error)
    if (problem !== undefined && isErrorStatus(problem.status)) return problem
  } catch {
    // An error may be a proxy, or have getters that throw: that is a failure like any other.
  }
  return new HttpProblem('internal', { cause: error })
}

const isErrorStatus = (status: unknown): status is number =>
  Number.isInteger(status) && (status as number) >= 400 && (status as number) < 600

function fromHttpError(error: unknown): HttpProblem | undefined {
  if (typeof error !== 'object' || error === null) return undefined
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
  if (typeof headers !== 'object' || headers === null) return {}
  return Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

/** Where a problem happened, for its body. */
export interface ProblemPlace {
  /** The documentation that `type` leads into. Default `defaultProblemBase`. */
  readonly base?: string
  /** The path of the request. */
  readonly instance?: string
  readonly requestId?: string
}

/** Where `type` leads unless a service says where it publishes `docs/errors.md`. */
const defaultProblemBase = 'https://express-rest-conventions.example/errors'

/** The RFC 9457 body of a problem (ERR-3): `type title status detail instance code clause requestId errors`. */
export function problemBody(problem: HttpProblem, place: ProblemPlace = {}): Record<string, unknown> {
  return {
    type: `${place.base ?? defaultProblemBase}#${problem.clause}-${problem.code}`,
    title: problem.title,
    status: problem.status,
    ...(problem.detail === undefined ? {} : { detail: problem.detail }),
    ...(place.instance === undefined ? {} : { instance: place.instance }),
    code: problem.code,
    clause: problem.clause,
    ...(place.requestId === undefined ? {} : { requestId: place.requestId }),
    ...(problem.errors.length === 0 ? {} : { errors: problem.errors }),
  }
}

/** Every way in which a declaration or an option can be wrong, by its stable code, with the clause it stands for. */
export const configurationKinds = {
  'name-malformed': 'PATH-10',
  'name-not-plural': 'PATH-2',
  'name-is-verb': 'PATH-3',
  'name-has-format': 'PATH-4',
  'path-taken': 'PATH-1',
  'version-malformed': 'VER-1',
  'unknown-member': 'PATH-10',
  'unsuitable-member': 'QUERY-1',
  'exposes-write-only': 'REP-8',
  'reserved-parameter': 'QUERY-1',
  'invalid-schema': 'ERR-2',
  'unresolved-link': 'REP-1',
  'unmounted-parent': 'PATH-7',
  'adapter-incomplete': 'VERB-9',
  'undocumented-endpoint': 'PATH-8',
  'invalid-option': 'ERR-1',
  'store-unfit': 'HDR-3',
  'weak-key': 'AUTH-5',
  'middleware-missing': 'ERR-1',
} as const satisfies Record<string, string>

/** The stable code of a configuration error. */
export type ConfigurationCode = keyof typeof configurationKinds

/**
 * A definition or an option is wrong: thrown while a service is being built. Where only a request shows it (a middleware is missing, a version is no text) it is thrown
 * there, and answered as a 500 that says nothing of it. Its message says the mend.
 */
export class ConfigurationError extends TypeError {
  override readonly name = 'ConfigurationError'
  readonly code: ConfigurationCode
  readonly clause: string

  constructor(code: ConfigurationCode, message: string) {
    super(`${message} [${configurationKinds[code]} ${code}]`)
    this.code = code
    this.clause = configurationKinds[code]
  }
}
