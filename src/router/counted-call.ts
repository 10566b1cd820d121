/** How an answered request is counted: by version, template and client. */
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
  // Who uses what is deprecated breaks when it goes.
  for (const { kind, name } of exchange.progress.deprecatedUses)
    usage.countBreak({ clause: 'VER-3', method, route: place.route, detail: `${kind} ${name}`, client })
}

/** Stands for versions that there never were: their names are the client's to choose. */
export const unknownVersion = '(unknown)'

/** Where a request is counted. A router of one resource is told its version by where it is mounted. */
export function placeOf({ req, entrance, routeName }: Exchange): { readonly version: string; readonly route: string | undefined } {
  const { versions, versionName, soleVersion } = entrance
  const { belowVersion } = routeName
  if (soleVersion === undefined) {
    const isKnown = versions === undefined || versions.has(versionName)
    return { version: isKnown ? versionName : unknownVersion, route: belowVersion }
  }
  const mount = splitVersion(fromVersion(mountTemplate(req)))
  return { version: mount?.name ?? '', route: belowVersion === undefined ? undefined : `${mount?.rest ?? ''}${belowVersion}` }
}
