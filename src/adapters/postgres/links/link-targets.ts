/** The adapters that a statement of another one can join: those over the same database. */
import type { Databases } from '../connections/database.js'
import type { Opening } from '../table/opening.js'

/** What is known of an adapter of this library over a table. */
export interface LinkTarget {
  readonly opening: Opening
  readonly databases: Databases
}

const targets = new WeakMap<object, LinkTarget>()

export function declareTarget(adapter: object, target: LinkTarget): void {
  targets.set(adapter, target)
}

/** What is known of an adapter; `undefined` of any other, also of one that a team has put around it. */
export const targetOf = (adapter: object): LinkTarget | undefined => targets.get(adapter)

/** Whether statements for both are sent to the same database by the same client, and a failed one breaks no transaction. */
export function areJoinable(one: Databases, other: Databases): boolean {
  const [read, write] = one.clients
  return read === other.clients[0] && write === other.clients[1] && !one.read.nested && !one.write.nested
}
