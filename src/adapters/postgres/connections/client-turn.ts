/**
 * The turns of calls that share one client, such as those of one transaction: a statement between
 * another's SAVEPOINT and ROLLBACK would be undone with it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { sharedRegistry } from '../../../brand.js'
import { SerialQueue } from '../../../serial-queue.js'
import type { Wait } from './client.js'
import { statementShare, within } from './waits.js'

/** By client, for all copies of the library: two of them may share a client, on which transactions must not mix. */
const turns = new SerialQueue(sharedRegistry('turns', () => new WeakMap<object, Promise<unknown>>()))
/** The client whose turn a team's function runs in: what that function asks of an adapter `within` it is part of the turn. */
const turnHeld = sharedRegistry('turn-held', () => new AsyncLocalStorage<object>())

const nothing = (): void => {}

/** Waits for the client, for at most `most` milliseconds, and gives what ends the turn. */
export async function takeTurn(
  client: object,
  wait: Wait,
  most: number = Number.POSITIVE_INFINITY,
): Promise<() => void> {
  if (turnHeld.getStore() === client) return nothing
  return turns.enter(client, (previous) => within(wait, Math.min(most, wait.left() * statementShare), () => previous))
}

/** Runs `work`, which holds the turn of the client. */
export const holdingTurn = <T>(client: object, work: () => Promise<T>): Promise<T> => turnHeld.run(client, work)

/** Runs a single statement once no turn is held: several may run side by side. */
export async function betweenTurns<T>(client: object, wait: Wait, statement: () => Promise<T>): Promise<T> {
  const previous = turns.tail(client)
  if (previous !== undefined && turnHeld.getStore() !== client)
    await within(wait, wait.left() * statementShare, () => previous)
  return statement()
}
