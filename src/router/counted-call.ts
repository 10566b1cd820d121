/** How an answered request is counted: by version, template and client. */
import { countedRoute } from '../conventions/finding.js'
import { fromVersion, splitVersion } from '../middleware/version-names.js'
import { mountTemplate } from '../telemetry/express-route.js'
import { noteCounted, theCall } from '../usage/counted.js'
import type { Usage } from '../usage/usage.js'
import type { Exchange } from './exchange.js'

export function countCall(exchange: Exchange, usage: Usage): void {
  const { req, method, principal } = exchange
  const place = placeOf(exchange)
  const client = usage.clientOf(principal, req)
  usage.countCall({ ...place, method, client })
  noteCounted(req, usage, theCall)
  const route = countedRoute(knownPlaceOf(exchange))
  // These clients break when the deprecated part ends.
  for (const { kind, name } of exchange.progress.deprecatedUses)
    usage.countBreak({ clause: 'VER-3', method, route, detail: `${kind} ${name}`, client })
}

/** Stands for versions that never existed: their names come from the client. */
const unknownVersion = '(unknown)'

/** Where a request is counted. A router of one resource is told its version by where it is mounted. */
function placeOf({ req, entrance, routeName }: Exchange): { readonly version: string; readonly route: string | undefined } {
  const { versions, versionName, soleVersion } = entrance
  const { belowVersion } = routeName
  if (soleVersion === undefined) {
    const isKnown = versions === undefined || versions.has(versionName)
    return { version: isKnown ? versionName : unknownVersion, route: belowVersion }
  }
  const mount = splitVersion(fromVersion(mountTemplate(req)))
  return { version: mount?.name ?? '', route: belowVersion === undefined ? undefined : `${mount?.rest ?? ''}${belowVersion}` }
}

/** Where findings of a request are counted. `version`: `undefined` if it is unknown. */
export function knownPlaceOf(exchange: Exchange): { readonly version: string | undefined; readonly route: string | undefined } {
  const { version, route } = placeOf(exchange)
  return { version: version === '' || version === unknownVersion ? undefined : version, route }
}
