/**
 * Registers the members of an adapter's records, and the checks that an adapter needs when it is
 * mounted. Adapters are plain objects with the methods of the adapter contract, so these facts are
 * kept in separate registries.
 */
import { sharedRegistry } from '../brand.js'
import { didYouMean, nearMiss } from '../near-miss.js'
import { ConfigurationError } from '../problem.js'
import type { ResourceDefinition } from './resource.js'

/** The top-level members that the records of an adapter or a definition can have. */
export interface Members {
  /** The members that the schema names. */
  readonly names: readonly string[]
  /** Whether records can have a member. An open schema allows members that it does not name. */
  has(name: string): boolean
}

// All copies of the library in one process share these registries. Otherwise, the names in a view
// would not be checked if another copy created the adapter or the view.
const members = sharedRegistry('adapter-members', () => new WeakMap<object, Members>())
const checks = sharedRegistry('mount-checks', () => new WeakMap<object, (definition: ResourceDefinition) => void>())

/** The members of the records of a definition. */
export const membersOfDefinition = ({ shape }: Pick<ResourceDefinition, 'shape'>): Members => ({
  names: [...shape.properties.keys()],
  has: (name) => shape.properties.has(name) || shape.other(name) !== undefined,
})

/** Declares the members of the records of an adapter. */
export function declareMembers(adapter: object, known: Members): void {
  members.set(adapter, known)
}

/** The members of the records of an adapter. `undefined` if the adapter has not declared them. */
export const membersOf = (adapter: object): Members | undefined => members.get(adapter)

/** Declares a check that `mount()` runs with the definition of the mount. */
export function declareMountCheck(adapter: object, check: (definition: ResourceDefinition) => void): void {
  checks.set(adapter, check)
}

/** Runs the check that was declared with `declareMountCheck`, if any. */
export function checkMounted(adapter: object, definition: ResourceDefinition): void {
  checks.get(adapter)?.(definition)
}

/** Throws `ConfigurationError` for the first of `names` that is not a member. */
export function checkMembers(
  { subject, owner }: { readonly subject: string; readonly owner: string },
  option: string,
  names: Iterable<string>,
  known: Members,
): void {
  for (const name of names) {
    if (known.has(name)) continue
    throw new ConfigurationError(
      'unknown-member',
      `${subject} names "${name}" in "${option}", but ${owner} has no such member. ` +
        `${didYouMean(nearMiss(name, known.names), known.names, 'It has')}`,
    )
  }
}
