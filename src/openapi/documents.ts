/** The documents of all versions of a service. */
import { requireDescription } from '../plan/description.js'
import type { OpenApiDocument } from './document.js'
import { openapi } from './openapi.js'

/**
 * Returns the OpenAPI document of each version that a service serves, by version name. Retired
 * versions have no document. A `resourceRouter` has no versions, so its only document has the name
 * `v1`.
 *
 * Throws `ConfigurationError` for the same reasons as `openapi()`.
 */
export function documentsOf(service: object): ReadonlyMap<string, OpenApiDocument> {
  const { versions } = requireDescription('openapi()', service)
  const living = [...versions].filter(([, entry]) => entry !== 'retired').map(([name]) => (name === '' ? 'v1' : name))
  return new Map(living.map((version) => [version, openapi(service, version)]))
}
