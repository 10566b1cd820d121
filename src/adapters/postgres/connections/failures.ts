/** What the database's failures mean (PostgreSQL, appendix A): who may try again, and what a client is told. */
import { setTimeout as sleep } from 'node:timers/promises'
import { stated } from '../../../failures/stated.js'
import { Unavailable, unknownOutcome } from '../../../problem.js'
import { backoff } from '../../../timeout.js'
import type { Wait } from './client.js'

/** The fields of an error that tell what it is; both drivers give them. */
export interface DatabaseFailure {
  readonly code?: string | undefined
  readonly constraint?: string | undefined
  readonly column?: string | undefined
  readonly table?: string | undefined
  readonly schema?: string | undefined
  /** The domain whose rule was broken. */
  readonly dataType?: string | undefined
  /** Only a server's error has one. */
  readonly severity?: string | undefined
  readonly routine?: string | undefined
  readonly message?: string | undefined
  /** Where the server was when it failed, a line for each level. */
  readonly where?: string | undefined
}

/**
 * - `refused`: the data broke a rule of the database;
 * - `conflict`: rolled back because of another transaction; it can be repeated whole;
 * - `unsent`: the statement never left, or its transaction was not committed; it can be repeated;
 * - `lost`: the connection broke after it left: what became of a write is unknown;
 * - `cancelled`: its time was up, or nobody waited any more: it did not take place;
 * - `busy`: the database takes no work at the moment;
 * - `unprepared`: a prepared statement was forgotten or has become invalid: it can be repeated without;
 * - `other`: a fault of a statement or of the service.
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
  // Of another client, behind a pooler.
  '42P05': 'unprepared',
  // A rule of the team, raised in a trigger, or found there by ASSERT or INTO STRICT.
  P0001: 'refused',
  P0002: 'refused',
  P0003: 'refused',
  P0004: 'refused',
  '09000': 'refused',
  '0B000': 'refused',
  // A CASE of PL/pgSQL without a branch for the value.
  '20000': 'refused',
  // A subquery that gives several rows depends on the rows.
  '21000': 'refused',
  // A sequence that is used up serves nobody, whatever the values.
  '2200H': 'other',
  '27000': 'refused',
  '40002': 'refused',
  '44000': 'refused',
  // What is too large for an index, an array or a text search vector.
  '54000': 'refused',
}

/**
 * Class 22 is about values: of columns, and of what triggers, checks and generated columns compute
 * from them. Class 38 is what functions in other languages raise, such as `die` in PL/Perl.
 */
const byClass: Readonly<Record<string, FailureKind>> = {
  '08': 'lost',
  '22': 'refused',
  '23': 'refused',
  '38': 'refused',
  '53': 'busy',
}

/**
 * The classes of appendix A. A code of any other one is a team's own, as `RAISE ... USING ERRCODE`
 * makes it.
 */
const serverClasses = new Set(
  '00 01 02 03 08 09 0A 0B 0F 0L 0P 0Z 20 21 22 23 24 25 26 27 28 2B 2D 2F 34 38 39 3B 3D 3F 40 42 44 53 54 55 57 58 72 F0 HV P0 XX'.split(
    ' ',
  ),
)

/** Thrown here, before a statement left, or when a transaction ended before it was committed. */
export class Unsent extends Error {
  override readonly name = 'Unsent'
}

/** Thrown here, when no connection was to be had in time. */
export class Busy extends Error {
  override readonly name = 'Busy'
}

/** Thrown here, when all connections were in use. */
export class Exhausted extends Busy {}

/** Thrown here, when a statement had left and the server did not say how it ended. */
export class Lost extends Error {
  override readonly name = 'Lost'
}

/** Thrown here, when the time was up and nothing is known: there is none left to try again in. */
export class Late extends Lost {}

/** Thrown here, when a change was committed by this server alone: a synchronous standby did not confirm it, so a failover may undo it. */
export class Unconfirmed extends Lost {
  constructor(cause?: unknown) {
    super('No synchronous standby confirmed the commit.', cause === undefined ? undefined : { cause })
  }
}

/** Thrown here, when the time was up or nobody waited any more before the statement left. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled'
}

for (const { prototype } of [Unsent, Busy, Lost]) stated(prototype, 'database-gone')
stated(Exhausted.prototype, 'pool-exhausted')
stated(Cancelled.prototype, 'slow-filter')

/** The SQLSTATE of an error; undefined where no server said it. */
export function stateOf(error: unknown): string | undefined {
  const { code, severity } = error instanceof Error ? (error as DatabaseFailure) : {}
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) return undefined
  // EPIPE is no SQLSTATE. Letters alone are one where a server said them.
  return /\d/.test(code) || typeof severity === 'string' ? code : undefined
}

/** What a failure is. Only what a driver's own connection met is `lost`: a network error of a team's code is none of the database's. */
export function failureKind(error: unknown): FailureKind {
  if (error instanceof Unsent) return 'unsent'
  if (error instanceof Busy) return 'busy'
  if (error instanceof Lost) return 'lost'
  if (error instanceof Cancelled) return 'cancelled'
  const code = stateOf(error)
  if (code === undefined) return 'other'
  const { routine } = error as DatabaseFailure
  const known = byCode[code] ?? byClass[code.slice(0, 2)]
  // A trigger may raise any code. Only those that ask for another attempt are more than a refusal.
  if (routine === 'exec_stmt_raise') return known === 'conflict' || known === 'busy' ? known : 'refused'
  // A policy of row-level security has no code of its own.
  if (code === '42501' && routine === 'ExecWithCheckOptions') return 'refused'
  // A plan whose columns have changed has none either. Other features are missing for some values
  // only, or `ready()` has found out:
  // a row that a trigger would move to another partition, say.
  if (code === '0A000') return isOutdatedPlan(error as DatabaseFailure) ? 'unprepared' : 'refused'
  if (code === 'XX000' && isRemote(error as DatabaseFailure)) return 'lost'
  return known ?? (serverClasses.has(code.slice(0, 2)) ? 'other' : 'refused')
}

/**
 * PostgreSQL tells by the routine, in any language; CockroachDB by the same words. A client that
 * passes on neither is believed to have met one.
 */
const isOutdatedPlan = ({ routine, message }: DatabaseFailure): boolean =>
  routine === undefined || routine === 'RevalidateCachedQuery' || /cached plan/.test(message ?? '')

/**
 * Whether a command that Citus sent to another server has failed. Without a SQLSTATE of that server,
 * which is then XX000 here, the connection to it broke before the reply.
 */
const isRemote = ({ where }: DatabaseFailure): boolean => /^while executing command on \S+:\d+$/m.test(where ?? '')

/** Whether it was the server that ended it for taking too long. */
export const ranOutOfTime = (error: unknown): boolean =>
  failureKind(error) === 'cancelled' || ['25P03', '25P04'].includes(stateOf(error) ?? '')

/** What a client hears of a failure that a later attempt may not meet; any other error passes as it is. */
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
        detail: 'The store did not answer in time. Nothing was changed: try again in a moment.',
      })
    case 'conflict':
    case 'busy':
    case 'unsent':
      return new Unavailable({
        cause: error,
        unchanged: true,
        detail: 'The store can not take this at the moment. Nothing was changed: try again in a moment.',
      })
    default:
      return error
  }
}

/** Whether the connection broke before a reply, and another attempt may still have one in time. */
const isLostReply = (error: unknown): boolean =>
  failureKind(error) === 'lost' && !(error instanceof Late || error instanceof Unconfirmed)

/** How often what may be repeated is. */
const attempts = 6
/** How often a read is sent that lost its connection: a statement that ends the server's process must not do so again and again. */
const readAttempts = 3

/** Milliseconds, the most between two attempts. */
const longestPause = 160

/** Repeats what may be repeated, with growing pauses, as long as there is time. Throws `Unavailable` where the store could not answer. */
export async function patiently<T>(
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
