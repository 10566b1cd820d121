/** The names of versions, and where they stand in a path (VER-1). */
import { ConfigurationError } from '../problem.js'

const version = 'v(?:0|[1-9][0-9]*)'
const versionPattern = new RegExp(`^${version}$`)
const segmentPattern = new RegExp(`/${version}(?=/|$)`)

/** True where a path segment has the form of a version. */
export const isVersion = (segment: string): boolean => versionPattern.test(segment)

/** The part of a path from its first version on; empty where it names none. */
export function fromVersion(path: string): string {
  const at = path.search(segmentPattern)
  return at === -1 ? '' : path.slice(at)
}

/** The version that a path begins with, and the path below it; `undefined` where its first segment has not the form of one. */
export function splitVersion(path: string): { readonly name: string; readonly rest: string } | undefined {
  const end = path.indexOf('/', 1)
  const name = path.slice(1, end === -1 ? undefined : end)
  return isVersion(name) ? { name, rest: end === -1 ? '' : path.slice(end) } : undefined
}

/** Throws `ConfigurationError` where a name is no version (VER-1). */
export function checkVersionName(name: string): void {
  if (!isVersion(name))
    throw new ConfigurationError(
      'version-malformed',
      `"${name}" is no version. A version is "v" and a whole number, such as v1.`,
    )
}
