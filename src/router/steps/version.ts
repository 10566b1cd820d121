/** Finds the version. A retired one is 410 with an empty body, whatever the method and credentials (VER-1, VER-2). */
import { unknownVersion } from '../../middleware/versions.js'
import { header } from '../../wire.js'
import { isLiving, type ServedVersion } from '../served-version.js'
import type { Answered, Received } from '../stages.js'

export function version({ entrance: { soleVersion, versions, versionName } }: Received): { readonly version: ServedVersion } | Answered {
  if (soleVersion !== undefined) return { version: soleVersion }
  const found = versions?.get(versionName)
  if (found === undefined) {
    const living = [...(versions ?? [])].filter(([, entry]) => isLiving(entry)).map(([name]) => name)
    throw unknownVersion(versionName, living)
  }
  return isLiving(found) ? { version: found } : { answer: { status: 410, headers: { [header.cacheControl]: 'no-store' } } }
}
