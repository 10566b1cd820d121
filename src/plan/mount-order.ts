/** Sorts mounts so that contained resources come after their parents. */
import { ConfigurationError } from '../problem.js'
import { nameOf } from './link-targets.js'
import type { Mount } from './mount.js'

/** The mounts, sorted so that each parent comes before its children. */
export function parentsFirst(mounts: readonly Mount[]): readonly Mount[] {
  const ordered = mounts.filter(({ definition }) => definition.parent === undefined)
  const placed = new Set(ordered.map(({ definition }) => definition.collection))
  let left = mounts.filter(({ definition }) => definition.parent !== undefined)
  while (left.length > 0) {
    const ready = left.filter(({ definition }) => placed.has(nameOf(definition.parent?.of)))
    if (ready.length === 0) throw unmountedParent(left[0] as Mount, mounts)
    for (const entry of ready) placed.add(entry.definition.collection)
    ordered.push(...ready)
    left = left.filter((entry) => !ready.includes(entry))
  }
  return ordered
}

function unmountedParent({ definition }: Mount, mounts: readonly Mount[]): ConfigurationError {
  const name = nameOf(definition.parent?.of)
  if (mounts.some((mount) => mount.definition.collection === name)) {
    return new ConfigurationError(
      'unmounted-parent',
      `"${definition.collection}" is contained in "${name}", which is itself contained in ` +
        `"${definition.collection}". Remove the parent of one of them.`,
    )
  }
  return new ConfigurationError(
    'unmounted-parent',
    `"${definition.collection}" is contained in "${name}", which is not mounted in the same version. ` +
      `Mount "${name}" in the same version.`,
  )
}
