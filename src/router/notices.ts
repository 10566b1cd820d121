/**
 * Announces the life cycle of a version and its parts: `Deprecation`, `Sunset` and their `Link`
 * (VER-3).
 */
import { type Lifecycle, noticeHeaders } from '../middleware/lifecycle.js'
import { earliest, lifeFields } from '../plan/life.js'
import { namesIn, useAddress } from '../plan/part-lives.js'
import type { Exchange } from './exchange.js'
import { isLiving, type ServedVersion, serves } from './served-version.js'

/**
 * The header fields; `undefined` if neither the version nor the part has any. If both have them,
 * the earlier dates and the link of the part apply.
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

/** The version in the path, for a response that is sent before the step `version`: a brownout. */
function namedVersion({ versions, entrance }: Exchange): ServedVersion | undefined {
  const found = versions?.get(entrance.versionName)
  return found === 'retired' ? undefined : found
}

/**
 * The address of the same path in the version's successor, or of the successor itself if it does
 * not serve the path.
 */
function successor(exchange: Exchange, life: Lifecycle): string | undefined {
  if (life.successor === undefined) return undefined
  const next = exchange.versions?.get(life.successor)
  const served = next !== undefined && isLiving(next) && serves(next, exchange.path)
  return `${exchange.rootOrPath}/${life.successor}${served ? exchange.path : ''}`
}
