/**
 * Registers adapters, so that a statement of one adapter can join the table of another adapter. A
 * join is possible if both adapters use the same database.
 */
import type { Databases } from '../connections/database.js'
import type { Opening } from '../table/opening.js'

/** The table and the databases of a registered adapter. */
export interface LinkTarget {
  readonly opening: Opening
  readonly databases: Databases
}

const targets = new WeakMap<object, LinkTarget>()

export function declareTarget(adapter: object, target: LinkTarget): void {
  targets.set(adapter, target)
}

/**
 * Returns the table and the databases of an adapter. Returns `undefined` for an object that is not
 * registered, such as the service's own wrapper around an adapter.
 */
export const targetOf = (adapter: object): LinkTarget | undefined => targets.get(adapter)

/**
 * Whether one statement can read the tables of two adapters. Both adapters must use the same
 * PostgreSQL clients. The result is false if such a client can be in the caller's transaction,
 * because a failed statement would abort that transaction.
 */
export function areJoinable(one: Databases, other: Databases): boolean {
  const [read, write] = one.clients
  return read === other.clients[0] && write === other.clients[1] && !one.read.mayBeNested && !one.write.mayBeNested
}
