/** How statements of one call are run: alone, or together in a transaction with a team's own. */
import type { AdapterCall } from '../../contract.js'
import type { Cells, Database, Session, SqlClient, TextRow, Wait } from '../connections/client.js'
import type { Databases } from '../connections/database.js'
import { withRetries, stateOf } from '../connections/failures.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import { type Ask, asking } from '../sql/ask.js'
import type { Parameters } from '../sql/sql.js'
import { lateLevel, noTransaction } from '../unfit.js'
import { teamError } from './team-errors.js'
import { markBegin } from './transaction-mark.js'

/** Runs a team's `session`, and records what it throws in `teamErrors`. */
async function runSession(
  session: PostgresAdapterOptions['session'],
  native: SqlClient,
  call: AdapterCall,
): Promise<void> {
  try {
    await session?.(native, call)
  } catch (error) {
    throw teamError(error, 'session')
  }
}

class CallWait implements Wait {
  readonly call: AdapterCall

  constructor(call: AdapterCall) {
    this.call = call
  }

  left(): number {
    return this.call.left?.() ?? Number.POSITIVE_INFINITY
  }

  get signal(): AbortSignal | undefined {
    return this.call.signal
  }

  /** A signal of the call's own is there already; another may be one that is made when first asked for. */
  get gone(): boolean {
    return Object.hasOwn(this.call, 'signal') && this.call.signal?.aborted
  }
}

/** Whether rows may be kept: see `Ask`. */
interface Keeping {
  readonly keeps?: boolean | undefined
  readonly keepsWritten?: boolean | undefined
}

/** Statements that stand alone, each for as long as the call has time. */
class CallStatements extends CallWait implements Ask {
  readonly database: Database
  readonly keeps: boolean
  readonly keepsWritten: boolean

  constructor(database: Database, call: AdapterCall, { keeps = false, keepsWritten = false }: Keeping) {
    super(call)
    this.database = database
    this.keeps = keeps
    this.keepsWritten = keepsWritten
  }

  query(text: string, parameters?: Parameters): Promise<readonly TextRow[]> {
    return this.database.query(text, parameters?.values ?? [], this)
  }

  cells(text: string, columns: readonly string[], values: readonly (string | null)[]): Promise<readonly Cells[]> {
    return this.database.cells(text, columns, values, this)
  }

  shared(text: string, columns: readonly string[], values: readonly (string | null)[]): Promise<readonly Cells[]> {
    return this.database.shared?.(text, columns, values, this) ?? this.cells(text, columns, values)
  }
}

export const waitOf = (call: AdapterCall): Wait => new CallWait(call)

/** The replica has not replayed what this client has written. */
class Behind extends Error {}

/**
 * Reads: from a replica where there is one and nothing depends on its being up to date; in a
 * transaction where each needs the team's settings.
 */
export async function reading<T>(
  databases: Databases,
  options: PostgresAdapterOptions,
  call: AdapterCall,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  const { read, write, replica } = databases
  if (replica === undefined || read === write) return readingFrom(write, databases, options, call, work)
  const needs = await replica.needs(call)
  if (needs === 'primary') return readingFrom(write, databases, options, call, work)
  if (needs === undefined) return readingFrom(read, databases, options, call, work)
  try {
    return await readingFrom(read, databases, options, call, work, needs)
  } catch (error) {
    if (!(error instanceof Behind)) throw error
    return readingFrom(write, databases, options, call, work)
  }
}

function readingFrom<T>(
  database: Database,
  { read }: Databases,
  { session }: PostgresAdapterOptions,
  call: AdapterCall,
  work: (ask: Ask) => Promise<T>,
  position?: string,
): Promise<T> {
  // Two servers that are no copies of each other may give different rows the same stamp.
  const alone = new CallStatements(database, call, { keeps: database === read && read.pooled })
  if (session === undefined && position === undefined)
    return withRetries(() => work(alone), { writes: false, wait: alone })
  const attempt = (): Promise<T> =>
    database.transaction(
      async (own) => {
        // On the same connection: behind one address there may be several replicas.
        if (position !== undefined && !(await hasReplayed(own, position))) throw new Behind()
        if (session !== undefined) await runSession(session, own.native, call)
        return work(asking(own))
      },
      alone,
      session === undefined,
    )
  return withRetries(attempt, { writes: false, wait: alone })
}

/** Whether the server shows everything up to this position; a primary does, as it has no other. */
async function hasReplayed(own: Session, position: string): Promise<boolean> {
  const [row] = await own.query(
    `SELECT (NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= $1::pg_lsn)::text AS c0`,
    [position],
  )
  return row?.c0 === 'true'
}

/** A write of one statement, and what is asked after it. */
export function writingAlone<T>(
  { read, write }: Databases,
  call: AdapterCall,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  const alone = new CallStatements(write, call, { keepsWritten: write === read && write.pooled && !write.nested })
  return withRetries(() => work(alone), { writes: true, wait: alone })
}

/** Thrown to undo a transaction whose result is no success. */
class Undone<T> extends Error {
  readonly result: T

  constructor(result: T) {
    super('The change did not take place.')
    this.result = result
  }
}

/** A write in a transaction. */
export interface Transaction<T> {
  readonly databases: Databases
  readonly options: PostgresAdapterOptions
  readonly call: AdapterCall
  /** It may do without the transaction where the client has none. */
  readonly optional: boolean
  /** All its statements see what was committed when it began, unless it is the caller's. */
  readonly repeatable: boolean
  /** Any other result undoes it. */
  succeeded(result: T): boolean
  work(ask: Ask, own: Session): Promise<T>
}

/** Neither statement takes a snapshot. A level that is higher already stays. */
async function makeRepeatable(own: Session): Promise<void> {
  const [row] = await own.query('SHOW transaction_isolation', [])
  if (!row?.transaction_isolation?.startsWith('read ')) return
  try {
    await own.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', [])
  } catch (error) {
    throw stateOf(error) === '25001' ? lateLevel() : error
  }
}

/** Runs it. In a transaction that the caller ends, a failed write leaves the rest of it as it was. */
export function writingTogether<T>({
  databases,
  options,
  call,
  optional,
  repeatable,
  succeeded,
  work,
}: Transaction<T>): Promise<T> {
  const { write: database, callers } = databases
  const wait = waitOf(call)
  const first = options.write === undefined && !repeatable ? undefined : markBegin
  // What a transaction of the caller's has lost can't be repeated here. A client of one's own may be in one or not.
  let isOwn = !database.nested
  const transaction = async (own: Session): Promise<T> => {
    isOwn ||= repeatable && own.first !== undefined
    if (callers && !own.callers) throw noTransaction()
    // Without a first statement, it is a part of a transaction whose level is set.
    if (repeatable && own.first !== undefined) await makeRepeatable(own)
    await runSession(options.session, own.native, call)
    const result = await work(asking(own), own)
    if (!succeeded(result)) throw new Undone(result)
    return result
  }
  const attempt = (): Promise<T> =>
    database.transaction(transaction, wait, optional, first).catch((error) => {
      if (error instanceof Undone) return error.result as T
      throw error
    })
  return withRetries(attempt, { writes: true, wait: { left: () => (isOwn ? wait.left() : 0) } })
}
