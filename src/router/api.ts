/** The whole API from one table: versions of resources, composed in the one right order. */

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
import type { ServedVersion } from './served-version.js'
import { resolveService, type Service, type ServiceOptions, serviceKinds } from './service.js'
import type { Entrance } from './stages.js'
import { loginSteps, steps } from './walk.js'

/** A version with its life, or with routes of its own (VER-1, VER-3). */
export interface VersionOptions extends LifecycleOptions {
  readonly resources: readonly (Mount | Endpoint)[]
  /**
   * Hand-written routes beside the resources: an Express router. They see the path below the version; what they do not answer is 404. Their requests are authenticated and
   * counted. The permission is not asked: guard them with `methodRules({ permission, resource })`.
   */
  readonly routes?: VersionHandler
  /**
   * The lives of hand-written routes, and of what has no code any more: `{ '/notas/{id}/adjuntos': { retired: true } }`. What is mounted has
   * the same options itself (VER-2, VER-3).
   */
  readonly paths?: PathLives
  /** The pages of this version, such as `{ first: 0 }`, over `page` of the service (QUERY-4, QUERY-5). What a resource says itself holds. */
  readonly page?: PageOptions
  /** Other names of parameters in this version, in place of `parameters` of the service: `{}` for none. */
  readonly parameters?: ParameterOptions
}

/** A whole API: its versions, and which callers may use them. */
export interface ApiOptions<P = unknown> extends ServiceOptions<P> {
  /** Answers `GET {base_url}/login` (AUTH-2): `login({ find, token })`. Default: that path goes to `next()`. */
  readonly login?: Login | undefined
  /**
   * Serves an OpenAPI document of each version at `/{version}/openapi`, in JSON or YAML by `Accept`, and at `openapi.json` and `openapi.yaml` for tools that go by the
   * name; with `pages` also pages for people at `/{version}/docs`. It stands behind the version's authentication unless it is `public`. Default: none is served.
   */
  readonly describe?: true | DescribeOptions
  /** Headers that keep browsers from taking answers for anything else, as `secureHeaders()` sets them; `false` where another middleware does. Default: on. */
  readonly secureHeaders?: SecureHeadersOptions | false
  /** By version segment: its resources and endpoints, the same with its life, or `'retired'` (410). */
  readonly versions: Readonly<Record<string, 'retired' | readonly (Mount | Endpoint)[] | VersionOptions>>
}

/** What `api()` makes: a middleware for `app.use`. */
export interface Api extends Middleware {
  /**
   * Asks every adapter whether its store is ready, and waits a moment for the store of the rate limit, too. Call it before `listen`. Throws one `ConfigurationError`
   * that says how to fix every store that does not fit, or what an adapter threw because its store could not be asked.
   */
  ready(): Promise<void>
  /**
   * The records of a resource for a job, to be changed with the checks of a request. Throws `ConfigurationError` where the resource is not mounted in that version, or
   * nobody says on whose behalf.
   *
   * @example const made = await service.records(orders, { principal: 'nightly' }).patch(7, { state: 'expired' })
   */
  readonly records: JobRecords
  /** What the caches of this service hold and how often they served (docs/performance.md, "Caches"). */
  caches(): readonly CacheCount[]
}

/** The versions are checked by `versionOptions`, whose messages name the version. */
export const apiKinds: Kinds<ApiOptions> = {
  ...serviceKinds,
  versions: { required: 'table' },
  login: withMethod('what login() made, such as login({ find, token })', 'answer'),
  // What stands inside `describeKinds` looks at.
  describe: [{ oneOf: [true] }, 'table'],
  secureHeaders: [{ oneOf: [false] }, { options: secureHeadersKinds }],
}

/**
 * A middleware that answers every path whose first segment has the form of a version, and `/login` where it has one; everything else goes to `next()`. Throws `ConfigurationError` where an option, a version or
 * what is mounted in it does not fit.
 *
 * @example
 * app.use(api({ versions: { v8: [mount(sucursales, adapter)], v1: { resources: [mount(old, view)], deprecated: '2026-01-01', successor: 'v8' }, v0: 'retired' } }))
 */
export function api<P = unknown>(options: ApiOptions<P>): Api {
  return apiDescribedAs(options, undefined)
}

/** The same where another service is what documents describe: the one that this stands for. */
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
  const documents = describe === undefined ? undefined : new Documents(description, describe === true ? {} : describe, service)
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
      table: withPaths(name, routeTable([...resources, ...addresses], [], tableSettings(service, name, own)), paths, routes !== undefined),
      life: resolveLifecycle(name, life, living),
      // An Express router takes Express requests. Below an Express app every request is one.
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
    if (found === undefined && (login === undefined || !isLogin(path))) return next()
    const entrance: Entrance = {
      match: undefined,
      path: found?.rest ?? path,
      rawQuery: query,
      mountPath,
      mountTail: '',
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
          // Where a store does not answer, the others would only make the caller wait.
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

/** One error for all stores that do not fit, so that they can be fixed in one go. */
function throwAll(faults: readonly ConfigurationError[]): void {
  const [first] = faults
  if (first === undefined) return
  if (faults.length === 1) throw first
  const list = faults.map(({ message }) => `- ${message}`).join('\n')
  throw new ConfigurationError(first.code, `${faults.length} stores do not fit their resources:\n${list}\n`)
}

/** Throws for a budget whose route no version serves: it would count nothing. Hand-written routes may serve any path, so with them nothing is checked. */
function checkBudgets({ rateLimit }: Service, served: readonly ServedVersion[]): void {
  if (served.length === 0 || served.some(({ routes }) => routes !== undefined)) return
  const stray = rateLimit?.routes.find((route) => served.every(({ table }) => table.match(route.split('/')) === undefined))
  if (stray === undefined) return
  const paths = served.flatMap(({ table }) => table.resources.filter(({ parent }) => parent === undefined).map(({ path }) => path.slice(1)))
  throw invalidOption(
    `rateLimit() of api() has a budget for "${stray}", which no version serves. ${didYouMean(nearMiss(stray, paths), [...new Set(paths)])}`,
  )
}

const isLogin = (path: string): boolean => path === '/login' || path === '/login/'

/** An entry of the table of versions, checked for JavaScript callers. */
function versionOptions(name: string, entry: VersionOptions | readonly (Mount | Endpoint)[]): VersionOptions {
  checkArgument(`the version ${name}`, entry, entryKind)
  const options = isList(entry) ? { resources: entry } : entry
  return checkOptions<VersionOptions>(`the version ${name}`, options, versionKinds)
}

/** `versionKinds` checks the members. */
const entryKind: Kind = {
  by: "'retired', a list such as [mount(definition, adapter)], or { resources, sunset }",
  is: isContainer,
}

export const versionKinds: Kinds<VersionOptions> = {
  resources: {
    required: {
      each: { by: 'what mount() or endpoint() made: mount(definition, adapter)', is: (value) => isMount(value) || isEndpoint(value) },
      a: 'a list of what mount() and endpoint() made: [mount(definition, adapter)]',
    },
  },
  routes: 'function',
  paths: pathLivesKind,
  page: { options: pageKinds },
  parameters: { options: parameterKinds },
  ...lifecycleKinds,
}
