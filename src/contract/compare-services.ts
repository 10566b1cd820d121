/** Compares all versions of a service. */
import { own } from '../definition/json.js'
import type { Change } from './changes.js'
import { compareContracts, documentSunset } from './compare.js'
import { levelOf, type OwnKind } from './kinds.js'
import { Source } from './nodes.js'
import { hasPassed } from './sunset.js'

/** Documents, keyed by the names of their versions, such as `v1`. */
export type Documents = ReadonlyMap<string, unknown>

/**
 * Returns the changes of a service, version by version. `now` is the time at which sunsets are
 * evaluated.
 */
export function compareServices(before: Documents, after: Documents, now = new Date()): readonly Change[] {
  const next = nextVersion([...before.keys(), ...after.keys()])
  const changes: Change[] = []
  for (const [version, document] of before) {
    const updated = after.get(version)
    if (updated === undefined) changes.push(retired(version, document, now))
    else for (const change of compareContracts(document, updated, { version, next, now })) changes.push(change)
  }
  for (const [version, document] of after) {
    if (before.has(version)) continue
    changes.push({ ...versionChange(version, 'version-added', 'the version is new'), after: own(document, 'info') })
  }
  return changes
}

function retired(version: string, document: unknown, now: Date): Change {
  const sunset = documentSunset(new Source(document))
  const info = { before: own(document, 'info') }
  if (hasPassed(sunset, now))
    return {
      ...versionChange(
        version,
        'version-retired-after-sunset',
        `the version was removed after its sunset ${String(sunset)}`,
      ),
      ...info,
    }
  const early = typeof sunset === 'string' ? ` before its sunset ${sunset}` : ' and had no sunset'
  const what = `the version was removed${early}: clients that call it get 404 or 410`
  const fix = typeof sunset === 'string' ? 'Serve the version until its sunset' : 'Give the version a sunset first'
  return {
    ...versionChange(version, 'version-retired', what, `. ${fix}, or accept this change with --accept`),
    ...info,
  }
}

function versionChange(version: string, kind: OwnKind, what: string, advice = ''): Change {
  const summary = `${version}: ${what}`
  const level = levelOf(kind)
  return {
    kind,
    level,
    breaking: level === 'breaking',
    version,
    place: 'version',
    pointer: '#',
    detail: '',
    alsoAt: [],
    summary,
    sentence: `${summary}${advice}`,
  }
}

/**
 * Returns the name of the version after the highest version: `v3` after `v2`. If no name has a
 * number, returns `a new version`.
 */
function nextVersion(names: readonly string[]): string {
  const numbers = names.map((name) => Number(/^v(\d+)$/.exec(name)?.[1])).filter((number) => !Number.isNaN(number))
  return numbers.length === 0 ? 'a new version' : `v${Math.max(...numbers) + 1}`
}
