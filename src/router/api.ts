/**
 * Implements `api()`, which builds a whole API from one table of versions. Every request to the API
 * passes through a fixed sequence of steps.
 */

import type { CacheCount } from '../cache.js'
import { type ParameterOptions, parameterKinds, resolveParameters } from '../conventions/parameters.js'
import { isContainer, isList } from '../definition/json.js'
import { pageKinds, resolvePage } from '../definition/resolve-resource.js'
import type { PageOptions } from '../definition/resource.js'
import { splitTarget } from '../http/targets.js'
import { type LifecycleOptions, lifecycleKinds, resolveLifecycle } from '../middleware/lifecycle.js'
import type { Login } from '../middleware/login.js'
import type { ExpressRequest, Middleware } from '../middleware/middleware.js'
import { resolveSecureHeaders, type SecureHeadersOptions, secureHeadersKinds } from '../middleware/secure-headers.js'
import { passUnversioned } from '../middleware/unversioned.js'
import { checkVersionName, splitVersion } from '../middleware/version-names.js'
import type { VersionHandler } from '../middleware/versions.js'
import { didYouMean, nearMiss } from '../near-miss.js'
import { checkArgument, checkOptions, invalidOption } from '../options/check.js'
import { type Kind, type Kinds, withMethod } from '../options/kinds.js'
import { describing, type ServiceDescription } from '../plan/description.js'
import { type Endpoint, isEndpoint } from '../plan/endpoint.js'
import { isMount, type Mount } from '../plan/mount.js'
import { offeredWrites } from '../plan/offered-writes.js'
import { type PathLives, pathLivesKind } from '../plan/path-lives.js'
import type { JobRecords } from '../plan/records.js'
import { openPaths, servedDocuments } from '../plan/served-document.js'
import { ConfigurationError, isConfigurationError } from '../problem.js'
import { checkRoutesOfConventions, tableSettings } from './adoption.js'
import { begin } from './begin.js'
import { type DescribeOptions, Documents } from './documents.js'
import { Exchange } from './exchange.js'
import { jobRecords } from './records/open.js'
import { routeTable, withPaths } from './route-table.js'
import { livingNames, type ServedVersion } from './served-version.js'
import { resolveService, type Service, type ServiceOptions, serviceKinds } from './service.js'
import type { Entrance } from './stages.js'
import { loginSteps, steps } from './walk.js'

/**
 * A version with options for its life cycle, its hand-written routes or its settings (VER-1,
 * VER-3).
 */
export interface VersionOptions extends LifecycleOptions {
  readonly resources: readonly (Mount | Endpoint)[]
  /**
   * An Express router with hand-written routes, in addition to the resources. The router matches
   * the part of the path after the version. If none of its routes responds, the response is a 404.
   * Requests to these routes are authenticated, and counted by `rateLimit` and `usage`.
   * `permission` does not apply to them, so guard them with
   * `methodRules({ permission, resource })`.
   */
  readonly routes?: VersionHandler
  /**
   * Life cycle options for hand-written routes, and for paths that the service no longer serves:
   * `{ '/notas/{id}/adjuntos': { retired: true } }`. For a mounted resource or an endpoint, give
   * the same options to `mount()` or `endpoint()` instead (VER-2, VER-3).
   */
  readonly paths?: PathLives
  /**
   * Pagination settings of this version, such as `{ first: 0 }`. They override the service's option
   * `page`. A resource's own settings override both (QUERY-4, QUERY-5).
   */
  readonly page?: PageOptions
  /**
   * The parameter aliases and the ignored parameters of this version. This option replaces the
   * service's option `parameters`. With `{}`, the version has no aliases and ignores no parameters.
   */
  readonly parameters?: ParameterOptions
}

/** The options of `api()`: the versions of the API, and the options of the service. */
export interface ApiOptions<P = unknown> extends ServiceOptions<P> {
  /**
   * Responds to `GET {base_url}/login` (AUTH-2): `login({ find, token })`. Default: requests for
   * that path go to `next()`.
   */
  readonly login?: Login | undefined
  /**
   * Serves an OpenAPI document of each version at `/{version}/openapi`. `Accept` decides between
   * JSON and YAML. The document is also at `openapi.json` and `openapi.yaml`, for tools that
   * require a file extension. With `pages`, the service also serves HTML docs at `/{version}/docs`.
   * Callers must authenticate to get the documents, unless `public` is true. Default: no documents.
   */
  readonly describe?: true | DescribeOptions
  /**
   * Security headers on every response, as `secureHeaders()` sets them. Set this option to `false`
   * if another middleware sets them. Default: on.
   */
  readonly secureHeaders?: SecureHeadersOptions | false
  /**
   * The versions of the API, by path segment, such as `v1`. The value is a list of the version's
   * resources and endpoints, or an object with that list and further options. For a version that is
   * no longer served, the value is `'retired'` (410).
   */
  readonly versions: Readonly<Record<string, 'retired' | readonly (Mount | Endpoint)[] | VersionOptions>>
}

/** The middleware that `api()` returns, for `app.use`. */
export interface Api extends Middleware {
  /**
   * Checks that every adapter's store is ready, builds the OpenAPI documents, briefly waits for the
   * store of the rate limit, and starts `usage`. Call `ready()` before `listen`. If stores do not
   * match their resources, `ready()` rejects with one `ConfigurationError` that says how to fix
   * each store. If a store can't be reached, `ready()` rejects with the adapter's error.
   */
  ready(): Promise<void>
  /**
   * Gives a job, which runs outside of any request, access to the records of a resource. Writes run
   * the same checks as requests. Throws `ConfigurationError` if the resource is not mounted in the
   * version that the job uses, or if the option `principal` is missing.
   *
   * @example
   * const records = service.records(orders, { principal: 'nightly' })
   * const made = await records.patch(7, { state: 'expired' })
   */
  readonly records: JobRecords
  /** Sizes and hit counts of this service's caches (docs/performance.md, "Caches"). */
  caches(): readonly CacheCount[]
}

/**
 * The kind of value that each option in `ApiOptions` accepts. For `versions`, any table is accepted
 * here. `versionOptions` checks each version in the table, so that the messages can name the
 * version.
 */
export const apiKinds: Kinds<ApiOptions> = {
  ...serviceKinds,
  versions: { required: 'table' },
  login: withMethod('the result of login(), such as login({ find, token })', 'answer'),
  // `describeKinds` checks the members.
  describe: [{ oneOf: [true] }, 'table'],
  secureHeaders: [{ oneOf: [false] }, { options: secureHeadersKinds }],
}

/**
 * Creates a middleware that responds to every request whose first path segment has the form of a
 * version, such as `v1`. If the option `login` is given, it also responds to `/login`. All other
 * requests go to `next()`. Throws `ConfigurationError` for an invalid option, version or mount.
 *
 * @example
 * const v1 = { resources: [mount(old, view)], deprecated: '2026-01-01', successor: 'v8' }
 * app.use(api({ versions: { v8: [mount(sucursales, adapter)], v1, v0: 'retired' } }))
 */
export function api<P = unknown>(options: ApiOptions<P>): Api {
  return apiDescribedAs(options, undefined)
}

/**
 * Like `api`, but the documents of the service describe another service. For example, the documents
 * of a mock describe the service that the mock replaces.
 */
export function apiDescribedAs<P = unknown>(options: ApiOptions<P>, described: ServiceDescription | undefined): Api {
  checkOptions('api()', options, apiKinds)
  const { versions: table, login, describe, secureHeaders = {}, ...rest } = options
  const names = Object.keys(table)
  const living = names.filter((name) => table[name] !== 'retired')
  if (names.length === 0) throw invalidOption('api() has no versions. Give at least one: { versions: { v1: [...] } }.')
  const service = resolveService(rest as unknown as ServiceOptions, {
    login,
    secureHeaders: secureHeaders === false ? undefined : resolveSecureHeaders(secureHeaders),
  })
  const versions = new Map<string, ServedVersion | 'retired'>()
  const description = described ?? { versions, facts: service.facts, options }
  const documents =
    describe === undefined ? undefined : new Documents(description, describe === true ? {} : describe, service)
  service.documents.current = documents
  const addresses = documents === undefined ? [] : servedDocuments(documents.public, documents.pages)
  for (const [name, entry] of Object.entries(table)) {
    checkVersionName(name)
    if (entry === 'retired') {
      versions.set(name, entry)
      continue
    }
    const { resources, routes, paths, page, parameters, ...life } = versionOptions(name, entry)
    const what = `the version ${name}`
    const own = {
      page: resolvePage(what, { ...service.page, ...page }),
      parameters: resolveParameters(what, parameters) ?? service.parameters,
    }
    versions.set(name, {
      name,
      table: withPaths(
        name,
        routeTable([...resources, ...addresses], [], tableSettings(service, name, own)),
        paths,
        routes !== undefined,
      ),
      life: resolveLifecycle(name, life, living),
      // According to its type, an Express router accepts only Express requests. In an Express app,
      // every request is an Express request, so the cast is safe.
      routes: routes as Middleware | undefined,
      open: openPaths(addresses),
    })
  }
  const served = [...versions.values()].filter((version) => version !== 'retired')
  checkBudgets(service, served)
  if (served.every(({ routes }) => routes === undefined)) checkRoutesOfConventions(service, served)
  const apiMiddleware: Middleware = (req, res, next) => {
    const { path, query } = splitTarget(req.url ?? '/')
    const found = splitVersion(path)
    const mountPath = (req as ExpressRequest).baseUrl ?? ''
    if (found === undefined && (login === undefined || !isLogin(path))) {
      passUnversioned(req, () => livingNames(versions).map((name) => `${mountPath}/${name}`))
      return next()
    }
    const entrance: Entrance = {
      match: undefined,
      path: found?.rest ?? path,
      rawQuery: query,
      mountPath,
      mountPathFromVersion: '',
      template: found === undefined ? '/login' : undefined,
      soleVersion: undefined,
      versions: found === undefined ? undefined : versions,
      versionName: found?.name ?? '',
    }
    begin(new Exchange(req, res, service, entrance), found === undefined ? loginSteps : steps)
  }
  return Object.assign(describing(apiMiddleware, description), {
    records: jobRecords(service, versions),
    caches: () => service.caches.counts(),
    async ready(): Promise<void> {
      const offered = offeredWrites(served.flatMap(({ table }) => table.resources))
      const faults: ConfigurationError[] = []
      for (const [adapter, methods] of offered) {
        try {
          await adapter.ready?.(methods)
        } catch (error) {
          // If a store can't be reached, checking the other stores would only delay the error.
          if (!isConfigurationError(error)) throw error
          faults.push(error)
        }
      }
      throwAll(faults)
      await documents?.ready()
      await service.rateLimit?.ready?.()
      service.usage?.start()
    },
  })
}

/**
 * Throws one error for all stores that do not match their resources, so that all of them can be
 * fixed at once.
 */
function throwAll(faults: readonly ConfigurationError[]): void {
  const [first] = faults
  if (first === undefined) return
  if (faults.length === 1) throw first
  const list = faults.map(({ message }) => `- ${message}`).join('\n')
  throw new ConfigurationError(first.code, `${faults.length} stores do not match their resources:\n${list}\n`)
}

/**
 * Throws `ConfigurationError` if the rate limit has a budget for a route that no version serves,
 * because that budget would never count a request. If a version has hand-written routes, the check
 * is skipped, because such routes may serve any path.
 */
function checkBudgets({ rateLimit }: Service, served: readonly ServedVersion[]): void {
  if (served.length === 0 || served.some(({ routes }) => routes !== undefined)) return
  const templates = served.flatMap(({ table }) => table.routes.map(({ template }) => template.slice(1).split('/')))
  const stray = rateLimit?.routes.find((route) => !templates.some((template) => beginsWith(template, route.split('/'))))
  if (stray === undefined) return
  const paths = served.flatMap(({ table }) =>
    table.resources.filter(({ parent }) => parent === undefined).map(({ path }) => path.slice(1)),
  )
  throw invalidOption(
    `rateLimit() of api() has a budget for "${stray}", which no version serves. ` +
      `${didYouMean(nearMiss(stray, paths), [...new Set(paths)])}`,
  )
}

/**
 * Whether a path that matches the template can begin with these segments. Ignores case. No path
 * begins with a placeholder such as `{id}`, so a budget for it would never count a request.
 */
const beginsWith = (template: readonly string[], segments: readonly string[]): boolean =>
  segments.every((segment, at) => {
    const expected = template[at]
    return expected?.startsWith('{') ? !segment.startsWith('{') : expected?.toLowerCase() === segment.toLowerCase()
  })

const isLogin = (path: string): boolean => path === '/login' || path === '/login/'

/** Checks an entry of the table of versions at run time, for callers that do not use TypeScript. */
function versionOptions(name: string, entry: VersionOptions | readonly (Mount | Endpoint)[]): VersionOptions {
  checkArgument(`the version ${name}`, entry, entryKind)
  const options = isList(entry) ? { resources: entry } : entry
  return checkOptions<VersionOptions>(`the version ${name}`, options, versionKinds)
}

/** Accepts any list or object. `versionOptions` then checks the members with `versionKinds`. */
const entryKind: Kind = {
  by: "'retired', a list such as [mount(definition, adapter)], or { resources, sunset }",
  is: isContainer,
}

export const versionKinds: Kinds<VersionOptions> = {
  resources: {
    required: {
      each: {
        by: 'the result of mount() or endpoint(): mount(definition, adapter)',
        is: (value) => isMount(value) || isEndpoint(value),
      },
      a: 'a list of results of mount() and endpoint(): [mount(definition, adapter)]',
    },
  },
  routes: 'function',
  paths: pathLivesKind,
  page: { options: pageKinds },
  parameters: { options: parameterKinds },
  ...lifecycleKinds,
}
