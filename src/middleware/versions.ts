/** Serves versions side by side, including deprecated and retired versions (VER-1..3). */

import type { ServerResponse } from 'node:http'
import { isObject } from '../definition/json.js'
import { splitTarget } from '../http/targets.js'
import { checkArgument, checkOptions } from '../options/check.js'
import { functionBy, type Kind, type Kinds } from '../options/kinds.js'
import { earliest, lifeFields } from '../plan/life.js'
import { namesIn, PartLives, useAddress } from '../plan/part-lives.js'
import { type PathLives, partsOfPaths, pathLivesKind } from '../plan/path-lives.js'
import { ConfigurationError, HttpProblem } from '../problem.js'
import { send } from '../representation/answer.js'
import { followRoutes, mountTemplate } from '../telemetry/express-route.js'
import { nameRoute, tracedRequest } from '../telemetry/http-route.js'
import { header } from '../wire.js'
import { principals } from './authenticate.js'
import { type BaseAddressOptions, baseAddress, baseAddressKinds } from './base-address.js'
import { type Brownout, brownoutFields, isExempt } from './brownouts.js'
import {
  isRetired,
  type Lifecycle,
  type LifecycleOptions,
  lifecycleKinds,
  noticeHeaders,
  resolveLifecycle,
  setNotices,
} from './lifecycle.js'
import type { ExpressRequest, Middleware, NextFunction } from './middleware.js'
import { passUnversioned } from './unversioned.js'
import { checkVersionName, splitVersion } from './version-names.js'

/** The 404 for an unknown version (VER-1). */
export function unknownVersion(name: string, living: readonly string[]): HttpProblem {
  const known = living.length === 0 ? 'There are no current versions.' : `Current versions: ${living.join(', ')}.`
  return new HttpProblem('unknown-version', { detail: `There is no version "${name.slice(0, 20)}". ${known}` })
}

/**
 * A handler for the path below a version: an Express router, an Express app, or any function with
 * the same parameters.
 */
export type VersionHandler = (req: never, res: never, next: NextFunction) => unknown

/** A version: `'retired'`, a handler, or a handler together with the life cycle of the version. */
export type VersionEntry = 'retired' | VersionHandler | HandlerEntry

/** A handler, with the life cycle of its version and of parts of the version. */
export interface HandlerEntry extends LifecycleOptions {
  readonly handler: VersionHandler
  /**
   * The retired and deprecated parts of the version, such as
   * `{ '/notas/{id}/adjuntos': { retired: true } }` (VER-2, VER-3).
   */
  readonly paths?: PathLives
}

/** The options of `versions()`: the base URL of links to successors. */
export interface VersionsOptions extends BaseAddressOptions {}

export const versionsKinds: Kinds<VersionsOptions> = baseAddressKinds

interface Served {
  readonly handler: Middleware
  readonly life: Lifecycle
  readonly parts: PartLives | undefined
}

/**
 * Creates a middleware that serves several versions side by side (VER-1..3). Each version has its
 * own router. The router gets the path below its version, as if Express had mounted it there. An
 * unknown version gets 404. A retired version gets 410 with an empty body for every method. If the
 * first segment of a path does not have the form of a version (`v` and an integer), the request
 * goes to `next()`. The version segment is compared without decoding it, as Express compares mount
 * paths. So a percent-encoded spelling of `v1` can't bypass a guard that is mounted on `/v1`.
 * Errors are passed on, so mount `problems()` after this middleware.
 *
 * @throws ConfigurationError `version-malformed` if a name is not a version; `invalid-option` if an
 * entry is invalid
 *
 * @example
 * app.use(
 *   versions({
 *     v8: current,
 *     v1: { handler: old, deprecated: '2026-01-01', sunset: '2027-06-30', successor: 'v8' },
 *     v0: 'retired',
 *   }),
 * )
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
    const now = Date.now()
    const living = (): string[] =>
      [...entries].filter(([, entry]) => entry !== 'retired' && !isRetired(entry.life, now)).map(([name]) => name)
    if (found === undefined) {
      passUnversioned(req, () => living().map((name) => `${baseUrl}/${name}`))
      return next()
    }
    const { name: segment, rest } = found
    const served = entries.get(segment)
    if (served === undefined) return next(unknownVersion(segment, living()))
    const { method = 'GET' } = req
    if (served === 'retired' || isRetired(served.life, now) || served.parts?.isGone(method, rest, now) === true) {
      return send(res, { status: 410, headers: { [header.cacheControl]: 'no-store' } }, false)
    }
    const { brownouts } = served.life
    const isSkipped = (one: Brownout): boolean => isExempt(one, principals.find(req)?.principal)
    const brownout = brownouts?.at(now, isSkipped, (error) =>
      console.error(`The brownouts of ${segment} could not be determined.`, error),
    )
    if (brownout?.status === 410) return send(res, { status: 410, headers: brownoutFields(brownout, now) }, false)
    // If the `Host` is malformed, the link to the successor is a path without a host. An incomplete
    // link is no reason to refuse the request.
    setNotices(res, noticesOf(served, `${baseOf(req) ?? ''}${baseUrl}`, { method, segment, rest }))
    if (brownouts !== undefined && brownout !== undefined) return next(brownouts.problem(brownout, now))
    const prototypes = [Object.getPrototypeOf(req), Object.getPrototypeOf(res)]
    const restoreAndNext: NextFunction = (error) => {
      mountBelow(request, baseUrl, url)
      // If the handler is an Express app, it has replaced the prototypes of `req` and `res`, and
      // with them `req.app`. The prototypes are restored here.
      Object.setPrototypeOf(req, prototypes[0])
      Object.setPrototypeOf(res, prototypes[1])
      next(error)
    }
    const mountPath = `${baseUrl}/${segment}`
    mountBelow(request, mountPath, withoutSegment(url, segment))
    nameOwnRoutes(request, res, mountPath)
    try {
      // Errors of an async handler are rejections, which Express 4 does not handle.
      Promise.resolve(served.handler(req, res, restoreAndNext) as unknown).catch(restoreAndNext)
    } catch (error) {
      restoreAndNext(error)
    }
  }
}

/**
 * Returns the header fields that announce the deprecation and the end of a version and of the
 * requested part. `base` is the URL before the version segment.
 */
function noticesOf(
  { life, parts }: Served,
  base: string,
  { method, segment, rest }: { readonly method: string; readonly segment: string; readonly rest: string },
): Readonly<Record<string, string>> {
  const successor = life.successor === undefined ? undefined : `${base}/${life.successor}${rest}`
  const part = parts?.at(method, rest)
  if (part === undefined) return noticeHeaders(life, successor)
  const { deprecated, sunset, use } = part.life
  const headers = lifeFields({
    deprecated: earliest(deprecated, life.deprecated),
    sunset: earliest(sunset, life.sunset),
  })
  return noticeHeaders(
    { headers },
    use === undefined ? successor : useAddress(use, `${base}/${segment}`, namesIn(part.template, rest)),
  )
}

const handlerKind = functionBy('an Express router')

/** If a version is given as an object, `versionEntryKinds` checks its properties. */
const entryKind: Kind = [{ oneOf: ['retired'] }, handlerKind, { by: '{ handler: router, sunset }', is: isObject }]

export const versionEntryKinds: Kinds<HandlerEntry> = {
  handler: { required: handlerKind },
  paths: pathLivesKind,
  ...lifecycleKinds,
}

function resolveTable(table: Readonly<Record<string, VersionEntry>>): ReadonlyMap<string, Served | 'retired'> {
  checkArgument('the table of versions()', table, 'table')
  const names = Object.keys(table)
  if (names.length === 0)
    throw new ConfigurationError('version-malformed', 'versions() has no version. Add one, such as { v1: router }.')
  const living = names.filter((name) => table[name] !== 'retired')
  return new Map(
    Object.entries(table).map(([name, entry]): [string, Served | 'retired'] => {
      checkVersionName(name)
      checkArgument(`the version ${name}`, entry, entryKind)
      if (entry === 'retired') return [name, entry]
      const given = typeof entry === 'function' ? { handler: entry } : entry
      const { handler, paths, ...life } = checkOptions<HandlerEntry>(`the version ${name}`, given, versionEntryKinds)
      const parts = PartLives.of(partsOfPaths(name, paths, true))
      return [name, { handler: handler as unknown as Middleware, life: resolveLifecycle(name, life, living), parts }]
    }),
  )
}

/**
 * Returns the request target without its first segment. The rest is unchanged, except that the path
 * begins with `/` even if it is empty. A target in absolute form keeps its origin.
 */
function withoutSegment(url: string, segment: string): string {
  const start = url.indexOf(`/${segment}`, url.startsWith('/') ? 0 : url.indexOf('://') + 3)
  const rest = url.slice(start + 1 + segment.length)
  return `${url.slice(0, start)}${rest.startsWith('/') ? '' : '/'}${rest}`
}

/**
 * Passes the route templates of a version to the tracer of the request, if there is one. Express's
 * instrumentation has no information about versions.
 */
function nameOwnRoutes(req: ExpressRequest, res: ServerResponse, mountPath: string): void {
  const traced = tracedRequest()
  if (traced === undefined) return
  const mounted = mountTemplate(req)
  followRoutes(req, mountPath, (template) => nameRoute(traced, res, `${mounted}${template}`))
}

/**
 * Sets the mount path and the remaining URL of a request, as Express does when it mounts a router.
 */
export function mountBelow(req: ExpressRequest, baseUrl: string, url: string): void {
  req.originalUrl ??= req.url ?? '/'
  req.baseUrl = baseUrl
  req.url = url
}
