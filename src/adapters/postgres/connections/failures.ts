/**
 * Classifies failures of the database (PostgreSQL, appendix A). The kind of a failure decides
 * whether the work is retried, and which error clients see.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { loggable } from '../../../failures/loggable.js'
import { Unavailable, unknownOutcome } from '../../../problem.js'
import { backoff } from '../../../timeout.js'
import type { Wait } from './client.js'

/** The fields of an error that classify it. Both `pg` and PGlite set them. */
export interface DatabaseFailure {
  readonly code?: string | undefined
  readonly constraint?: string | undefined
  readonly column?: string | undefined
  readonly table?: string | undefined
  readonly schema?: string | undefined
  /** The domain whose constraint was violated. */
  readonly dataType?: string | undefined
  /** Set only on errors of the server. */
  readonly severity?: string | undefined
  readonly routine?: string | undefined
  readonly message?: string | undefined
  /** The server's call stack at the failure, one line per level. */
  readonly where?: string | undefined
}

/**
 * - `refused`: the data violated a rule of the database;
 * - `conflict`: the transaction was rolled back because of another transaction, and can be retried
 *   as a whole;
 * - `unsent`: the statement was not sent, or its transaction was not committed, so the work can be
 *   retried;
 * - `lost`: it is unknown whether a write took effect, for example because the connection broke
 *   after the statement was sent;
 * - `cancelled`: nothing was changed, because the time was up or the caller no longer waited;
 * - `busy`: the database can't do the work at the moment;
 * - `unprepared`: a prepared statement is missing or invalid, so the statement can be retried
 *   without a name;
 * - `other`: any other error, for example in a statement or in the service.
 */
export type FailureKind = 'refused' | 'conflict' | 'unsent' | 'lost' | 'cancelled' | 'busy' | 'unprepared' | 'other'

const byCode: Readonly<Record<string, FailureKind>> = {
  '40001': 'conflict',
  '40P01': 'conflict',
  '40003': 'lost',
  '57014': 'cancelled',
  '57P01': 'lost',
  '57P02': 'lost',
  '57P03': 'busy',
  '57P04': 'lost',
  '57P05': 'lost',
  '25P03': 'lost',
  '25P04': 'lost',
  '55P03': 'busy',
  // The primary has become a standby.
  '25006': 'busy',
  '26000': 'unprepared',
  // Behind a pooler, another client has already prepared a statement with this name.
  '42P05': 'unprepared',
  // A rule of the service's database: a trigger raised an error, or ASSERT or INTO STRICT failed in
  // a trigger.
  P0001: 'refused',
  P0002: 'refused',
  P0003: 'refused',
  P0004: 'refused',
  '09000': 'refused',
  '0B000': 'refused',
  // A CASE of PL/pgSQL has no branch for the value.
  '20000': 'refused',
  // A subquery returned several rows. This depends on the data.
  '21000': 'refused',
  // A sequence is exhausted. This does not depend on the values: every insert fails.
  '2200H': 'other',
  '27000': 'refused',
  '40002': 'refused',
  '44000': 'refused',
  // A value is too large for an index, an array or a text search vector.
  '54000': 'refused',
}

/**
 * The kinds of the SQLSTATE classes, for codes that `byCode` does not contain. Class 22 concerns
 * the values of columns, and values that triggers, checks and generated columns compute. Class 38
 * is raised by functions in other languages, for example by `die` in PL/Perl.
 */
const byClass: Readonly<Record<string, FailureKind>> = {
  '08': 'lost',
  '22': 'refused',
  '23': 'refused',
  '38': 'refused',
  '53': 'busy',
}

/**
 * The SQLSTATE classes of appendix A. Codes of other classes come from the service's own SQL, which
 * raises them with `RAISE ... USING ERRCODE`.
 */
const serverClasses = new Set(
  (
    '00 01 02 03 08 09 0A 0B 0F 0L 0P 0Z 20 21 22 23 24 25 26 27 28 2B 2D 2F 34 38 39 3B 3D 3F 40 42 44 53 54 55 ' +
    '57 58 72 F0 HV P0 XX'
  ).split(' '),
)

/**
 * Thrown by the adapter if a statement was not sent, or if its transaction ended without a commit.
 */
export class Unsent extends Error {
  override readonly name = 'Unsent'
}

/** Thrown by the adapter if no connection could be made, or if none was available in time. */
export class Busy extends Error {
  override readonly name = 'Busy'
}

/** Thrown by the adapter if no connection became free in time. */
export class Exhausted extends Busy {}

/** Thrown by the adapter if a statement was sent and its result did not arrive. */
export class Lost extends Error {
  override readonly name = 'Lost'
}

/**
 * Thrown by the adapter if the result is unknown when the time is up. No time is left for a retry.
 */
export class Late extends Lost {}

/**
 * Thrown by the adapter if a change was committed on the primary, but no synchronous standby
 * confirmed it. A failover may undo the change.
 */
export class Unconfirmed extends Lost {
  constructor(cause?: unknown) {
    super('No synchronous standby confirmed the commit.', cause === undefined ? undefined : { cause })
  }
}

/**
 * Thrown by the adapter if the time was up, or the caller no longer waited, before the statement
 * was sent or the transaction was committed.
 */
export class Cancelled extends Error {
  override readonly name = 'Cancelled'
}

for (const { prototype } of [Unsent, Busy, Lost]) loggable(prototype, 'database-gone')
loggable(Exhausted.prototype, 'pool-exhausted')
loggable(Cancelled.prototype, 'slow-filter')

/** The SQLSTATE of an error; `undefined` if the error is not from a server. */
export function stateOf(error: unknown): string | undefined {
  const { code, severity } = error instanceof Error ? (error as DatabaseFailure) : {}
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) return undefined
  // `EPIPE` looks like a SQLSTATE, but is not one. A code without digits is a SQLSTATE only if the
  // error is from a server.
  return /\d/.test(code) || typeof severity === 'string' ? code : undefined
}

/** Returns the message and the hint of the server, for operators. Clients do not see them. */
export function messageOf(error: unknown): string {
  const { message = '', hint } = error as DatabaseFailure & { readonly hint?: unknown }
  return (typeof hint === 'string' ? `${message}. ${hint}` : message).replace(/\.$/, '')
}

/**
 * Classifies a failure. Network errors of the adapter's own connections arrive here as `Lost`,
 * `Busy` or `Unsent`. Any other network error comes from the service's own code, does not concern
 * the database, and is `other`.
 */
export function failureKind(error: unknown): FailureKind {
  if (error instanceof Unsent) return 'unsent'
  if (error instanceof Busy) return 'busy'
  if (error instanceof Lost) return 'lost'
  if (error instanceof Cancelled) return 'cancelled'
  const code = stateOf(error)
  if (code === undefined) return 'other'
  const { routine } = error as DatabaseFailure
  const known = byCode[code] ?? byClass[code.slice(0, 2)]
  // A trigger may raise any code. Codes that ask for a retry keep their kind. All other codes are
  // refusals.
  if (routine === 'exec_stmt_raise') return known === 'conflict' || known === 'busy' ? known : 'refused'
  // A violated policy of row-level security has no code of its own.
  if (code === '42501' && routine === 'ExecWithCheckOptions') return 'refused'
  // The code 0A000 means that a plan is outdated, or that a feature is not supported. `ready()` has
  // usually checked the statement already. So if a request needs an unsupported feature, the likely
  // cause is its values. For example, the values make a trigger move the row to another partition.
  if (code === '0A000') return isOutdatedPlan(error as DatabaseFailure) ? 'unprepared' : 'refused'
  if (code === 'XX000' && isRemote(error as DatabaseFailure)) return 'lost'
  return known ?? (serverClasses.has(code.slice(0, 2)) ? 'other' : 'refused')
}

/**
 * Whether the plan of a prepared statement is outdated. PostgreSQL translates the message of this
 * error, but always names the routine that raised it. CockroachDB sends the same English message as
 * PostgreSQL. If the error names no routine, the plan is assumed to be outdated.
 */
const isOutdatedPlan = ({ routine, message }: DatabaseFailure): boolean =>
  routine === undefined || routine === 'RevalidateCachedQuery' || /cached plan/.test(message ?? '')

/**
 * Whether a command that Citus sent to another node has failed. If the connection to that node
 * broke before the reply, there is no SQLSTATE from the node, and the error has the code XX000.
 */
const isRemote = ({ where }: DatabaseFailure): boolean => /^while executing command on \S+:\d+$/m.test(where ?? '')

/** Whether the work was ended because its time was up or the caller no longer waited. */
export const ranOutOfTime = (error: unknown): boolean =>
  failureKind(error) === 'cancelled' || ['25P03', '25P04'].includes(stateOf(error) ?? '')

/**
 * Returns an `Unavailable` for clients if a later attempt may succeed. Any other error is returned
 * unchanged. `writes`: whether the failed work was a write.
 */
export function unavailable(error: unknown, writes: boolean): unknown {
  switch (failureKind(error)) {
    case 'lost': {
      const unconfirmed = error instanceof Unconfirmed
      const reason = unconfirmed
        ? 'The store did not confirm the change in time'
        : 'The connection to the store was lost'
      const detail = unknownOutcome(reason)
      return new Unavailable({ cause: error, ...(writes || unconfirmed ? { detail } : {}) })
    }
    case 'cancelled':
      return new Unavailable({
        cause: error,
        unchanged: true,
        detail: 'The store did not respond in time. Nothing was changed: try again in a moment.',
      })
    case 'conflict':
    case 'busy':
    case 'unsent':
      return new Unavailable({
        cause: error,
        unchanged: true,
        detail: 'The store cannot process this at the moment. Nothing was changed: try again in a moment.',
      })
    default:
      return error
  }
}

/**
 * Whether the connection broke before the reply arrived, and there may be time for another attempt.
 */
const isLostReply = (error: unknown): boolean =>
  failureKind(error) === 'lost' && !(error instanceof Late || error instanceof Unconfirmed)

/** The maximum number of attempts. */
const attempts = 6
/**
 * The maximum number of attempts of a read that lost its connection. A statement that crashes the
 * server's process must not be sent again and again.
 */
const readAttempts = 3

/** The longest pause between two attempts, in milliseconds. */
const longestPause = 160

/**
 * Runs `work`, and retries it after failures that allow a retry, until the time is up or the
 * maximum number of attempts is reached. After a conflict, it pauses before the next attempt.
 * Throws `Unavailable` if a later attempt may succeed. Any other error is thrown unchanged.
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  { writes, wait }: { readonly writes: boolean; readonly wait: Pick<Wait, 'left'> },
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const kind = failureKind(error)
      const again =
        kind === 'conflict' || kind === 'unsent' || (isLostReply(error) && !writes && attempt < readAttempts)
      const pause = kind === 'conflict' ? backoff(attempt, 5, longestPause) : 0
      if (!again || attempt >= attempts || pause >= wait.left()) throw unavailable(error, writes)
      if (pause > 0) await sleep(pause)
    }
  }
}
