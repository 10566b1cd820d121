/**
 * Finds the API version of a request. A request for an unknown version gets 404. If the version or
 * its requested part has retired, the response is a 410 with an empty body, for every method and
 * every caller (VER-1, VER-2).
 */
import { unknownVersion } from '../../middleware/versions.js'
import { header } from '../../wire.js'
import { brownoutForAll } from '../brownout.js'
import { isLiving, livingNames, type ServedVersion } from '../served-version.js'
import type { Answered, Received } from '../stages.js'

type Added = { readonly version: ServedVersion }

export function version(exchange: Received): Added | Answered {
  const { soleVersion } = exchange.entrance
  if (soleVersion !== undefined) return living(exchange, soleVersion)
  const { versions, versionName } = exchange.entrance
  const found = versions?.get(versionName)
  if (found === undefined) {
    throw unknownVersion(versionName, livingNames(versions ?? new Map()))
  }
  return isLiving(found) ? living(exchange, found) : gone()
}

/**
 * Returns the version. If the requested part has retired or a brownout applies to every caller,
 * returns the response instead.
 */
function living(exchange: Received, version: ServedVersion): Added | Answered {
  const { method, path } = exchange
  const { table, life } = version
  if (table.parts?.isGone(method, path, Date.now()) === true) return gone()
  return (life?.brownouts === undefined ? undefined : brownoutForAll(exchange, life)) ?? { version }
}

const gone = (): Answered => ({ answer: { status: 410, headers: { [header.cacheControl]: 'no-store' } } })
