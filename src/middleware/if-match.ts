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
  /** The versions that `If-Match` accepts; `undefined` if `If-Match` is absent or `*`. */
  readonly versions: readonly string[] | undefined
  /** Whether this request must have `If-Match`. */
  readonly required: boolean
  /**
   * Reports that a request without `If-Match` changes a record. If HDR-3 were enforced, the request
   * would be refused. `undefined` if there is nothing to report.
   */
  readonly missed?: (() => void) | undefined
  /** Whether weak tags in `If-Match` match too. */
  readonly weakToo: boolean
  /** The content codings that the client accepts: `Accept-Encoding`. */
  readonly codings: string | undefined
}

/** The `Conditions` of a request without preconditions. */
export const unconditional: Conditions = Object.freeze({
  ifMatch: undefined,
  ifNoneMatch: undefined,
  versions: undefined,
  required: false,
  weakToo: false,
  codings: undefined,
})

/**
 * Parses the preconditions. Throws 400 for a field of more than 16,384 characters. If `weakToo` is
 * true, weak tags in `If-Match` match their version. Services need this behind a proxy that makes
 * tags weak when it compresses responses.
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
 * Checks the preconditions of a write to a record whose current version is `version`. Throws 412 if
 * a precondition fails, and 428 if a required `If-Match` is missing.
 */
export function checkWrite(conditions: Conditions, version: string): void {
  const { ifMatch, ifNoneMatch, versions, required } = conditions
  if (required && ifMatch === undefined) throw preconditionRequired()
  if (versions !== undefined && !versions.includes(version)) throw unmatched(conditions)
  if (ifNoneMatch !== undefined && (ifNoneMatch.any || versionsOf(ifNoneMatch, true).includes(version))) {
    throw new HttpProblem('precondition-failed', { detail: 'If-None-Match matches the current version.' })
  }
}

/**
 * Checks `If-Match` for a read whose response has the tag `tag`. If `If-Match` lists tags, the list
 * must contain a tag of `version`, or `tag` itself if `version` is not given. Throws 412 if the
 * list does not contain such a tag.
 */
export function checkRead(conditions: Conditions, tag: string, version?: string): void {
  const { ifMatch, versions, weakToo } = conditions
  if (ifMatch === undefined || ifMatch.any) return
  const holds = version === undefined ? matchesStrongly(ifMatch, tag, weakToo) : versions?.includes(version)
  if (!holds) throw unmatched(conditions)
}

/**
 * Returns the tag for a 304 if the client already has the current representation, and `undefined`
 * otherwise. The returned tag is `tag` itself, or its variant for the content coding of the
 * client's copy. `Cache-Control: no-cache` in the request is ignored, because this directive is
 * meant for caches.
 */
export function unmodifiedTag({ ifNoneMatch, codings }: Conditions, tag: string): string | undefined {
  return ifNoneMatch === undefined ? undefined : knownTag(ifNoneMatch, tag, (coding) => acceptsCoding(codings, coding))
}

/**
 * The 412 for a write whose `If-Match` does not list the current version (HDR-3). Throw it if your
 * compare-and-set changes no row although the row exists.
 */
export function preconditionFailed(): HttpProblem {
  return new HttpProblem('stale', {
    detail:
      'If-Match does not name the current version. GET the resource again, apply your change to the current state, ' +
      'and send its new Etag.',
  })
}

/**
 * The 412 for a request whose `If-Match` does not match. If no tag in `If-Match` could match any
 * version, the detail gives this reason, because another GET would not help.
 */
function unmatched({ ifMatch, versions = [], weakToo }: Conditions): HttpProblem {
  if (versions.length > 0) return preconditionFailed()
  const tags = ifMatch?.tags ?? []
  if (tags.length === 0)
    return new HttpProblem('stale', {
      detail:
        'If-Match has no valid entity tag. Send the Etag of the last response unchanged, with its double quotes, as ' +
        'in "3.x7Q".',
    })
  if (!weakToo && tags.every(({ weak }) => weak))
    return new HttpProblem('stale', {
      detail:
        'If-Match has only weak entity tags (W/"..."), which never match (RFC 9110, section 13.1.1). Send the Etag of ' +
        'the service without W/. If a proxy adds W/, the service needs the option weakIfMatch.',
    })
  return preconditionFailed()
}

/** The 428 for a write without `If-Match`, if the service requires `If-Match` (HDR-3). */
function preconditionRequired(): HttpProblem {
  return new HttpProblem('precondition-required', { detail: 'GET the resource and send its Etag as If-Match.' })
}

const states = requestState<Conditions>('ifMatch()')

/** The options of `ifMatch()`. */
export interface IfMatchOptions extends ConventionsOptions<'HDR-3'> {
  /**
   * Whether a PUT, PATCH or DELETE without `If-Match` gets 428 before its handler runs. Default
   * false.
   */
  readonly required?: boolean
  /**
   * Whether a weak tag in `If-Match` matches its version. Enable this behind a proxy that makes
   * tags weak when it compresses responses. Default false: weak tags never match.
   */
  readonly weak?: boolean
}

export const ifMatchKinds: Kinds<IfMatchOptions> = { required: 'boolean', weak: 'boolean', ...conventionsKinds }

const updates = new Set(['PUT', 'PATCH', 'DELETE'])

/**
 * Creates a middleware that reads the preconditions of a request for later handlers (HDR-3, HDR-4).
 * In a write, call `checkVersion(req, version)`. Then change the row in one statement that also
 * compares its version. To send a representation, call `sendTag(req, res, version)`.
 *
 * @throws ConfigurationError `invalid-option` if an option is invalid
 *
 * @example
 * app.put('/sucursales/:id', ifMatch(), async (req, res) => {
 *   const found = await find(req.params.id)
 *   if (found === undefined) throw new HttpProblem('absent')
 *   checkVersion(req, found.version)
 *   // UPDATE ... WHERE id = $1 AND version = $3
 *   const saved = await update(req.params.id, req.body, found.version)
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
 * Returns the versions that `If-Match` accepts. The write may proceed only if the stored record has
 * one of these versions. Returns `undefined` if any version is accepted, because `If-Match` is
 * absent or `*`. Compare the versions in the same statement as the write; otherwise two concurrent
 * writes can both succeed. If no tag in `If-Match` can match a version, the result is an empty
 * array, and no record matches. `If-None-Match` is not considered. If the statement changes no row,
 * check whether the row exists. Respond with 404 if the row does not exist, and throw
 * `preconditionFailed()` if it does.
 *
 * @throws ConfigurationError `middleware-missing` if `ifMatch()` did not run
 */
export function expectedVersions(req: IncomingMessage): readonly string[] | undefined {
  return states.of(req).versions
}

/**
 * Throws 412 if a record of this version must not be changed: `If-Match` lists only other versions,
 * or `If-None-Match` is `*` or lists this version (HDR-3, HDR-4). The write itself must still
 * compare the version atomically.
 *
 * @throws ConfigurationError if `ifMatch()` did not run or the version is not a string
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
 * Sets the strong `Etag` of a version. If the request is a GET or HEAD and the client already has
 * this representation, responds with 304 and returns true. The handler must then send nothing else
 * (HDR-2, HDR-4). Set `Cache-Control` and `Vary` before the call, because a 304 has them too.
 * `variant` identifies everything else that affects the bytes of the body, such as expansion and
 * filters. The media type that `negotiate()` or `recordAnswer()` has chosen is already part of the
 * tag. A body with a content coding gets a tag of its own. Throws 412 if the `If-Match` of a GET or
 * HEAD does not match.
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
    // If the handler or an earlier middleware such as `compression` compresses the body, the tag
    // must change too.
    followCoding(res, tag)
    return false
  }
  // These fields describe the body that this response would have had. The client would apply them
  // to its stored body, which may have another content coding (RFC 9110 15.4.5).
  removeFields(res, bodyFields)
  send(res, { status: 304, headers: { [header.etag]: known } }, true)
  return true
}

/**
 * The length of a digest in characters of base64url. The characters hold 162 bits, so two variants
 * practically never get the same tag.
 */
const digestLength = 27

/**
 * Returns the version, and throws if it is not a string. A number would never equal the strings of
 * `expectedVersions(req)`. With `undefined`, all records would have the same version.
 */
function textOf(version: string): string {
  if (typeof version === 'string') return version
  throw invalidOption(
    `The version is ${String(version)}, which is not a string. Pass the version of the record as a string.`,
  )
}
