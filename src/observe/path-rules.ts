/** Checks the template of a route against the naming rules for paths (PATH-2 to PATH-4). */

import { configurationKinds } from '../configuration-error.js'
import { checkCollectionName, checkSegment } from '../definition/naming.js'
import { isConfigurationError } from '../problem.js'
import { isParameter, segmentsOf } from './route-of.js'
import type { Finding } from './rules.js'

/**
 * Segments that are always accepted, with or without a file extension: endpoints that the
 * conventions define (PATH-8), the usual paths of tools such as `swagger`, and prefixes such as
 * `api` and `public`.
 */
const allowed = new Set([
  'search',
  'buscar',
  'login',
  'logout',
  'openapi',
  'swagger',
  'api',
  'ui',
  'rest',
  'public',
  'private',
])

const version = /^v\d+$/i

/**
 * Whether a segment may be the name of a collection. A version or a segment in `allowed` is never
 * such a name, because it has no items.
 */
export const isCollectionName = (segment: string | undefined): boolean =>
  segment !== undefined && segment !== '' && !version.test(segment) && !allowed.has(segment)

/**
 * The clauses that the segments of a template violate. `allow`: segments that the service has
 * documented as exceptions.
 */
export function judgePath(template: string, allow: ReadonlySet<string>): Finding[] {
  const segments = segmentsOf(template)
  const found: Finding[] = []
  for (const [at, segment] of segments.entries()) {
    if (segment.includes('{')) {
      if (/\}\.(?:[a-z]{2,5}|\{(?:format|formato|ext|extension)\})$/i.test(segment))
        found.push({ clause: 'PATH-4', detail: segment })
      continue
    }
    const stem = segment.split('.', 1)[0] ?? ''
    if (version.test(segment) || segment === '(other)' || allowed.has(stem) || allow.has(segment)) continue
    const fault = faultOf(
      segment,
      isParameter(segments[at + 1] ?? ''),
      segments.slice(0, at).some((one) => version.test(one)),
    )
    if (fault !== undefined) found.push({ clause: fault, detail: segment })
  }
  return found
}

/**
 * Returns the clause that a segment violates, if any. A segment with a dot, outside of a version,
 * is the name of a file and not of a resource. So it violates no clause.
 */
function faultOf(segment: string, isCollection: boolean, isVersioned: boolean): string | undefined {
  if (segment.includes('.') && !isVersioned) return undefined
  try {
    if (isCollection) checkCollectionName(segment)
    else checkSegment(segment)
    return undefined
  } catch (error) {
    if (!isConfigurationError(error) || error.code === 'name-malformed') return undefined
    return configurationKinds[error.code]
  }
}
