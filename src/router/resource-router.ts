/**
 * One resource as a middleware, at any path of an app: its methods, its sub-collections, and its
 * flags (boolean members that have URLs of their own).
 */

import type { CacheCount } from '../cache.js'
import type { KeyValue } from '../definition/key.js'
import type { ResourceDefinition } from '../definition/resource.js'
import { decodeSegments, splitTarget } from '../http/targets.js'
import type { ExpressRequest, Middleware } from '../middleware/middleware.js'
import { fromVersion } from '../middleware/version-names.js'
import { checkOptions } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import { describing } from '../plan/description.js'
import { isMount, type Mount, type MountOptions, mount, mountKinds } from '../plan/mount.js'
import type { AdapterFor, MountedAdapter } from '../plan/mounted-adapter.js'
import { checkRoutesOfConventions, tableSettings } from './adoption.js'
import { begin } from './begin.js'
import { Exchange } from './exchange.js'
import { routeTable } from './route-table.js'
import type { ServedVersion } from './served-version.js'
import { resolveService, type ServiceOptions, serviceKinds } from './service.js'
import type { Entrance } from './stages.js'
import { steps } from './walk.js'

export interface ResourceRouterOptions<P = unknown, T = unknown, K = KeyValue>
  extends ServiceOptions<P>,
    MountOptions<T, K> {
  /**
   * Related resources: link targets, and sub-collections of this resource. Link targets get no
   * routes here, because their own routers serve them.
   */
  readonly related?: readonly Mount[]
}

/** The middleware that `resourceRouter()` returns, for `app.use`. */
export interface ResourceRouter extends Middleware {
  /** Sizes and hit counts of this router's caches (docs/performance.md, "Caches"). */
  caches(): readonly CacheCount[]
}

export const resourceRouterKinds: Kinds<ResourceRouterOptions> = {
  ...serviceKinds,
  ...mountKinds,
  related: { each: { by: 'the result of mount()', is: isMount } },
}

/**
 * Creates a middleware that serves one resource according to the conventions: its collection, its
 * items, and everything below them. Requests for other paths go to `next()`, so that hand-written
 * routes and other routers can be mounted after it. Throws `ConfigurationError` if an option is
 * invalid, or if the definition, the adapter and the options do not match each other.
 *
 * @example app.use('/v1', resourceRouter(sucursales, memoryAdapter(sucursales)))
 */
export function resourceRouter<T, K, P = unknown, A = MountedAdapter<T, K>>(
  definition: ResourceDefinition<T, K>,
  adapter: AdapterFor<NoInfer<T>, NoInfer<K>, A>,
  options: ResourceRouterOptions<P, NoInfer<T>, NoInfer<K>> = {},
): ResourceRouter {
  checkOptions('resourceRouter()', options, resourceRouterKinds)
  const {
    related = [],
    area,
    collection,
    item,
    exports,
    idempotencyKey,
    endpoints,
    describe,
    retired,
    deprecated,
    ...others
  } = options
  const { operations, below, ...rest } = others
  const own = mount<T, K>(definition, adapter as MountedAdapter<T, K>, {
    ...(area === undefined ? {} : { area }),
    ...(collection === undefined ? {} : { collection }),
    ...(item === undefined ? {} : { item }),
    ...(exports === undefined ? {} : { exports }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(endpoints === undefined ? {} : { endpoints }),
    ...(describe === undefined ? {} : { describe }),
    ...(retired === undefined ? {} : { retired }),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(operations === undefined ? {} : { operations }),
    ...(below === undefined ? {} : { below }),
  })
  const service = resolveService(rest as unknown as ServiceOptions)
  const version: ServedVersion = {
    name: '',
    table: routeTable([own], related, tableSettings(service, '')),
    life: undefined,
    routes: undefined,
    open: undefined,
  }
  checkRoutesOfConventions(service, [version])
  const first = `/${area ?? definition.collection}/`
  const resourceRouterMiddleware: Middleware = (req, res, next) => {
    const { path, query } = splitTarget(req.url ?? '/')
    const segments = decodeSegments(path)
    const match = segments && version.table.match(segments)
    // A path that can't be decoded goes to `next()`, unless it begins with the area or the
    // collection of this router. In that case, the response is a 400. A path below a retired path
    // never goes to `next()`, even if no route matches: the response is a 410.
    const isElsewhere = segments === undefined ? !path.startsWith(first) : match === undefined
    if (isElsewhere && version.table.parts?.isGone(req.method ?? 'GET', path, Date.now()) !== true) return next()
    const mountPath = (req as ExpressRequest).baseUrl ?? ''
    const entrance: Entrance = {
      match,
      path,
      rawQuery: query,
      mountPath,
      mountPathFromVersion: fromVersion(mountPath),
      template: undefined,
      soleVersion: version,
      versions: undefined,
      versionName: '',
    }
    begin(new Exchange(req, res, service, entrance), steps)
  }
  const made = Object.assign(resourceRouterMiddleware, { caches: () => service.caches.counts() })
  const alone = { ...rest, versions: { v1: [own, ...related] } }
  return describing(made, { versions: new Map([['', version]]), facts: service.facts, options: alone })
}
