/**
 * Builds the header fields that announce the end of a version, or of a part of a version (a path or
 * a single method): `Deprecation`, `Sunset`, and the `Link` to the successor or replacement
 * (VER-3).
 */
import { type Lifecycle, noticeHeaders } from '../middleware/lifecycle.js'
import { earliest, lifeFields } from '../plan/life.js'
import { namesIn, useAddress } from '../plan/part-lives.js'
import type { Exchange } from './exchange.js'
import { isLiving, type ServedVersion, serves } from './served-version.js'

/**
 * Returns the header fields for a response, or `undefined` if neither the version nor the requested
 * part has a life cycle. If both have a life cycle, the earlier dates apply. If the part has a
 * replacement, `Link` names this replacement and not the version's successor.
 */
export function noticesOf(exchange: Exchange): Readonly<Record<string, string>> | undefined {
  const version = exchange.version ?? namedVersion(exchange)
  if (version === undefined) return undefined
  const { life, table } = version
  const part = table.parts?.at(exchange.method, exchange.path)
  if (part === undefined) return life === undefined ? undefined : noticeHeaders(life, successor(exchange, life))
  const { deprecated, sunset, use } = part.life
  const headers = lifeFields({
    deprecated: earliest(deprecated, life?.deprecated),
    sunset: earliest(sunset, life?.sunset),
  })
  if (use === undefined) return noticeHeaders({ headers }, life === undefined ? undefined : successor(exchange, life))
  const root = exchange.rootOrPath
  const base = version.name === '' ? root : `${root}/${version.name}`
  return noticeHeaders({ headers }, useAddress(use, base, namesIn(part.template, exchange.path)))
}

/**
 * Returns the version that the path names. Some responses, such as the response during a brownout,
 * are sent before the step `version` has set the version.
 */
function namedVersion({ versions, entrance }: Exchange): ServedVersion | undefined {
  const found = versions?.get(entrance.versionName)
  return found === 'retired' ? undefined : found
}

/**
 * Returns the URL of the requested path in the version's successor. If the successor does not serve
 * that path, returns the URL of the successor itself.
 */
function successor(exchange: Exchange, life: Lifecycle): string | undefined {
  if (life.successor === undefined) return undefined
  const next = exchange.versions?.get(life.successor)
  const served = next !== undefined && isLiving(next) && serves(next, exchange.path)
  return `${exchange.rootOrPath}/${life.successor}${served ? exchange.path : ''}`
}
