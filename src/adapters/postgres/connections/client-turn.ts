/**
 * Serializes calls that share one client, for example the calls of one transaction. During its
 * turn, a call uses the client alone. Without turns, a statement could run between the SAVEPOINT
 * and the ROLLBACK TO of another call, and the ROLLBACK TO would undo the statement.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { sharedRegistry } from '../../../brand.js'
import { SerialQueue } from '../../../serial-queue.js'
import type { Wait } from './client.js'
import { statementShare, within } from './waits.js'

/**
 * The queue of each client. All copies of the library in this process share the queues. Two copies
 * may use the same client, and their transactions must not mix.
 */
const turns = new SerialQueue(sharedRegistry('turns', () => new WeakMap<object, Promise<unknown>>()))
/**
 * The client that the current call uses during its turn. Set while the call does its work. The work
 * may run a function of the service, and that function may call an adapter on the same client
 * (`within`). Such an inner call runs in the same turn.
 */
const turnHeld = sharedRegistry('turn-held', () => new AsyncLocalStorage<object>())

const noop = (): void => {}

/**
 * Waits until the client is free, for at most `limit` milliseconds and at most `statementShare` of
 * the call's remaining time. Resolves with a function that ends the turn. Rejects if the client is
 * not free by then.
 */
export async function takeTurn(
  client: object,
  wait: Wait,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<() => void> {
  if (turnHeld.getStore() === client) return noop
  return turns.enter(client, (previous) => within(wait, Math.min(limit, wait.left() * statementShare), () => previous))
}

/**
 * Runs `work` as part of the client's current turn, so that calls in `work` do not wait for the
 * turn.
 */
export const holdingTurn = <T>(client: object, work: () => Promise<T>): Promise<T> => turnHeld.run(client, work)

/**
 * Runs a single statement when all turns that were requested before it have ended, or at once if it
 * is sent within the client's current turn. Several such statements may run at the same time.
 */
export async function betweenTurns<T>(client: object, wait: Wait, statement: () => Promise<T>): Promise<T> {
  const previous = turns.tail(client)
  if (previous !== undefined && turnHeld.getStore() !== client)
    await within(wait, wait.left() * statementShare, () => previous)
  return statement()
}
