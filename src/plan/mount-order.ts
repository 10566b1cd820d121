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
    if (ready.length === 0) throw unplaceable(left)
    for (const entry of ready) placed.add(entry.definition.collection)
    ordered.push(...ready)
    left = left.filter((entry) => !ready.includes(entry))
  }
  return ordered
}

/**
 * Returns the error for mounts that can't be sorted: the parent of each is missing or is one of
 * these mounts.
 */
function unplaceable(left: readonly Mount[]): ConfigurationError {
  const byName = new Map(left.map(({ definition }) => [definition.collection, definition]))
  const orphan = left.find(({ definition }) => !byName.has(nameOf(definition.parent?.of)))
  if (orphan !== undefined) {
    const name = nameOf(orphan.definition.parent?.of)
    return new ConfigurationError(
      'unmounted-parent',
      `"${orphan.definition.collection}" is contained in "${name}", which is not mounted in the same version. ` +
        `Mount "${name}" in the same version.`,
    )
  }
  // The parent of each mount in `left` is also in `left`, so the chain of parents leads into a
  // cycle.
  const chain: string[] = []
  let name = left[0]?.definition.collection ?? ''
  while (!chain.includes(name)) {
    chain.push(name)
    name = nameOf(byName.get(name)?.parent?.of)
  }
  const cycle = [...chain.slice(chain.indexOf(name)), name].map((one) => `"${one}"`)
  return new ConfigurationError(
    'unmounted-parent',
    `The parents form a cycle: ${cycle.join(', which is contained in ').replace(', which', '')}. ` +
      'Remove the parent of one of them.',
  )
}
