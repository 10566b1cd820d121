/** Counts requests by version, route template and client, when their response has been written. */
import { countedRoute } from '../conventions/finding.js'
import { fromVersion, splitVersion } from '../middleware/version-names.js'
import { mountTemplate } from '../telemetry/express-route.js'
import { callItself, noteCounted } from '../usage/counted.js'
import type { Usage } from '../usage/usage.js'
import type { Exchange } from './exchange.js'

export function countCall(exchange: Exchange, usage: Usage): void {
  const { req, method, principal } = exchange
  const place = placeOf(exchange)
  const client = usage.clientOf(principal, req)
  usage.countCall({ ...place, method, client })
  noteCounted(req, usage, callItself)
  const route = countedRoute(knownPlaceOf(exchange))
  // This client will fail when the deprecated part is removed, so the use of that part is counted
  // too.
  for (const { kind, name } of exchange.progress.deprecatedUses)
    usage.countBreak({ clause: 'VER-3', method, route, detail: `${kind} ${name}`, client })
}

/**
 * All versions that do not exist are counted under this name. Clients can invent any number of
 * version names.
 */
const unknownVersion = '(unknown)'

/**
 * The version and route under which a request is counted. For a `resourceRouter`, the version is
 * taken from the path that the router is mounted at.
 */
function placeOf({ req, entrance, routeName }: Exchange): {
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
 * The version and route under which the findings of a request are counted. `version` is `undefined`
 * if the version is unknown.
 */
export function knownPlaceOf(exchange: Exchange): {
  readonly version: string | undefined
  readonly route: string | undefined
} {
  const { version, route } = placeOf(exchange)
  return { version: version === '' || version === unknownVersion ? undefined : version, route }
}
