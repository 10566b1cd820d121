/** The names of versions, and their position in a path (VER-1). */
import { ConfigurationError } from '../problem.js'

const version = 'v(?:0|[1-9][0-9]*)'
const versionPattern = new RegExp(`^${version}$`)
const segmentPattern = new RegExp(`/${version}(?=/|$)`)

/** Whether a path segment has the form of a version. */
export const isVersion = (segment: string): boolean => versionPattern.test(segment)

/** The part of a path from its first version on; empty if it has none. */
export function fromVersion(path: string): string {
  const at = path.search(segmentPattern)
  return at === -1 ? '' : path.slice(at)
}

/**
 * The version in the first segment of a path, and the rest of the path; `undefined` if that is no
 * version.
 */
export function splitVersion(path: string): { readonly name: string; readonly rest: string } | undefined {
  const end = path.indexOf('/', 1)
  const name = path.slice(1, end === -1 ? undefined : end)
  return isVersion(name) ? { name, rest: end === -1 ? '' : path.slice(end) } : undefined
}

/** Throws `ConfigurationError` if a name is not a valid version (VER-1). */
export function checkVersionName(name: string): void {
  if (!isVersion(name))
    throw new ConfigurationError(
      'version-malformed',
      `"${name}" is not a version. A version is "v" and an integer, such as v1.`,
    )
}
