/** Classifies the errors of drivers. This is the only file that looks at their messages. */
import { Busy, type DatabaseFailure, failureKind, Lost, stateOf, Unsent } from './failures.js'

/**
 * Error codes of the socket, as opposed to the server. The last four are those of other drivers,
 * for a team's own clients.
 */
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

/**
 * The server of a client, for operators: `PostgreSQL at db.internal:5432`. Contains neither a user
 * nor a password.
 */
export function serverAt({ host, port }: { readonly host?: unknown; readonly port?: unknown }): string {
  if (typeof host !== 'string' || !/^[\w.:/%-]{1,255}$/.test(host)) return 'PostgreSQL'
  return `PostgreSQL at ${host.includes(':') ? `[${host}]` : host}:${Number(port ?? 5432)}`
}

/**
 * The failure of a statement of `pg`. `at` names the server. An error of the server stays as it is,
 * unless it ended the session: a pooler or a proxy may end a session in place of the reply, after
 * the statement has taken effect. After any other error the state of the statement and of the
 * connection is unknown.
 */
export function statementFailure(error: unknown, at = 'PostgreSQL'): unknown {
  if (stateOf(error) !== undefined) {
    if (!endsSession(error as DatabaseFailure) || failureKind(error) === 'lost') return error
    return new Lost(`${at} ended the session without reporting the result of the statement.`, { cause: error })
  }
  if (/not queryable/i.test(messageOf(error)))
    return new Unsent(`The connection to ${at} was closed before the statement was sent.`, { cause: error })
  return new Lost(`The connection to ${at} broke before the result of the statement arrived.`, { cause: error })
}

/**
 * Whether the session ended with this error. The severity may be localized. The two SQLSTATEs are
 * those of a session that can't begin; statements of a running session get them only if a trigger
 * raises them.
 */
const endsSession = ({ severity, code, routine }: DatabaseFailure): boolean =>
  severity === 'FATAL' ||
  severity === 'PANIC' ||
  ((code === '57P03' || code === '53300') && routine !== 'exec_stmt_raise')

/** Whether `pg` has stopped waiting for the answer because of its own `query_timeout`. */
export const gaveUp = (error: unknown): boolean =>
  stateOf(error) === undefined && messageOf(error) === 'Query read timeout'

/**
 * The failure to get a connection: no statement was sent. Errors that a retry can't fix are
 * returned unchanged: a wrong password or database name, or a certificate that is not trusted.
 */
export function connectFailure(error: unknown, at = 'PostgreSQL'): unknown {
  const state = stateOf(error)
  if (state !== undefined && !/^(?:08|53|57|58|XX)/.test(state)) return error
  const code = (error as { code?: unknown } | undefined)?.code
  const setup = typeof code === 'string' && /CERT|SIGNATURE|^ERR_(?:TLS|SSL|OSSL|INVALID)/.test(code)
  if (setup || /\b(?:SASL|SSL|password)\b/i.test(state === undefined ? messageOf(error) : '')) return error
  return new Busy(`${at} cannot be reached.`, { cause: error })
}

/** The failure of a statement of a team's own client. */
export function foreignFailure(error: unknown): unknown {
  const code = (error as { code?: unknown } | undefined)?.code
  const broken = typeof code === 'string' && networkCodes.has(code)
  if (
    broken ||
    (stateOf(error) === undefined &&
      /connection (?:terminated|ended|closed|error)|not queryable/i.test(messageOf(error)))
  ) {
    return new Lost('The connection broke before the result of the statement arrived.', { cause: error })
  }
  return error
}

/** The failure of a statement of PGlite. After it is closed, it accepts none. */
export const embeddedFailure = (error: unknown): unknown =>
  /PGlite is clos/.test(messageOf(error)) ? new Busy('PGlite is closed.', { cause: error }) : error

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')
