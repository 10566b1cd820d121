/**
 * The driver for PGlite, which runs PostgreSQL in this process, on one connection. A statement
 * can't be cancelled, because it blocks the event loop until it ends.
 */
import { cellsOf, type Database, type Session, type SqlClient, type TextRow, type Wait } from './client.js'
import { betweenTurns, holdingTurn, takeTurn } from './client-turn.js'
import { semaphoreOf } from './deadline-semaphore.js'
import { embeddedFailure } from './driver-failures.js'
import { Late, Lost } from './failures.js'
import { answered, callAbandoned, tooLate } from './waits.js'

/** The method that a `PGlite` and its transactions have in common. */
interface Queries {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>
}

export interface PgliteClient extends Queries {
  transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T>
}

export interface PgliteTransaction extends Queries {
  exec(text: string): Promise<unknown>
}

export const isPglite = (client: object): client is PgliteClient =>
  'execProtocolRaw' in client && 'transaction' in client
export const isPgliteTransaction = (client: object): client is PgliteTransaction =>
  'exec' in client && 'rollback' in client && 'query' in client && !('transaction' in client)

export function pgliteDatabase(db: PgliteClient): Database {
  return {
    embedded: true,
    mayBeNested: false,
    query: (text, values, wait) => askInTurn(db, text, values, wait),
    cells: async (text, columns, values, wait) => cellsOf(await askInTurn(db, text, values, wait), columns),
    transaction: (work, wait, _optional, first) => {
      if (wait.signal?.aborted) return Promise.reject(callAbandoned())
      let committing = false
      let late = false
      let giveUp = (): void => {}
      // `work` may call a function of the service. If that function never ended, the transaction
      // would hold the only connection forever. So the transaction is given up when the time is up.
      const givenUp = new Promise<never>((_, reject) => {
        giveUp = () => reject(tooLate())
      })
      givenUp.catch(() => undefined)
      const isWanted = (): boolean => !late && !wait.signal?.aborted
      const asked = inTurn(db, wait, isWanted, () =>
        db.transaction(async (tx) => {
          // Another statement may have held the connection for a long time, and the caller may have
          // given up by now.
          if (!isWanted()) throw callAbandoned()
          if (first !== undefined) await ask(tx, first, [], wait)
          const result = await Promise.race([work(sessionOf(tx, wait, false, first)), givenUp])
          if (late) throw tooLate()
          committing = true
          return result
        }),
      )
      const translated = asked.catch((error) => {
        throw embeddedFailure(error)
      })
      return answered(translated, wait, () => {
        late = true
        giveUp()
        return committing ? new Lost('PGlite did not report in time whether it committed.') : tooLate()
      })
    },
  }
}

export function pgliteTransaction(tx: PgliteTransaction): Database {
  return {
    embedded: true,
    mayBeNested: true,
    query: (text, values, wait) => betweenTurns(tx, wait, () => ask(tx, text, values, wait)),
    cells: async (text, columns, values, wait) =>
      cellsOf(await betweenTurns(tx, wait, () => ask(tx, text, values, wait)), columns),
    async transaction(work, wait) {
      const over = await takeTurn(tx, wait)
      try {
        return await inSavepoint(tx, () => holdingTurn(tx, () => work(sessionOf(tx, wait, true))))
      } finally {
        over()
      }
    },
  }
}

async function inSavepoint<T>(tx: PgliteTransaction, work: () => Promise<T>): Promise<T> {
  await tx.exec('SAVEPOINT rest_write')
  try {
    const result = await work()
    await tx.exec('RELEASE SAVEPOINT rest_write')
    return result
  } catch (error) {
    await tx.exec('ROLLBACK TO SAVEPOINT rest_write; RELEASE SAVEPOINT rest_write')
    throw error
  }
}

/**
 * Runs `work` when the connection is free. Calls are served by deadline, the earliest first. PGlite
 * itself would serve them in the order of arrival.
 */
async function inTurn<T>(db: PgliteClient, wait: Wait, isWanted: () => boolean, work: () => Promise<T>): Promise<T> {
  const semaphore = semaphoreOf(db, 1)
  const turn = semaphore.acquire(wait.left(), isWanted)
  if (turn !== undefined) await turn
  try {
    return await work()
  } finally {
    semaphore.release()
  }
}

type Rows = readonly TextRow[]

function ask(client: Queries, text: string, values: readonly (string | null)[], wait: Wait): Promise<Rows> {
  return inTime(wait, () => send(client, text, values))
}

function askInTurn(db: PgliteClient, text: string, values: readonly (string | null)[], wait: Wait): Promise<Rows> {
  return inTime(wait, (isWanted) => inTurn(db, wait, isWanted, () => send(db, text, values)))
}

async function send(client: Queries, text: string, values: readonly (string | null)[]): Promise<Rows> {
  try {
    return (await client.query(text, [...values])).rows as Rows
  } catch (error) {
    throw embeddedFailure(error)
  }
}

/**
 * Waits for the rows that `begin` returns. Rejects when the time is up, even if the statement is
 * still waiting for its turn.
 */
function inTime(wait: Wait, begin: (isWanted: () => boolean) => Promise<Rows>): Promise<Rows> {
  if (wait.gone || wait.left() <= 0) return Promise.reject(callAbandoned())
  let isLate = false
  return answered(
    begin(() => !isLate),
    wait,
    () => {
      isLate = true
      return new Late('PGlite did not respond in time.')
    },
  )
}

const sessionOf = (tx: Queries, wait: Wait, inCallersTransaction: boolean, first?: string): Session => ({
  native: tx as SqlClient,
  inCallersTransaction,
  first,
  query: (text, values) => ask(tx, text, values, wait),
  cells: async (text, columns, values) => cellsOf(await ask(tx, text, values, wait), columns),
})
