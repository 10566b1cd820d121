/** Versions side by side: which one a path names, which have retired, what a deprecated one says of itself (VER-1..3). */

import type { ServerResponse } from 'node:http'
import util from 'node:util'
import { isObject } from '../definition/json.js'
import { httpDate, structuredDate } from '../http/dates.js'
import { splitTarget } from '../http/targets.js'
import { checkArgument, checkOptions, invalidOption } from '../options/check.js'
import { functionBy, type Kind, type Kinds } from '../options/kinds.js'
import { ConfigurationError, HttpProblem } from '../problem.js'
import { formatLink, send } from '../representation/answer.js'
import { mergeLinks } from '../representation/header-fields.js'
import { followRoutes, mountTemplate } from '../telemetry/express-route.js'
import { nameRoute, tracedRequest } from '../telemetry/http-route.js'
import { header } from '../wire.js'
import { type BaseAddressOptions, baseAddress, baseAddressKinds } from './base-address.js'
import type { ExpressRequest, Middleware, NextFunction } from './middleware.js'

/** The life of a version, as a team declares it. */
export interface LifecycleOptions {
  /** When the version became deprecated: sent as `Deprecation` (RFC 9745). A date, or what `new Date` takes. */
  readonly deprecated?: Date | string
  /** When it is to end: sent as `Sunset` (RFC 8594). */
  readonly sunset?: Date | string
  /** Answer 410 from the sunset on (VER-2). Default false. */
  readonly retireAtSunset?: boolean
  /** The version to go to: sent as `Link` with `rel="successor-version"` (RFC 5829). */
  readonly successor?: string
}

const date: Kind = {
  by: 'a Date, or a text such as "2027-01-31"',
  is: (value) => util.types.isDate(value) || ['string', 'number'].includes(typeof value),
}

export const lifecycleKinds: Kinds<LifecycleOptions> = {
  deprecated: date,
  sunset: date,
  retireAtSunset: 'boolean',
  successor: 'string',
}

/** The life of a version, resolved. Times are milliseconds since 1970. */
export interface Lifecycle {
  readonly deprecated: number | undefined
  readonly sunset: number | undefined
  readonly retireAtSunset: boolean
  readonly successor: string | undefined
  /** `Deprecation` and `Sunset`, as far as they apply. */
  readonly headers: Readonly<Record<string, string>>
}

const version = 'v(?:0|[1-9][0-9]*)'
const versionPattern = new RegExp(`^${version}$`)
const segmentPattern = new RegExp(`/${version}(?=/|$)`)

/** True where a path segment has the form of a version. */
export const isVersion = (segment: string): boolean => versionPattern.test(segment)

/** The part of a path from its first version on; empty where it names none. */
export function fromVersion(path: string): string {
  const at = path.search(segmentPattern)
  return at === -1 ? '' : path.slice(at)
}

/** The version that a path begins with, and the path below it; `undefined` where its first segment has not the form of one. */
export function splitVersion(path: string): { readonly name: string; readonly rest: string } | undefined {
  const end = path.indexOf('/', 1)
  const name = path.slice(1, end === -1 ? undefined : end)
  return isVersion(name) ? { name, rest: end === -1 ? '' : path.slice(end) } : undefined
}

/**
 * Throws `ConfigurationError` where a name is no version, a date none that a header can hold, a version ends before it is deprecated (RFC 9745 4), or its successor
 * is not among `names`.
 */
export function resolveLifecycle(name: string, options: LifecycleOptions, names: readonly string[]): Lifecycle {
  checkVersionName(name)
  const { successor, retireAtSunset = false } = options
  if (successor !== undefined && (successor === name || !names.includes(successor))) {
    const others = names.filter((other) => other !== name)
    throw new ConfigurationError(
      'version-malformed',
      `The successor of ${name} is "${successor}", which is no other version here. ${others.length === 0 ? 'Leave it out' : `Name one of ${others.join(', ')}`}.`,
    )
  }
  const deprecated = time(`deprecated of ${name}`, options.deprecated)
  const sunset = time(`sunset of ${name}`, options.sunset)
  if (deprecated !== undefined && sunset !== undefined && sunset < deprecated)
    throw invalidOption(`The sunset of ${name} is before its deprecation. Give a later date (RFC 9745 4).`)
  if (retireAtSunset && sunset === undefined) throw invalidOption(`${name} is to retire at its sunset, and has none. Give it a sunset.`)
  const headers = {
    ...(deprecated === undefined ? {} : { [header.deprecation]: structuredDate(deprecated) }),
    ...(sunset === undefined ? {} : { [header.sunset]: httpDate(sunset) }),
  }
  return Object.freeze({ deprecated, sunset, retireAtSunset, successor, headers })
}

function time(field: string, given: Date | string | undefined): number | undefined {
  if (given === undefined) return undefined
  const value = new Date(given).getTime()
  try {
    httpDate(value)
    return value
  } catch {
    throw invalidOption(`${field} is "${String(given)}", which is no date. Give a Date or "2027-01-31".`)
  }
}

/** Throws `ConfigurationError` where a name is no version (VER-1). */
export function checkVersionName(name: string): void {
  if (!isVersion(name))
    throw new ConfigurationError('version-malformed', `"${name}" is no version. A version is "v" and a whole number, such as v1.`)
}

export const isRetired = ({ retireAtSunset, sunset }: Lifecycle, now: number): boolean =>
  retireAtSunset && sunset !== undefined && now >= sunset

/** What a version says of its own end (VER-3). `successor` is the absolute address to go to. */
export function noticeHeaders({ headers }: Lifecycle, successor: string | undefined): Record<string, string> {
  return successor === undefined ? { ...headers } : { ...headers, [header.link]: formatLink(successor, 'successor-version') }
}

/** Sets the notices of a version on an answer that others write. The links that they have set before stay. */
export function setNotices(res: ServerResponse, notices: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(notices)) {
    res.setHeader(name, name === header.link ? mergeLinks(res.getHeader(name), value) : value)
  }
}

/** The refusal of a version that never was (VER-1). */
export function unknownVersion(name: string, living: readonly string[]): HttpProblem {
  const known = living.length === 0 ? 'No version is living.' : `Living versions: ${living.join(', ')}.`
  return new HttpProblem('unknown-version', { detail: `There is no version "${name.slice(0, 20)}". ${known}` })
}

/** A handler for the rest of the path: an Express router or app, or anything of their shape. */
export type VersionHandler = (req: never, res: never, next: NextFunction) => unknown

/** What serves a version: `'retired'`, a handler, or a handler with its life. */
export type VersionEntry = 'retired' | VersionHandler | (LifecycleOptions & { readonly handler: VersionHandler })

/** Where the link to a successor begins. */
export interface VersionsOptions extends BaseAddressOptions {}

export const versionsKinds: Kinds<VersionsOptions> = baseAddressKinds

interface Served {
  readonly handler: Middleware
  readonly life: Lifecycle
}

/**
 * Serves several versions side by side, each by a router of its own, which sees the path below its version as in an Express mount (VER-1..3). Unknown versions are
 * 404, retired ones 410 with an empty body whatever the method; what is no version at all goes to `next()`. The version is compared as it was sent, as Express
 * compares a mount path: what guards `/v1` also guards this. Errors are passed on: put `problems()` behind. Throws `ConfigurationError` where a name is no version, or its entry
 * makes no sense.
 *
 * @example app.use(versions({ v8: current, v1: { handler: old, deprecated: '2026-01-01', sunset: '2027-06-30', successor: 'v8' }, v0: 'retired' }))
 */
export function versions(table: Readonly<Record<string, VersionEntry>>, options: VersionsOptions = {}): Middleware {
  checkOptions('versions()', options, versionsKinds)
  const entries = resolveTable(table)
  const baseOf = baseAddress(options)
  return function versionsMiddleware(req, res, next) {
    const request = req as ExpressRequest
    const { url = '/', baseUrl = '' } = request
    const { path } = splitTarget(url)
    const found = splitVersion(path)
    if (found === undefined) return next()
    const { name: segment, rest } = found
    const now = Date.now()
    const served = entries.get(segment)
    if (served === undefined) {
      const living = [...entries].filter(([, entry]) => entry !== 'retired' && !isRetired(entry.life, now)).map(([name]) => name)
      return next(unknownVersion(segment, living))
    }
    if (served === 'retired' || isRetired(served.life, now)) {
      return send(res, { status: 410, headers: { [header.cacheControl]: 'no-store' } }, false)
    }
    const { successor } = served.life
    // Where the Host is malformed a path must do: a notice is no reason to refuse.
    const address = successor === undefined ? undefined : `${baseOf(req) ?? ''}${baseUrl}/${successor}${rest}`
    setNotices(res, noticeHeaders(served.life, address))
    const prototypes = [Object.getPrototypeOf(req), Object.getPrototypeOf(res)]
    const leave: NextFunction = (error) => {
      below(request, baseUrl, url)
      // An app as handler has made the request its own (req.app).
      Object.setPrototypeOf(req, prototypes[0])
      Object.setPrototypeOf(res, prototypes[1])
      next(error)
    }
    const mountPath = `${baseUrl}/${segment}`
    below(request, mountPath, withoutSegment(url, segment))
    nameOwnRoutes(request, res, mountPath)
    try {
      // An async handler reports by its promise, which no Express knows of.
      Promise.resolve(served.handler(req, res, leave) as unknown).catch(leave)
    } catch (error) {
      leave(error)
    }
  }
}

const handlerKind = functionBy('an Express router')

/** A version that is an object is looked at by `versionEntryKinds`. */
const entryKind: Kind = [{ oneOf: ['retired'] }, handlerKind, { by: '{ handler: router, sunset }', is: isObject }]

export const versionEntryKinds: Kinds<LifecycleOptions & { handler: VersionHandler }> = {
  handler: { required: handlerKind },
  ...lifecycleKinds,
}

function resolveTable(table: Readonly<Record<string, VersionEntry>>): ReadonlyMap<string, Served | 'retired'> {
  checkArgument('the table of versions()', table, 'table')
  const names = Object.keys(table)
  if (names.length === 0) throw new ConfigurationError('version-malformed', 'versions() has no version. Give one such as { v1: router }.')
  const living = names.filter((name) => table[name] !== 'retired')
  return new Map(
    Object.entries(table).map(([name, entry]): [string, Served | 'retired'] => {
      checkVersionName(name)
      checkArgument(`the version ${name}`, entry, entryKind)
      if (entry === 'retired') return [name, entry]
      const given = typeof entry === 'function' ? { handler: entry } : entry
      const { handler, ...life } = checkOptions<LifecycleOptions & { handler: VersionHandler }>(
        `the version ${name}`,
        given,
        versionEntryKinds,
      )
      return [name, { handler: handler as unknown as Middleware, life: resolveLifecycle(name, life, living) }]
    }),
  )
}

/** The target below its first segment; the rest of it stays as it was sent (an absolute-form keeps its origin). */
function withoutSegment(url: string, segment: string): string {
  const start = url.indexOf(`/${segment}`, url.startsWith('/') ? 0 : url.indexOf('://') + 3)
  const rest = url.slice(start + 1 + segment.length)
  return `${url.slice(0, start)}${rest.startsWith('/') ? '' : '/'}${rest}`
}

/** Gives the routes of a version to the tracer of this request, where there is one: Express's instrumentation knows no version. */
function nameOwnRoutes(req: ExpressRequest, res: ServerResponse, mountPath: string): void {
  const traced = tracedRequest()
  if (traced === undefined) return
  const mounted = mountTemplate(req)
  followRoutes(req, mountPath, (template) => nameRoute(traced, res, `${mounted}${template}`))
}

/** Puts a request below a path, as Express does when it mounts a router. */
export function below(req: ExpressRequest, baseUrl: string, url: string): void {
  req.originalUrl ??= req.url ?? '/'
  req.baseUrl = baseUrl
  req.url = url
}
