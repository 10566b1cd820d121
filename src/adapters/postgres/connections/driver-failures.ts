/**
 * Classifies the errors of drivers. No other file depends on the wording of a driver's messages.
 */
import { Busy, type DatabaseFailure, failureKind, Lost, stateOf, Unsent } from './failures.js'

/**
 * Error codes that come from the socket, not from the server. The last four are codes of other
 * drivers, which a custom client may use.
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
 * Names the server of a client, for operators: `PostgreSQL at db.internal:5432`. The string
 * contains neither a user nor a password.
 */
export function serverAt({ host, port }: { readonly host?: unknown; readonly port?: unknown }): string {
  if (typeof host !== 'string' || !/^[\w.:/%-]{1,255}$/.test(host)) return 'PostgreSQL'
  return `PostgreSQL at ${host.includes(':') ? `[${host}]` : host}:${Number(port ?? 5432)}`
}

/**
 * Converts the error of a statement that `pg` sent. `at` names the server. An error of the server
 * is returned unchanged if it did not end the session, or if `failureKind` already classifies it as
 * `lost`. A pooler or a proxy may end a session after the statement has taken effect, and send an
 * error in place of the result. After such an error, the outcome of the statement is unknown. The
 * outcome is also unknown after an error that does not come from the server, unless the connection
 * was closed before the statement was sent.
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
 * Whether the session ended with this error. The server may translate the severity, so two
 * SQLSTATEs are also checked. The server sends these SQLSTATEs when a session can't begin. In a
 * running session, they occur only if a trigger raises them.
 */
const endsSession = ({ severity, code, routine }: DatabaseFailure): boolean =>
  severity === 'FATAL' ||
  severity === 'PANIC' ||
  ((code === '57P03' || code === '53300') && routine !== 'exec_stmt_raise')

/** Whether `pg` has stopped waiting for the result because of its own `query_timeout`. */
export const gaveUp = (error: unknown): boolean =>
  stateOf(error) === undefined && messageOf(error) === 'Query read timeout'

/**
 * Converts the error of an attempt to get a connection. No statement was sent. Errors that a retry
 * can't fix are returned unchanged, such as a wrong password or database name, or a certificate
 * that is not trusted. All other errors become `Busy`.
 */
export function connectFailure(error: unknown, at = 'PostgreSQL'): unknown {
  const state = stateOf(error)
  if (state !== undefined && !/^(?:08|53|57|58|XX)/.test(state)) return error
  const code = (error as { code?: unknown } | undefined)?.code
  const setup = typeof code === 'string' && /CERT|SIGNATURE|^ERR_(?:TLS|SSL|OSSL|INVALID)/.test(code)
  if (setup || /\b(?:SASL|SSL|password)\b/i.test(state === undefined ? messageOf(error) : '')) return error
  return new Busy(`${at} cannot be reached.`, { cause: error })
}

/**
 * Converts the error of a statement that a custom client sent. An error that shows a broken
 * connection becomes `Lost`.
 */
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

/**
 * Converts the error of a statement that PGlite ran. A closed PGlite accepts no statements, so its
 * error becomes `Busy`.
 */
export const embeddedFailure = (error: unknown): unknown =>
  /PGlite is clos/.test(messageOf(error)) ? new Busy('PGlite is closed.', { cause: error }) : error

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')
