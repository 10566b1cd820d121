/** Conditional requests: what `If-Match` and `If-None-Match` ask for and whether it holds (HDR-2..4; RFC 9110 13.1, 13.2). */

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
  /** The versions that `If-Match` names; `undefined` where it is absent or `*`. */
  readonly versions: readonly string[] | undefined
  /** The service asks for `If-Match` on every update and delete. */
  readonly required: boolean
  /** Tells that a change is made without the `If-Match` that will be required; `undefined` where nothing is to be told. */
  readonly missed?: (() => void) | undefined
  /** Weak tags in `If-Match` count. */
  readonly weakToo: boolean
  /** The content codings that the client takes: `Accept-Encoding`. */
  readonly codings: string | undefined
}

/** Those of a request that has none. */
export const unconditional: Conditions = Object.freeze({
  ifMatch: undefined,
  ifNoneMatch: undefined,
  versions: undefined,
  required: false,
  weakToo: false,
  codings: undefined,
})

/** Throws 400 for a field of more than 8,000 characters. `weakToo` lets weak tags in `If-Match` name their version, for services behind a proxy that weakens tags when it compresses. */
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

/** Whether a write of a record of this version may proceed. Throws 428, or 412 where it may not. */
export function checkWrite(conditions: Conditions, version: string): void {
  const { ifMatch, ifNoneMatch, versions, required } = conditions
  if (required && ifMatch === undefined) throw preconditionRequired()
  if (versions !== undefined && !versions.includes(version)) throw preconditionFailed()
  if (ifNoneMatch !== undefined && (ifNoneMatch.any || versionsOf(ifNoneMatch, true).includes(version))) {
    throw new HttpProblem('precondition-failed', { detail: 'If-None-Match names the version that the resource has.' })
  }
}

/** Whether a read may be answered with this tag. Throws 412 where `If-Match` names other tags only. */
export function checkRead(conditions: Conditions, tag: string, version?: string): void {
  const { ifMatch, versions, weakToo } = conditions
  if (ifMatch === undefined || ifMatch.any) return
  const holds = version === undefined ? matchesStrongly(ifMatch, tag, weakToo) : versions?.includes(version)
  if (!holds) throw preconditionFailed()
}

/**
 * The tag for a 304, where the client has the representation of this tag: its own, or that of the content coding in which it has it. `Cache-Control: no-cache` in the
 * request changes nothing: it is a word to caches.
 */
export function unmodifiedTag({ ifNoneMatch, codings }: Conditions, tag: string): string | undefined {
  return ifNoneMatch === undefined ? undefined : knownTag(ifNoneMatch, tag, (coding) => acceptsCoding(codings, coding))
}

/** The refusal of a write whose `If-Match` names another version: 412 (HDR-3). Throw it when your own compare-and-set finds no row. */
export function preconditionFailed(): HttpProblem {
  return new HttpProblem('stale', {
    detail:
      'If-Match does not name the current version. GET the resource again, apply your change to what it is now, and send its new Etag.',
  })
}

/** The refusal of a write without `If-Match`, where the service wants one: 428 (HDR-3). */
function preconditionRequired(): HttpProblem {
  return new HttpProblem('precondition-required', { detail: 'GET the resource and send its Etag as If-Match.' })
}

const states = requestState<Conditions>('ifMatch()')

/** What `ifMatch()` asks of a request. */
export interface IfMatchOptions extends ConventionsOptions<'HDR-3'> {
  /** 428 where a PUT, PATCH or DELETE comes without `If-Match`, before its handler runs. Default false. */
  readonly required?: boolean
  /** A weak tag in `If-Match` stands for its version, for services behind a proxy that weakens tags when it compresses. Default false: it never matches. */
  readonly weak?: boolean
}

export const ifMatchKinds: Kinds<IfMatchOptions> = { required: 'boolean', weak: 'boolean', ...conventionsKinds }

const updates = new Set(['PUT', 'PATCH', 'DELETE'])

/**
 * Reads the preconditions of a request for the handlers after it (HDR-3, HDR-4): `checkVersion(req, version)` for a write, which then compares and sets that version
 * in one statement, `sendTag(req, res, version)` for an answer. Throws `ConfigurationError` for an option that there is not.
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
 * The versions of which the stored record must have one for this write to proceed; `undefined` where the client does not care (no `If-Match`, or `*`). Compare them
 * in the same statement as the write, else two clients can both succeed. An `If-Match` that names nothing of ours gives an empty list, which no record matches. They
 * say nothing of `If-None-Match`, and a statement that changes no row may have found none: then an absent item is 404 before a changed one is `preconditionFailed()`.
 * Throws `ConfigurationError` where `ifMatch()` did not run.
 */
export function expectedVersions(req: IncomingMessage): readonly string[] | undefined {
  return states.of(req).versions
}

/**
 * Throws 412 where the record at hand, of this version, may not be changed: `If-Match` names other versions only, or `If-None-Match` names this one (HDR-3, HDR-4).
 * The write itself must then still compare with this version in one step. Throws `ConfigurationError` where `ifMatch()` did not run.
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
 * Sets the strong `Etag` of a version, and answers 304 where the client has it: then it returns true and the handler is done (HDR-2, HDR-4). Set `Cache-Control` and
 * `Vary` before, a 304 has them too. `variant` is whatever else shapes the bytes (expansion, filters); the media type that `negotiate()` or `recordAnswer()` has chosen is
 * part of the tag already, and a body that leaves in a content coding gets a tag of its own. Throws 412 where a read has an `If-Match` that does not
 * hold, and `ConfigurationError` where `ifMatch()` did not run or the version is no text.
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
    // The handler, or `compression` in front of it, may pack what follows.
    followCoding(res, tag)
    return false
  }
  // They are those of the stored body, which may have come in another coding (RFC 9110 15.4.5).
  removeFields(res, bodyFields)
  send(res, { status: 304, headers: { [header.etag]: known } }, true)
  return true
}

/** Of base64url: 162 bits, more than enough that no two variants share a tag. */
const digestLength = 27

/** A number would never equal the texts of `expectedVersions(req)`; `undefined` would be one version for every record. */
function textOf(version: string): string {
  if (typeof version === 'string') return version
  throw invalidOption(`The version is ${String(version)}, which is no text. Give the version of the record as text.`)
}
