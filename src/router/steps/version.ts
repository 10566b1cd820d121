/** Picks the version's plan; a retired one is 410 with an empty body, whatever the method and credentials (VER-1, VER-2). */
import { unknownVersion } from '../../middleware/versions.js'
import { header } from '../../wire.js'
import { type Exchange, isLiving } from '../exchange.js'

export function version(exchange: Exchange): void {
  const { versions, versionName } = exchange
  if (versions === undefined) return
  const found = versions.get(versionName)
  if (found === undefined) {
    const living = [...versions].filter(([, entry]) => isLiving(entry)).map(([name]) => name)
    throw unknownVersion(versionName, living)
  }
  if (!isLiving(found)) {
    exchange.answer = { status: 410, headers: { [header.cacheControl]: 'no-store' } }
    return
  }
  exchange.version = found
}
