/** The names of versions, and their position in a path (VER-1). */
import { ConfigurationError } from '../problem.js'

const version = 'v(?:0|[1-9][0-9]*)'
const versionPattern = new RegExp(`^${version}$`)
const segmentPattern = new RegExp(`/${version}(?=/|$)`)

/** Whether a path segment is the name of a version, such as `v1`. */
export const isVersion = (segment: string): boolean => versionPattern.test(segment)

/**
 * Returns the part of a path that starts with its first version, or an empty string if the path has
 * no version.
 */
export function fromVersion(path: string): string {
  const at = path.search(segmentPattern)
  return at === -1 ? '' : path.slice(at)
}

/**
 * Returns the version in the first segment of a path, and the rest of the path. Returns `undefined`
 * if the first segment is not a version.
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
