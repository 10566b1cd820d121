/**
 * Runs the statements of one call, either separately or in one transaction. The transaction can
 * include statements of the service's own functions, which are the options `session` and `write`.
 */
import type { AdapterCall } from '../../contract.js'
import type { Cells, Database, Session, SqlClient, TextRow, Wait } from '../connections/client.js'
import type { Databases } from '../connections/database.js'
import { Exhausted, failureKind, stateOf, unavailable, withRetries } from '../connections/failures.js'
import { Behind, replayedSql } from '../connections/replayed.js'
import type { PostgresAdapterOptions } from '../options/options.js'
import type { Parameters } from '../sql/sql.js'
import { type StatementSender, senderOf } from '../sql/statement-sender.js'
import { lateLevel, noTransaction } from '../unfit.js'
import { callbackError } from './callback-errors.js'
import { markBegin } from './transaction-mark.js'

/**
 * Runs the service's `session` function. If the function throws, its error is recorded in
 * `callbackErrors`.
 */
async function runSession(
  session: PostgresAdapterOptions['session'],
  native: SqlClient,
  call: AdapterCall,
): Promise<void> {
  try {
    await session?.(native, call)
  } catch (error) {
    throw callbackError(error, 'session')
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

  /**
   * Whether the call was aborted. Reads `signal` only if it is an own property of the call, because
   * an inherited `signal` is a getter, which would create a signal.
   */
  get gone(): boolean {
    return Object.hasOwn(this.call, 'signal') && this.call.signal?.aborted
  }
}

/** Whether the adapter is allowed to keep rows in memory: see `StatementSender`. */
interface Keeping {
  readonly keeps?: boolean | undefined
  readonly keepsWritten?: boolean | undefined
}

/**
 * Sends each statement separately. The time limit of a statement is the time that the call has
 * left.
 */
class CallStatements extends CallWait implements StatementSender {
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

/**
 * Runs a read on a replica if the replica is recent enough for the client, and otherwise on the
 * primary. The read runs in a transaction if the option `session` is set, or if the position of the
 * replica must be checked.
 */
export async function reading<T>(
  databases: Databases,
  options: PostgresAdapterOptions,
  call: AdapterCall,
  work: (ask: StatementSender) => Promise<T>,
): Promise<T> {
  const { read, write, replica } = databases
  const fromPrimary = (): Promise<T> => {
    const { attempt, wait } = readingFrom(write, databases, options, call, work)
    return withRetries(attempt, { writes: false, wait })
  }
  if (replica === undefined || read === write) return fromPrimary()
  const needs = await replica.needs(call)
  if (needs === 'primary') return fromPrimary()
  const position = needs ?? (read.checksFloor ? undefined : replica.floor())
  // The position of the replica must be checked on the connection of the read, because several
  // replicas may share one host name. A database client without transactions can't run the check
  // and the read on one connection.
  if (position !== undefined && read.lacksTransactions) return fromPrimary()
  try {
    return await readingFrom(read, databases, options, call, work, position).attempt()
  } catch (error) {
    // If the replicas are overloaded, the read is not retried on the primary, because such retries
    // could overload the primary too.
    if (error instanceof Exhausted || failureKind(error) === 'cancelled') throw unavailable(error, false)
    return fromPrimary()
  }
}

interface Reading<T> {
  attempt(): Promise<T>
  readonly wait: Wait
}

function readingFrom<T>(
  database: Database,
  { read }: Databases,
  { session }: PostgresAdapterOptions,
  call: AdapterCall,
  work: (ask: StatementSender) => Promise<T>,
  position?: string,
): Reading<T> {
  // Only rows from the read database are kept in memory. A kept row is recognized by its key, its
  // version and its stamp (`xmin`). A server that is neither the read database nor a copy of it
  // might have other content in a row with the same key, version and stamp.
  const alone = new CallStatements(database, call, { keeps: database === read && read.pooled })
  if (session === undefined && position === undefined) return { attempt: () => work(alone), wait: alone }
  const attempt = (): Promise<T> =>
    database.transaction(
      async (own) => {
        if (position !== undefined && !(await hasReplayed(own, position))) throw new Behind()
        if (session !== undefined) await runSession(session, own.native, call)
        return work(senderOf(own))
      },
      alone,
      session === undefined,
    )
  return { attempt, wait: alone }
}

async function hasReplayed(own: Session, position: string): Promise<boolean> {
  const [row] = await own.query(replayedSql, [position])
  return row?.c0 === 'true'
}

/**
 * Runs a write of one statement without a transaction. `work` can send queries after that
 * statement.
 */
export function writingAlone<T>(
  { read, write }: Databases,
  call: AdapterCall,
  work: (ask: StatementSender) => Promise<T>,
): Promise<T> {
  const alone = new CallStatements(write, call, { keepsWritten: write === read && write.pooled && !write.mayBeNested })
  return withRetries(() => work(alone), { writes: true, wait: alone })
}

/** Thrown to roll back a transaction whose result is not a success. */
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
  /**
   * Whether the write can run without a transaction if the client does not support transactions.
   */
  readonly optional: boolean
  /**
   * Whether all statements of the transaction see one snapshot (REPEATABLE READ). This has no
   * effect in the caller's own transaction.
   */
  readonly repeatable: boolean
  /** Whether a result is a success. If it is not, the transaction is rolled back. */
  succeeded(result: T): boolean
  work(ask: StatementSender, own: Session): Promise<T>
}

/**
 * Sets the isolation level REPEATABLE READ, unless the level is at least as high already. The level
 * can still be set after a SHOW or SET, because these statements take no snapshot.
 */
async function makeRepeatable(own: Session): Promise<void> {
  const [row] = await own.query('SHOW transaction_isolation', [])
  if (!row?.transaction_isolation?.startsWith('read ')) return
  try {
    await own.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ', [])
  } catch (error) {
    throw stateOf(error) === '25001' ? lateLevel() : error
  }
}

/**
 * Runs a write in a transaction. If the caller has a transaction open, the write runs in that
 * transaction, and a failed write leaves the caller's other changes intact.
 */
export function writingTogether<T>({
  databases,
  options,
  call,
  optional,
  repeatable,
  succeeded,
  work,
}: Transaction<T>): Promise<T> {
  const { write: database, inCallersTransaction } = databases
  const wait = waitOf(call)
  const first = options.write === undefined && !repeatable ? undefined : markBegin
  // Only a transaction that the adapter has begun can be retried here. If `mayBeNested` is true,
  // for example because the adapter has a single database client and not a pool, the caller may
  // have begun the transaction.
  let isOwn = !database.mayBeNested
  const transaction = async (own: Session): Promise<T> => {
    isOwn ||= repeatable && own.first !== undefined
    if (inCallersTransaction && !own.inCallersTransaction) throw noTransaction()
    // If `own.first` is undefined, the adapter has not begun this transaction, and does not change
    // its isolation level.
    if (repeatable && own.first !== undefined) await makeRepeatable(own)
    await runSession(options.session, own.native, call)
    const result = await work(senderOf(own), own)
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
