/** What a driver says in words of its own, told in ours: only here are messages read. */
import { Busy, type DatabaseFailure, failureKind, Lost, stateOf, Unsent } from './failures.js'

/** Of the socket, not of the server. The last ones are those of other drivers, for clients of a team's making. */
const networkCodes = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
])

/** Where a client is connected to, for operators: `PostgreSQL at db.internal:5432`. Neither a user nor a password is in it. */
export function serverAt({ host, port }: { readonly host?: unknown; readonly port?: unknown }): string {
  if (typeof host !== 'string' || !/^[\w.:/%-]{1,255}$/.test(host)) return 'PostgreSQL'
  return `PostgreSQL at ${host.includes(':') ? `[${host}]` : host}:${Number(port ?? 5432)}`
}

/**
 * A statement of `pg` that failed; `at` says on which server. What the server said stays as it is, unless it ended the session: a
 * pooler or a proxy may end it in place of the reply, after the statement has taken effect. Anything
 * else means that nothing is known about the statement and the connection.
 */
export function statementFailure(error: unknown, at = 'PostgreSQL'): unknown {
  if (stateOf(error) !== undefined) {
    if (!endsSession(error as DatabaseFailure) || failureKind(error) === 'lost') return error
    return new Lost(`${at} ended the session before it had said how the statement ended.`, { cause: error })
  }
  if (/not queryable/i.test(messageOf(error)))
    return new Unsent(`The connection to ${at} was closed before the statement left.`, { cause: error })
  return new Lost(`The connection to ${at} broke before it had said how the statement ended.`, { cause: error })
}

/**
 * Whether the session ended with this error. The severity may be localized. The two states are those of
 * a session that can't begin: no statement of one that has begun meets them, except where a trigger
 * raises them.
 */
const endsSession = ({ severity, code, routine }: DatabaseFailure): boolean =>
  severity === 'FATAL' ||
  severity === 'PANIC' ||
  ((code === '57P03' || code === '53300') && routine !== 'exec_stmt_raise')

/** Whether `pg` waits no longer for the answer, by its own `query_timeout`. */
export const gaveUp = (error: unknown): boolean =>
  stateOf(error) === undefined && messageOf(error) === 'Query read timeout'

/**
 * A connection that could not be had: no statement left. What waiting does not mend stays what it is: a wrong password or database name, a certificate that is
 * not trusted.
 */
export function connectFailure(error: unknown, at = 'PostgreSQL'): unknown {
  const state = stateOf(error)
  if (state !== undefined && !/^(?:08|53|57|58|XX)/.test(state)) return error
  const code = (error as { code?: unknown } | undefined)?.code
  const setup = typeof code === 'string' && /CERT|SIGNATURE|^ERR_(?:TLS|SSL|OSSL|INVALID)/.test(code)
  if (setup || /\b(?:SASL|SSL|password)\b/i.test(state === undefined ? messageOf(error) : '')) return error
  return new Busy(`${at} can not be reached.`, { cause: error })
}

/** A statement of another client that failed. */
export function foreignFailure(error: unknown): unknown {
  const code = (error as { code?: unknown } | undefined)?.code
  const broken = typeof code === 'string' && networkCodes.has(code)
  if (
    broken ||
    (stateOf(error) === undefined &&
      /connection (?:terminated|ended|closed|error)|not queryable/i.test(messageOf(error)))
  ) {
    return new Lost('The connection broke before the client had said how the statement ended.', { cause: error })
  }
  return error
}

/** A statement of PGlite that failed: once it is closed, it takes none. */
export const embeddedFailure = (error: unknown): unknown =>
  /PGlite is clos/.test(messageOf(error)) ? new Busy('PGlite is closed.', { cause: error }) : error

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')
