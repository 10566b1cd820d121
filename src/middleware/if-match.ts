/**
 * Conditional requests: parses and evaluates `If-Match` and `If-None-Match` (HDR-2..4; RFC 9110
 * 13.1, 13.2).
 */

import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { acceptsCoding } from '../http/accept-encoding.js'
import { formatTag, knownTag, matchesStrongly, parseTagList, type TagList, versionsOf } from '../http/entity-tags.js'
import { checkField } from '../http/field-length.js'
import { checkOptions, invalidOption } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import { HttpProblem } from '../problem.js'
import { send } from '../representation/answer.js'
import { followCoding } from '../representation/coded-tags.js'
import { bodyFields, removeFields } from '../representation/header-fields.js'
import { header } from '../wire.js'
import { type ConventionsOptions, conventionsKinds, RouteConventions } from './conventions.js'
import type { Middleware } from './middleware.js'
import { findNegotiated } from './negotiate.js'
import { requestState } from './request-state.js'

/** The preconditions of a request. */
export interface Conditions {
  readonly ifMatch: TagList | undefined
  readonly ifNoneMatch: TagList | undefined
  /** The versions that `If-Match` lists; `undefined` if it is absent or `*`. */
  readonly versions: readonly string[] | undefined
  /** The service requires `If-Match` for every update and delete. */
  readonly required: boolean
  /**
   * Called when a change is made without an `If-Match` that will be required in future; `undefined`
   * if that is not reported.
   */
  readonly missed?: (() => void) | undefined
  /** Weak tags in `If-Match` match too. */
  readonly weakToo: boolean
  /** The content codings that the client accepts: `Accept-Encoding`. */
  readonly codings: string | undefined
}

/** The conditions of a request without preconditions. */
export const unconditional: Conditions = Object.freeze({
  ifMatch: undefined,
  ifNoneMatch: undefined,
  versions: undefined,
  required: false,
  weakToo: false,
  codings: undefined,
})

/**
 * Parses the preconditions. Throws 400 for a field of more than 8,000 characters. With `weakToo`,
 * weak tags in `If-Match` match their version, for services behind a proxy that weakens tags when
 * it compresses.
 */
export function readConditions(
  { headers }: Pick<IncomingMessage, 'headers'>,
  required: boolean,
  weakToo = false,
): Conditions {
  if (!required && headers['if-match'] === undefined && headers['if-none-match'] === undefined) return unconditional
  checkField(header.ifMatch, headers['if-match'])
  checkField(header.ifNoneMatch, headers['if-none-match'])
  const ifMatch = parseTagList(headers['if-match'])
  const ifNoneMatch = parseTagList(headers['if-none-match'])
  const versions = ifMatch === undefined || ifMatch.any ? undefined : versionsOf(ifMatch, weakToo)
  return {
    ifMatch,
    ifNoneMatch,
    versions,
    required,
    weakToo,
    codings: headers['accept-encoding'] as string | undefined,
  }
}

/**
 * Checks the preconditions of a write to a record of this version. Throws 412 or 428 if they fail.
 */
export function checkWrite(conditions: Conditions, version: string): void {
  const { ifMatch, ifNoneMatch, versions, required } = conditions
  if (required && ifMatch === undefined) throw preconditionRequired()
  if (versions !== undefined && !versions.includes(version)) throw preconditionFailed()
  if (ifNoneMatch !== undefined && (ifNoneMatch.any || versionsOf(ifNoneMatch, true).includes(version))) {
    throw new HttpProblem('precondition-failed', { detail: 'If-None-Match names the version that the resource has.' })
  }
}

/**
 * Checks the preconditions of a read whose response has this tag. Throws 412 if `If-Match` lists
 * only other tags.
 */
export function checkRead(conditions: Conditions, tag: string, version?: string): void {
  const { ifMatch, versions, weakToo } = conditions
  if (ifMatch === undefined || ifMatch.any) return
  const holds = version === undefined ? matchesStrongly(ifMatch, tag, weakToo) : versions?.includes(version)
  if (!holds) throw preconditionFailed()
}

/**
 * The tag for a 304 if the client has the current representation: the tag itself, or its variant
 * for the content coding of the client's copy. `Cache-Control: no-cache` in the request is ignored,
 * since it is addressed to caches.
 */
export function unmodifiedTag({ ifNoneMatch, codings }: Conditions, tag: string): string | undefined {
  return ifNoneMatch === undefined ? undefined : knownTag(ifNoneMatch, tag, (coding) => acceptsCoding(codings, coding))
}

/**
 * 412 for a write whose `If-Match` names another version (HDR-3). Throw it if your compare-and-set
 * finds no row.
 */
export function preconditionFailed(): HttpProblem {
  return new HttpProblem('stale', {
    detail:
      'If-Match does not name the current version. GET the resource again, apply your change to the current state, ' +
      'and send its new Etag.',
  })
}

/** 428 for a write without `If-Match`, if the service requires one (HDR-3). */
function preconditionRequired(): HttpProblem {
  return new HttpProblem('precondition-required', { detail: 'GET the resource and send its Etag as If-Match.' })
}

const states = requestState<Conditions>('ifMatch()')

/** The options of `ifMatch()`. */
export interface IfMatchOptions extends ConventionsOptions<'HDR-3'> {
  /**
   * Responds with 428 to a PUT, PATCH or DELETE without `If-Match`, before its handler runs.
   * Default false.
   */
  readonly required?: boolean
  /**
   * A weak tag in `If-Match` matches its version, for services behind a proxy that weakens tags
   * when it compresses. Default false: weak tags never match.
   */
  readonly weak?: boolean
}

export const ifMatchKinds: Kinds<IfMatchOptions> = { required: 'boolean', weak: 'boolean', ...conventionsKinds }

const updates = new Set(['PUT', 'PATCH', 'DELETE'])

/**
 * Reads the preconditions of a request for later handlers (HDR-3, HDR-4). A write calls
 * `checkVersion(req, version)` and then compares and sets that version in one statement. Other
 * responses use `sendTag(req, res, version)`.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 *
 * @example
 * app.put('/sucursales/:id', ifMatch(), async (req, res) => {
 *   const found = await find(req.params.id)
 *   if (found === undefined) throw new HttpProblem('absent')
 *   checkVersion(req, found.version)
 *   const saved = await update(req.params.id, req.body, found.version) // ... WHERE id = $1 AND version = $3
 *   if (saved === undefined) throw preconditionFailed()
 *   sendTag(req, res, saved.version)
 *   res.json(saved)
 * })
 */
export function ifMatch(options: IfMatchOptions = {}): Middleware {
  checkOptions('ifMatch()', options, ifMatchKinds)
  const { required = false, weak = false } = options
  const conventions = new RouteConventions(options, {
    what: 'ifMatch()',
    clauses: ['HDR-3'],
    requiresIfMatch: required,
  })
  return function ifMatchMiddleware(req, _res, next) {
    const wanted = required && updates.has(req.method ?? '')
    const legacy = wanted ? conventions.legacy('HDR-3', req) : undefined
    const conditions = readConditions(req, wanted && legacy === undefined, weak)
    if (conditions.required && conditions.ifMatch === undefined) return next(preconditionRequired())
    if (conditions.ifMatch === undefined) legacy?.found(header.ifMatch)
    states.set(req, conditions)
    next()
  }
}

/**
 * The versions accepted by `If-Match`: the write may proceed only if the stored record has one of
 * them. `undefined` if any version is accepted (no `If-Match`, or `*`). Compare them in the same
 * statement as the write; otherwise two clients can both succeed. If `If-Match` lists none of this
 * service's tags, the list is empty and no record matches. `If-None-Match` is not considered. If a
 * statement changes no row, check whether the row exists: an absent item is 404, a changed one is
 * `preconditionFailed()`.
 *
 * @throws ConfigurationError `middleware-missing` if `ifMatch()` did not run
 */
export function expectedVersions(req: IncomingMessage): readonly string[] | undefined {
  return states.of(req).versions
}

/**
 * Throws 412 if a record of this version may not be changed: `If-Match` lists only other versions,
 * or `If-None-Match` lists this one (HDR-3, HDR-4). The write itself must still compare the version
 * atomically.
 *
 * @throws ConfigurationError `middleware-missing` if `ifMatch()` did not run
 *
 * @example
 * const row = await read(req.params.id)
 * if (row === undefined) throw new HttpProblem('absent')
 * checkVersion(req, row.version)
 * if (!(await update(req.params.id, req.body, row.version))) throw preconditionFailed()
 */
export function checkVersion(req: IncomingMessage, version: string): void {
  checkWrite(states.of(req), textOf(version))
}

/**
 * Sets the strong `Etag` of a version. If the client has that version, responds with 304 and
 * returns true; the handler is then done (HDR-2, HDR-4). Set `Cache-Control` and `Vary` before,
 * since a 304 has them too. `variant` identifies everything else that affects the bytes (expansion,
 * filters). The media type chosen by `negotiate()` or `recordAnswer()` is part of the tag already,
 * and a body sent in a content coding gets a separate tag. Throws 412 if a read has an `If-Match`
 * that does not match.
 *
 * @throws ConfigurationError if `ifMatch()` did not run or the version is not a string
 *
 * @example if (!sendTag(req, res, row.version)) answer.send(req, res, row)
 */
export function sendTag(req: IncomingMessage, res: ServerResponse, version: string, variant = ''): boolean {
  const conditions = states.of(req)
  const shaping = JSON.stringify([findNegotiated(req) ?? '', variant])
  const tag = formatTag(
    textOf(version),
    createHash('sha256').update(shaping).digest('base64url').slice(0, digestLength),
  )
  const reading = req.method === 'GET' || req.method === 'HEAD'
  if (reading) checkRead(conditions, tag, version)
  const known = reading ? unmodifiedTag(conditions, tag) : undefined
  if (known === undefined) {
    res.setHeader(header.etag, tag)
    // The handler, or `compression` before it, may compress the body.
    followCoding(res, tag)
    return false
  }
  // They describe the stored body, which may have another coding (RFC 9110 15.4.5).
  removeFields(res, bodyFields)
  send(res, { status: 304, headers: { [header.etag]: known } }, true)
  return true
}

/** Characters of base64url: 162 bits, enough that no two variants share a tag. */
const digestLength = 27

/**
 * A number would never equal the strings of `expectedVersions(req)`, and `undefined` would be the
 * same version for every record.
 */
function textOf(version: string): string {
  if (typeof version === 'string') return version
  throw invalidOption(
    `The version is ${String(version)}, which is not a string. Pass the version of the record as a string.`,
  )
}
