/**
 * Registers the adapters whose tables statements of other adapters can join: those over the same
 * database.
 */
import type { Databases } from '../connections/database.js'
import type { Opening } from '../table/opening.js'

/** The table and the databases of one of the library's adapters. */
export interface LinkTarget {
  readonly opening: Opening
  readonly databases: Databases
}

const targets = new WeakMap<object, LinkTarget>()

export function declareTarget(adapter: object, target: LinkTarget): void {
  targets.set(adapter, target)
}

/** The data of an adapter; `undefined` for any other, including a team's wrapper around one. */
export const targetOf = (adapter: object): LinkTarget | undefined => targets.get(adapter)

/**
 * Whether statements for both go to the same database through the same client, and a failed one
 * aborts no transaction.
 */
export function areJoinable(one: Databases, other: Databases): boolean {
  const [read, write] = one.clients
  return read === other.clients[0] && write === other.clients[1] && !one.read.nested && !one.write.nested
}
