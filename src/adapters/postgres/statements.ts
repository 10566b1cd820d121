/** How statements of one call are run: alone, or together in a transaction with a team's own. */
import type { AdapterCall } from '../contract.js'
import { noError } from '../made-by.js'
import type { Cells, Database, Session, SqlClient, TextRow, Wait } from './client.js'
import type { Databases } from './database.js'
import { patiently } from './failures.js'
import type { PostgresAdapterOptions } from './options.js'
import type { Parameters } from './sql.js'
import { markBegin } from './transaction-mark.js'
import { noTransaction } from './unfit.js'

/**
 * Errors that a team's own functions have thrown: they are not about the table, and are no
 * refusals.
 */
export const teamErrors = new WeakSet<Error>()

/** What a team's function has thrown, recorded in `teamErrors`; in an error, where it is none. */
export function teamError(error: unknown, name: 'write' | 'session'): Error {
  const found = error instanceof Error ? error : noError(`The "${name}" function`, error)
  teamErrors.add(found)
  return found
}

/** Runs a team's `session`, and records what it throws in `teamErrors`. */
async function runSession(session: PostgresAdapterOptions['session'], native: SqlClient, call: AdapterCall): Promise<void> {
  try {
    await session?.(native, call)
  } catch (error) {
    throw teamError(error, 'session')
  }
}

/** Runs one statement. */
export interface Ask {
  query(text: string, parameters?: Parameters): Promise<readonly TextRow[]>
  /** The cells of a statement whose first columns are these. */
  cells(text: string, columns: readonly string[], values: readonly (string | null)[]): Promise<readonly Cells[]>
}

/** Statements that stand alone. */
class Asking implements Ask {
  readonly #database: Database
  readonly #wait: Wait

  constructor(database: Database, wait: Wait) {
    this.#database = database
    this.#wait = wait
  }

  query(text: string, parameters?: Parameters): Promise<readonly TextRow[]> {
    return this.#database.query(text, parameters?.values ?? [], this.#wait)
  }

  cells(text: string, columns: readonly string[], values: readonly (string | null)[]): Promise<readonly Cells[]> {
    return this.#database.cells(text, columns, values, this.#wait)
  }
}

class CallWait implements Wait {
  readonly #call: AdapterCall

  constructor(call: AdapterCall) {
    this.#call = call
  }

  left(): number {
    return this.#call.left?.() ?? Number.POSITIVE_INFINITY
  }

  get signal(): AbortSignal | undefined {
    return this.#call.signal
  }

  /** A signal of the call's own is there already; another may be one that is made when first asked for. */
  get gone(): boolean {
    return Object.hasOwn(this.#call, 'signal') && this.#call.signal?.aborted
  }
}

export const waitOf = (call: AdapterCall): Wait => new CallWait(call)

/** Reads: from a replica where there is one and nothing depends on its being up to date; in a transaction where each needs the team's settings. */
export function reading<T>(
  { read, write }: Databases,
  { session }: PostgresAdapterOptions,
  call: AdapterCall,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  const database = call.fresh ? write : read
  const wait = waitOf(call)
  return patiently(
    () => {
      if (session === undefined) return work(new Asking(database, wait))
      return database.transaction(async (own) => {
        await runSession(session, own.native, call)
        return work(asking(own))
      }, wait)
    },
    { writes: false, wait },
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
 * One write. Alone, it is one statement, and what is asked after it; `together` makes it a transaction, which is undone unless `succeeded`; so does `settles`, where the
 * client has transactions. In a transaction that the caller ends, a failed write leaves the rest of it as it was.
 */
export function writing<T>(
  { write: database, callers }: Databases,
  { session, write }: PostgresAdapterOptions,
  call: AdapterCall,
  together: boolean,
  settles: boolean,
  succeeded: (result: T) => boolean,
  work: (ask: Ask, own: Session | undefined) => Promise<T>,
): Promise<T> {
  const wait = waitOf(call)
  const alone = !together && session === undefined
  const attempt = (): Promise<T> => {
    if (alone && !settles && !database.nested) return work(new Asking(database, wait), undefined)
    return database
      .transaction(
        async (own) => {
          if (callers && !own.callers) throw noTransaction()
          await runSession(session, own.native, call)
          const result = await work(asking(own), own)
          if (!succeeded(result)) throw new Undone(result)
          return result
        },
        wait,
        alone,
        write === undefined ? undefined : markBegin,
      )
      .catch((error) => {
        if (error instanceof Undone) return error.result as T
        throw error
      })
  }
  // What the caller's own transaction has lost can't be repeated here.
  return patiently(attempt, { writes: true, wait: database.nested ? noTime : wait })
}

const noTime = { left: () => 0 }

export const asking = (session: Session): Ask => ({
  query: (text, parameters) => session.query(text, parameters?.values ?? []),
  cells: (text, columns, values) => session.cells(text, columns, values),
})
