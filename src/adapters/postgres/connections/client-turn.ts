/**
 * Serializes calls that share one client, such as those of one transaction. A statement between
 * another call's SAVEPOINT and ROLLBACK TO would be undone with it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { sharedRegistry } from '../../../brand.js'
import { SerialQueue } from '../../../serial-queue.js'
import type { Wait } from './client.js'
import { statementShare, within } from './waits.js'

/**
 * By client, shared by all copies of the library: two copies may use the same client, on which
 * transactions must not mix.
 */
const turns = new SerialQueue(sharedRegistry('turns', () => new WeakMap<object, Promise<unknown>>()))
/**
 * The client whose turn the running team function is part of. Calls of that function to an adapter
 * `within` the client use the same turn.
 */
const turnHeld = sharedRegistry('turn-held', () => new AsyncLocalStorage<object>())

const noop = (): void => {}

/**
 * Waits for the client, for at most `limit` milliseconds. Resolves with a function that ends the
 * turn.
 */
export async function takeTurn(
  client: object,
  wait: Wait,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<() => void> {
  if (turnHeld.getStore() === client) return noop
  return turns.enter(client, (previous) => within(wait, Math.min(limit, wait.left() * statementShare), () => previous))
}

/** Runs `work` while the turn of the client is held. */
export const holdingTurn = <T>(client: object, work: () => Promise<T>): Promise<T> => turnHeld.run(client, work)

/** Runs a single statement when no turn is held. Several may run at the same time. */
export async function betweenTurns<T>(client: object, wait: Wait, statement: () => Promise<T>): Promise<T> {
  const previous = turns.tail(client)
  if (previous !== undefined && turnHeld.getStore() !== client)
    await within(wait, wait.left() * statementShare, () => previous)
  return statement()
}
