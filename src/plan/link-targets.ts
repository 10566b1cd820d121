/**
 * Checks the relations between the resources of a version when all resources are known. Link
 * targets must exist, and members that hold keys must have the types of these keys (REP-1, PATH-7).
 */

import { checkShown } from '../definition/resolve-links.js'
import type { Link, ResourceDefinition } from '../definition/resource.js'
import type { Shape } from '../definition/shape.js'
import { invalidOption } from '../options/check.js'
import { ConfigurationError } from '../problem.js'
import type { ResourcePlan } from './resource-plan.js'
import type { Mounted } from './routes.js'

/** The name of the collection that a declaration refers to. */
export const nameOf = (of: ResourceDefinition | string | undefined): string =>
  typeof of === 'string' ? of : (of?.collection ?? '')

/**
 * Returns the target of a link to a resource, and `undefined` for any other link. Throws
 * `ConfigurationError` if the link can't work, for example because its target is not mounted, or
 * because the link's members can't hold the target's key.
 */
export function targetOf<T extends Mounted>(mounted: T, link: Link, mounts: ReadonlyMap<string, T>): T | undefined {
  const { collection, definition } = mounted.plan
  const what = `The link "${link.name}" of "${collection}"`
  if (link.kind === 'sub' && !leadsBelow(mounted, link.sub)) {
    throw unresolved(`${what} leads to its sub-collection "${link.sub}", which is not mounted in the same version.`)
  }
  if (link.kind !== 'to') return undefined
  const target = mounts.get(nameOf(link.to))
  if (target === undefined) {
    throw unresolved(
      `${what} leads to "${nameOf(link.to)}", which is not mounted in the same version. ` +
        'Mount it, or pass it in the option "related".',
    )
  }
  checkKeyHolders(what, definition, link.by, target.plan)
  checkLineage(what, target)
  checkShown(collection, link, target.plan.definition)
  return target
}

function leadsBelow({ below }: Mounted, segment: string): boolean {
  const found = below.get(segment)
  return found !== undefined && found.kind !== 'leaf'
}

/**
 * Throws if the members `by` of a record can't hold the key of the target. There must be one member
 * for each part of the key, and the member must have a type in common with this part.
 */
export function checkKeyHolders(
  what: string,
  { shape }: ResourceDefinition,
  by: readonly string[],
  target: ResourcePlan,
): void {
  const { members } = target.key
  if (by.length !== members.length) {
    throw unresolved(
      `${what} names ${by.length} of the record's members (${by.join(', ')}), but the key of ` +
        `"${target.collection}" consists of ${members.join(', ')}. Name one member for each part of the key.`,
    )
  }
  for (const [i, member] of by.entries()) {
    const part = members[i] as string
    const holder = shape.members.get(member)
    const held = target.definition.shape.members.get(part)
    if (holder === undefined || held === undefined || mayBeEqual(holder, held)) continue
    throw unresolved(
      `${what} uses "${member}", which is ${typesOf(holder)}, but "${part}" of "${target.collection}" is ` +
        `${typesOf(held)}: they are never equal. Give both the same type.`,
    )
  }
}

function mayBeEqual(some: Shape, others: Shape): boolean {
  if (some.types.size === 0 || others.types.size === 0) return true
  const kinds = ({ types }: Shape): string[] => [...types].map((type) => (type === 'integer' ? 'number' : type))
  return kinds(some).some((kind) => kinds(others).includes(kind))
}

const typesOf = ({ types }: Shape): string => [...types].join(' or ')

/**
 * Throws if the key of a contained resource does not include the keys of its parents. In this case,
 * the URL of an item could not be derived from the item's key.
 */
export function checkLineage(what: string, target: Mounted): void {
  for (let up = target; up.parent !== undefined; up = up.parent.mounted) {
    const { members } = up.plan.key
    const missing = up.parent.by.filter((member) => !members.includes(member))
    if (missing.length === 0) continue
    throw unresolved(
      `${what} can't find the parent of "${up.plan.collection}": the key of "${up.plan.collection}" does not ` +
        `include ${missing.join(', ')}. Add each missing member to this key.`,
    )
  }
}

/**
 * Checks the scope of `child`, whose items are also listed in a sub-collection of an associated
 * resource. Throws if `child` has no scope, but one of its parents has a scope. The parent's scope
 * hides items at their own URLs, but the sub-collection would show these items.
 */
export function checkScope(what: string, child: Mounted): void {
  if (child.plan.definition.scope !== undefined) return
  for (let up = child.parent?.mounted; up !== undefined; up = up.parent?.mounted) {
    if (up.plan.definition.scope === undefined) continue
    throw invalidOption(
      `${what} would show records that the scope of "${up.plan.collection}" hides, because ` +
        `"${child.plan.collection}" has no scope. Give "${child.plan.collection}" a scope of its own.`,
    )
  }
}

const unresolved = (message: string): ConfigurationError => new ConfigurationError('unresolved-link', message)
