/** How statements of one call are run: alone, or together in a transaction with a team's own. */
import type { Call } from '../contract.js'
import type { Session, SqlClient, TextRow, Wait } from './client.js'
import type { Databases } from './database.js'
import { patiently } from './failures.js'
import type { PostgresAdapterOptions } from './options.js'
import type { Parameters } from './sql.js'

/** Runs one statement. */
export type Ask = (text: string, parameters?: Parameters) => Promise<readonly TextRow[]>

export const waitOf = (call: Call): Wait => ({ left: () => call.left?.() ?? Number.POSITIVE_INFINITY, signal: call.signal })

/** Reads: from a replica where there is one and nothing depends on its being up to date; in a transaction where each needs the team's settings. */
export function reading<T>(
  { read, write }: Databases,
  { session }: PostgresAdapterOptions,
  call: Call,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  const database = call.fresh ? write : read
  const wait = waitOf(call)
  return patiently(
    () => {
      if (session === undefined) return work((text, parameters) => database.query(text, parameters?.values ?? [], wait))
      return database.transaction(async (own) => {
        await session(own.native, call)
        return work(asking(own))
      }, wait)
    },
    { writes: false, left: wait.left },
  )
}

/** Thrown to undo a transaction whose result is no success. */
class Undone<T> extends Error {
  readonly result: T

  constructor(result: T) {
    super('The change did not take place.')
    this.result = result
  }
}

/**
 * One write. Alone, it is one statement, and what is asked after it; `together` makes it a transaction, which is undone unless `succeeded`. In a transaction that the
 * caller ends, a failed write leaves the rest of it as it was.
 */
export function writing<T>(
  { write: database }: Databases,
  { session }: PostgresAdapterOptions,
  call: Call,
  together: boolean,
  succeeded: (result: T) => boolean,
  work: (ask: Ask, native: SqlClient | undefined) => Promise<T>,
): Promise<T> {
  const wait = waitOf(call)
  const alone = !together && session === undefined
  const attempt = (): Promise<T> => {
    if (alone && !database.nested) {
      return work((text, parameters) => database.query(text, parameters?.values ?? [], wait), undefined)
    }
    return database
      .transaction(
        async (own) => {
          await session?.(own.native, call)
          const result = await work(asking(own), own.native)
          if (!succeeded(result)) throw new Undone(result)
          return result
        },
        wait,
        alone,
      )
      .catch((error) => {
        if (error instanceof Undone) return error.result as T
        throw error
      })
  }
  // What the caller's own transaction has lost can't be repeated here.
  return patiently(attempt, { writes: true, left: database.nested ? () => 0 : wait.left })
}

const asking =
  (session: Session): Ask =>
  (text, parameters) =>
    session.query(text, parameters?.values ?? [])
