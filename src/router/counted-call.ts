/**
 * Counts each request by version, route template, method and client, once its response has been
 * written.
 */
import { routeWithVersion } from '../conventions/finding.js'
import { fromVersion, splitVersion } from '../middleware/version-names.js'
import { mountTemplate } from '../telemetry/express-route.js'
import { callItself, noteCounted } from '../usage/counted.js'
import type { Usage } from '../usage/usage.js'
import type { Exchange } from './exchange.js'

export function countCall(exchange: Exchange, usage: Usage): void {
  const { req, method, principal } = exchange
  const place = versionAndRoute(exchange)
  const client = usage.clientOf(principal, req)
  usage.countCall({ ...place, method, client })
  noteCounted(req, usage, callItself)
  const route = routeWithVersion(knownVersionAndRoute(exchange))
  // When a deprecated operation, parameter or member is removed, clients that still use it will
  // fail. So each use of a deprecated operation, parameter or member is counted too.
  for (const { kind, name } of exchange.progress.deprecatedUses)
    usage.countBreak({ clause: 'VER-3', method, route, detail: `${kind} ${name}`, client })
}

/**
 * Requests for versions that do not exist are counted under this name. Otherwise a client could
 * create any number of counts by inventing version names.
 */
const unknownVersion = '(unknown)'

/**
 * The version and route under which a request is counted. For a `resourceRouter`, the version is
 * taken from the path that the router is mounted at.
 */
function versionAndRoute({ req, entrance, routeName }: Exchange): {
  readonly version: string
  readonly route: string | undefined
} {
  const { versions, versionName, soleVersion } = entrance
  const { belowVersion } = routeName
  if (soleVersion === undefined) {
    const isKnown = versions === undefined || versions.has(versionName)
    return { version: isKnown ? versionName : unknownVersion, route: belowVersion }
  }
  const mount = splitVersion(fromVersion(mountTemplate(req)))
  return {
    version: mount?.name ?? '',
    route: belowVersion === undefined ? undefined : `${mount?.rest ?? ''}${belowVersion}`,
  }
}

/**
 * The version and route under which two things are counted: findings, and uses of deprecated
 * operations, parameters and members. `version` is `undefined` if the version is unknown.
 */
export function knownVersionAndRoute(exchange: Exchange): {
  readonly version: string | undefined
  readonly route: string | undefined
} {
  const { version, route } = versionAndRoute(exchange)
  return { version: version === '' || version === unknownVersion ? undefined : version, route }
}
